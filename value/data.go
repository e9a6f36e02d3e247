package value

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/jsondata"
)

// Kind is the type of a [Data].
type Kind int

// The kinds of plain data, as in JSON, with whole numbers kept apart because
// CUE does.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Struct
)

func (k Kind) String() string {
	return [...]string{"null", "bool", "int", "float", "string", "list", "struct"}[k]
}

// Origin says which level gave a leaf its value.
type Origin struct {
	// By is the kind of the giver.
	By Giver
	// Who names the giver: the role path ("shop.cache"; the deployment's own
	// name at the top), or the flag or file for [FromFlag], [FromTemplate] and
	// [FromEnvironment].
	Who string
}

// Giver is a level of the spread at which a value can be given.
type Giver string

// The givers, outermost first.
const (
	// FromFlag is a value given by --set or a values file.
	FromFlag Giver = "flag"
	// FromTemplate is a value that a template gives some environments, in the file Who.
	FromTemplate Giver = "template"
	// FromEnvironment is a value that the environment has for deployments, whose file Who
	// names.
	FromEnvironment Giver = "environment"
	// FromDeployment is a value that the #Deployment states.
	FromDeployment Giver = "deployment"
	// FromRole is a value that a service states for one of its roles.
	FromRole Giver = "role"
	// FromDefault is a default of an artifact (of a service or a component).
	FromDefault Giver = "default"
)

// Data is finished configuration: plain, JSON-able data in which every leaf
// remembers its place and who gave it. A nil *Data means absent. Data is never
// changed once it is built, so parts of it are shared freely.
type Data struct {
	Kind Kind
	// Text is a scalar's value: the string itself, or the number or bool as
	// JSON writes it.
	Text string
	// Fields are a struct's members, sorted by name.
	Fields []Field
	// Items are a list's elements.
	Items []*Data
	// Pos is where the value was written: for a leaf its literal, for a struct
	// or list its opening.
	Pos diag.Pos
	// Origin is who gave it; zero for structs, whose leaves know.
	Origin Origin
}

// Field is one member of a struct.
type Field struct {
	Name  string
	Value *Data
}

// NewStruct returns a struct of the given fields, which it sorts.
func NewStruct(pos diag.Pos, fields ...Field) *Data {
	SortFields(fields)
	return &Data{Kind: Struct, Fields: fields, Pos: pos}
}

// SortFields sorts fields by their names. A sort of slices would be a copy of its code for this type alone, which is larger than all else here.
func SortFields(fields []Field) {
	for i := 1; i < len(fields); i++ {
		if fields[i].Name < fields[i-1].Name {
			sort.Sort(byName(fields))
			return
		}
	}
}

// Sorted is the value with the fields of all structs in it sorted by name. For data that has them in another order, as CUE does, most
// functions of this package do not work.
func (d *Data) Sorted() *Data {
	if !d.IsComposite() {
		return d
	}
	out := *d
	out.Fields, out.Items = slices.Clone(d.Fields), slices.Clone(d.Items)
	for i, f := range out.Fields {
		out.Fields[i].Value = f.Value.Sorted()
	}
	for i, item := range out.Items {
		out.Items[i] = item.Sorted()
	}
	SortFields(out.Fields)
	return &out
}

// byName are fields in the order of their names.
type byName []Field

func (f byName) Len() int           { return len(f) }
func (f byName) Less(i, j int) bool { return f[i].Name < f[j].Name }
func (f byName) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }

// Distinct is [NewStruct], and nil if two fields have the same name.
func Distinct(pos diag.Pos, fields ...Field) *Data {
	d := NewStruct(pos, fields...)
	for i := range d.Fields {
		if i > 0 && d.Fields[i-1].Name == d.Fields[i].Name {
			return nil
		}
	}
	return d
}

// NewString returns a string leaf.
func NewString(pos diag.Pos, s string) *Data { return &Data{Kind: String, Text: s, Pos: pos} }

// NewInt returns a whole number.
func NewInt(pos diag.Pos, n int64) *Data {
	return &Data{Kind: Int, Text: strconv.FormatInt(n, 10), Pos: pos}
}

// Get returns the value at the path of field names, nil where there is none.
func (d *Data) Get(path ...string) *Data {
	for _, name := range path {
		if d == nil {
			return nil
		}
		d = d.member(name)
	}
	return d
}

func compareName(f Field, name string) int { return strings.Compare(f.Name, name) }

// member is the field of a struct, or the item of a list.
func (d *Data) member(name string) *Data {
	switch d.Kind {
	case Struct:
		if i, ok := slices.BinarySearchFunc(d.Fields, name, compareName); ok {
			return d.Fields[i].Value
		}
	case List:
		if i, ok := Index(name); ok && i < len(d.Items) {
			return d.Items[i]
		}
	}
	return nil
}

// Element is how a path names an item of a list.
func Element(i int) string { return "[" + strconv.Itoa(i) + "]" }

// Index is the inverse of [Element]: the number in a name, and whether it is one.
func Index(name string) (int, bool) {
	inner, ok := strings.CutPrefix(name, "[")
	inner, ended := strings.CutSuffix(inner, "]")
	i, err := strconv.Atoi(inner)
	return i, ok && ended && err == nil && i >= 0
}

// Each returns the members of a struct, none for nil or anything else.
func (d *Data) Each() []Field {
	if d == nil {
		return nil
	}
	return d.Fields
}

// EachText goes through the texts in data that is at a path. The words of a list are one
// text as well, of which one may say what the next one is. The path that do gets
// is only valid during the call: copy it to keep it.
func (d *Data) EachText(path []string, do func(path []string, d *Data)) {
	if d.IsComposite() {
		path = append(make([]string, 0, len(path)+8), path...)
	}
	d.eachText(path, do)
}

