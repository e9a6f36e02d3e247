package kubernetes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var (
	numberType    = reflect.TypeFor[json.Number]()
	marshalerType = reflect.TypeFor[json.Marshaler]()
)

// resolve is the value behind pointers and interfaces, as JSON has it; the zero
// Value for null.
func (w *writer) resolve(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Invalid, reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v
	case reflect.Struct, reflect.Map, reflect.Slice:
		switch {
		case w.shape(v.Type()).own:
		case v.Kind() != reflect.Struct && v.IsNil():
			return reflect.Value{}
		default:
			return v
		}
	}
	return w.own(v)
}

// own is a value whose type has a form of its own in JSON.
func (w *writer) own(v reflect.Value) reflect.Value {
	switch x := v.Interface().(type) {
	case resource.Quantity:
		return reflect.ValueOf(x.String())
	case intstr.IntOrString:
		if x.Type == intstr.Int {
			return reflect.ValueOf(x.IntVal)
		}
		return reflect.ValueOf(x.StrVal)
	default:
		plain, err := byJSON(x)
		if err != nil {
			w.fail(err)
		}
		return reflect.ValueOf(plain)
	}
}

// byJSON is the value as it is after a way through JSON.
func byJSON(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var plain any
	err = dec.Decode(&plain)
	return plain, err
}

func isObject(v reflect.Value) bool { return v.Kind() == reflect.Struct || v.Kind() == reflect.Map }

// void are fields that say nothing when they are empty. In others, such as
// selectors, nothing is something.
var void = map[string]bool{"creationTimestamp": true, "strategy": true, "updateStrategy": true, "resources": true, "status": true, "spec": true}

// members writes those of one object.
type members struct {
	*writer
	depth int
	lead  string
	any   bool
}

// member writes one, unless it says nothing and is to be left out then.
func (m *members) member(key, scalar string, v reflect.Value) {
	if m.depth == 0 && key == "status" {
		return
	}
	before, first := len(m.out), !m.any
	m.key(scalar)
	if says := m.value(m.resolve(v), m.depth); !says && void[key] {
		m.out, m.any = m.out[:before], !first
	}
}

// key writes a member up to its colon.
func (m *members) key(scalar string) {
	if !m.any {
		m.put(m.lead)
	}
	if m.any || m.lead != " " {
		m.indent(m.depth)
	}
	m.put(scalar, ":")
	m.any = true
}

func (m *members) ofStruct(v reflect.Value) {
	for _, f := range m.shape(v.Type()).fields {
		value := v.FieldByIndex(f.index)
		if f.omitEmpty && emptyJSON(value) || f.omitZero && value.IsZero() {
			continue
		}
		m.member(f.key, f.scalar, value)
	}
}

// ofMap writes the entries of a map, sorted by their keys.
func (m *members) ofMap(v reflect.Value) {
	if texts, ok := v.Interface().(map[string]string); ok { // as most are
		m.ofTexts(texts)
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	for _, key := range keys {
		m.member(key.String(), m.scalar(key.String()), v.MapIndex(key))
	}
}

func (m *members) ofTexts(texts map[string]string) {
	m.keys = m.keys[:0]
	for key := range texts {
		m.keys = append(m.keys, key)
	}
	slices.Sort(m.keys)
	for _, key := range m.keys {
		m.key(m.scalar(key))
		m.text(texts[key], m.depth)
	}
}

// emptyJSON tells what encoding/json leaves out where it is told omitempty.
func emptyJSON(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// shape is what is known of a type of structs, maps or lists.
type shape struct {
	own    bool    // whether it has a form of its own in JSON
	fields []field // of a struct that has not, sorted by their keys
}

// field is a field of a struct, by its key in JSON, and that as a scalar.
type field struct {
	key, scalar         string
	index               []int
	omitEmpty, omitZero bool
}

func (w *writer) shape(t reflect.Type) *shape {
	s := w.shapes[t]
	if s == nil {
		s = &shape{own: reflect.PointerTo(t).Implements(marshalerType)} // whatever has it, its pointer has
		switch t.Kind() {
		case reflect.Slice:
			s.own = s.own || t.Elem().Kind() == reflect.Uint8
		case reflect.Struct:
			s.fields = w.appendFields(nil, t, nil)
			slices.SortFunc(s.fields, func(a, b field) int { return cmp.Compare(a.key, b.key) })
		}
		w.shapes[t] = s
	}
	return s
}

// appendFields adds the fields of a struct that JSON has, those of structs that
// are embedded without a key among them.
func (w *writer) appendFields(to []field, t reflect.Type, at []int) []field {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clip(at), i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case key == "-" || !f.IsExported():
		case key == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			to = w.appendFields(to, f.Type, index)
		default:
			key = cmp.Or(key, f.Name)
			has := strings.Split(options, ",")
			to = append(to, field{key, w.scalar(key), index, slices.Contains(has, "omitempty"), slices.Contains(has, "omitzero")})
		}
	}
	return to
}
