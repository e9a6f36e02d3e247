package yamlwriter

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/jsonfields"
	"kumiki.dev/internal/sorting"
)

var (
	numberType    = reflect.TypeFor[json.Number]()
	marshalerType = reflect.TypeFor[json.Marshaler]()
)

// resolve is the value behind pointers and interfaces, as JSON has it; the zero
// Value for null.
func (w *Writer) resolve(v reflect.Value) reflect.Value {
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
	return w.own(v.Interface())
}

// own is a value whose type has a form of its own in JSON.
func (w *Writer) own(x any) reflect.Value {
	if w.style.Own != nil {
		if plain, ok := w.style.Own(x); ok {
			return reflect.ValueOf(plain)
		}
	}
	plain, err := jsondata.Of(x)
	if err != nil {
		w.fail(err)
	}
	return reflect.ValueOf(plain)
}

func isObject(v reflect.Value) bool { return v.Kind() == reflect.Struct || v.Kind() == reflect.Map }

// members writes those of one object.
type members struct {
	*Writer
	depth int
	lead  string
	any   bool
}

// member writes one, unless it says nothing and is to be left out then.
func (m *members) member(key, scalar string, v reflect.Value) {
	if m.depth == 0 && key == m.style.Never {
		return
	}
	before, first := len(m.Out), !m.any
	m.key(scalar)
	if says := m.value(m.resolve(v), m.depth); !says && m.style.Void[key] {
		m.Out, m.any = m.Out[:before], !first
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
		if value := v.FieldByIndex(f.Index); !f.Omitted(value) {
			m.member(f.Key, f.scalar, value)
		}
	}
}

// ofMap writes the entries of a map, sorted by their keys.
func (m *members) ofMap(v reflect.Value) {
	if texts, ok := v.Interface().(map[string]string); ok { // as most are
		m.ofTexts(texts)
		return
	}
	keys := v.MapKeys()
	sorting.Texts(keys)
	for _, key := range keys {
		m.member(key.String(), m.style.Scalar(key.String()), v.MapIndex(key))
		if len(m.style.Void) == 0 { // else a member may have to be taken back
			m.handOn(chunk)
		}
	}
}

func (m *members) ofTexts(texts map[string]string) {
	m.keys = m.keys[:0]
	for key := range texts {
		m.keys = append(m.keys, key)
	}
	slices.Sort(m.keys)
	for _, key := range m.keys {
		m.key(m.style.Scalar(key))
		m.text(texts[key], m.depth)
	}
}

// shape is what is known of a type of structs, maps or lists.
type shape struct {
	own    bool    // whether it has a form of its own in JSON
	fields []field // of a struct that has not
}

// field is a field of a struct, with its key as a scalar.
type field struct {
	jsonfields.Field
	scalar string
}

func (w *Writer) shape(t reflect.Type) *shape {
	s := w.shapes[t]
	if s != nil {
		return s
	}
	s = &shape{own: reflect.PointerTo(t).Implements(marshalerType)} // whatever has it, its pointer has
	w.shapes[t] = s
	switch t.Kind() {
	case reflect.Slice:
		s.own = s.own || t.Elem().Kind() == reflect.Uint8
	case reflect.Struct:
		for _, f := range jsonfields.Of(t) {
			s.fields = append(s.fields, field{f, w.style.Scalar(f.Key)})
		}
		if !w.style.Declared {
			sorting.By(s.fields, func(a, b field) int { return cmp.Compare(a.Key, b.Key) })
		}
	}
	return s
}