func (d *Data) eachText(path []string, do func(path []string, d *Data)) {
	if d == nil {
		return
	}
	if d.Kind == String {
		do(path, d)
	}
	for _, f := range d.Fields {
		f.Value.eachText(append(path, f.Name), do)
	}
	var words []string
	for i, item := range d.Items {
		item.eachText(append(path, Element(i)), do)
		words = append(words, item.Str())
	}
	if len(words) > 1 {
		do(path, NewString(d.Pos, strings.Join(words, " ")))
	}
}

// Texts returns the data, which is at a path, with each text replaced by what f makes of
// it.
func (d *Data) Texts(path []string, f func(path []string, text string) string) *Data {
	if d == nil {
		return nil
	}
	out := *d
	below := func(name string) []string { return append(slices.Clip(path), name) }
	if d.Kind == String {
		out.Text = f(path, d.Text)
	}
	out.Fields, out.Items = slices.Clone(d.Fields), slices.Clone(d.Items)
	for i, m := range d.Fields {
		out.Fields[i].Value = m.Value.Texts(below(m.Name), f)
	}
	for i, item := range d.Items {
		out.Items[i] = item.Texts(below(Element(i)), f)
	}
	return &out
}

// Str returns the text of a string leaf, "" for anything else.
func (d *Data) Str() string {
	if d == nil || d.Kind != String {
		return ""
	}
	return d.Text
}

// Set returns a copy of the struct in which name has the value; a nil value
// removes it. A nil receiver counts as an empty struct.
func (d *Data) Set(name string, value *Data) *Data {
	out := &Data{Kind: Struct}
	if d == nil {
		d = out
	}
	out.Pos = d.Pos
	i, isThere := slices.BinarySearchFunc(d.Fields, name, compareName)
	rest := d.Fields[i:]
	if isThere {
		rest = rest[1:]
	}
	out.Fields = append(make([]Field, 0, len(d.Fields)+1), d.Fields[:i]...)
	if value != nil {
		out.Fields = append(out.Fields, Field{name, value})
	}
	out.Fields = append(out.Fields, rest...)
	return out
}

// AppendJSON appends the value as compact JSON with sorted keys: the canonical
// form that memo keys and digests are made of.
func (d *Data) AppendJSON(b []byte) []byte {
	if d == nil {
		return append(b, "null"...)
	}
	switch d.Kind {
	case Struct:
		b = append(b, '{')
		for i, f := range d.Fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(jsondata.AppendString(b, f.Name, false), ':')
			b = f.Value.AppendJSON(b)
		}
		return append(b, '}')
	case List:
		b = append(b, '[')
		for i, x := range d.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = x.AppendJSON(b)
		}
		return append(b, ']')
	case String:
		return jsondata.AppendString(b, d.Text, false)
	default:
		return append(b, d.Text...)
	}
}

// JSON returns the canonical compact JSON.
func (d *Data) JSON() string { return string(d.AppendJSON(nil)) }

// MarshalJSON implements [json.Marshaler].
func (d *Data) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

// Any returns the value as Go data: map[string]any, []any, string, bool, nil,
// and [json.Number] for numbers, so that no digit is lost.
func (d *Data) Any() any {
	if d == nil {
		return nil
	}
	switch d.Kind {
	case Struct:
		m := make(map[string]any, len(d.Fields))
		for _, f := range d.Fields {
			m[f.Name] = f.Value.Any()
		}
		return m
	case List:
		l := make([]any, len(d.Items))
		for i, x := range d.Items {
			l[i] = x.Any()
		}
		return l
	case String:
		return d.Text
	case Bool:
		return d.Text == "true"
	case Int, Float:
		return json.Number(d.Text)
	default:
		return nil
	}
}

// Walk calls f for d and everything below it, outermost first, with the path.
// f returns false to leave out what lies below.
func (d *Data) Walk(path []string, f func(path []string, d *Data) bool) {
	if d == nil || !f(path, d) {
		return
	}
	for _, m := range d.Fields {
		m.Value.Walk(append(slices.Clip(path), m.Name), f)
	}
	for i, x := range d.Items {
		x.Walk(append(slices.Clip(path), Element(i)), f)
	}
}

// Holds reports whether something is true of a value, or of one in it.
func (d *Data) Holds(is func(*Data) bool) bool {
	switch {
	case d == nil:
		return false
	case is(d):
		return true
	}
	for _, f := range d.Fields {
		if f.Value.Holds(is) {
			return true
		}
	}
	for _, x := range d.Items {
		if x.Holds(is) {
			return true
		}
	}
	return false
}

// Merge returns d with other laid over it: structs are joined field by field,
// anything else of other's replaces what d has. Either may be nil.
func (d *Data) Merge(other *Data) *Data {
	if d == nil || other == nil || d.Kind != Struct || other.Kind != Struct {
		if other == nil {
			return d
		}
		return other
	}
	if len(other.Fields) == 0 {
		return d
	}
	out, rest := &Data{Kind: Struct, Pos: d.Pos, Fields: make([]Field, 0, len(d.Fields)+len(other.Fields))}, d.Fields
	for _, f := range other.Fields { // both are sorted by name
		i, isThere := slices.BinarySearchFunc(rest, f.Name, compareName)
		out.Fields, rest = append(out.Fields, rest[:i]...), rest[i:]
		if isThere {
			f.Value, rest = rest[0].Value.Merge(f.Value), rest[1:]
		}
		out.Fields = append(out.Fields, f)
	}
	out.Fields = append(out.Fields, rest...)
	return out
}

// OrEmpty is d, or a struct without fields for nil.
func OrEmpty(d *Data) *Data {
	if d == nil {
		return &Data{Kind: Struct}
	}
	return d
}
