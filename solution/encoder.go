package solution

import (
	"encoding/json"
	"reflect"
	"strconv"

	"kumiki.dev/internal/jsonfields"
	"kumiki.dev/internal/sorting"
)

// slab is how many bytes of memory the encoder takes at a time, and headroom how
// many are left of it when it takes the next one.
const (
	slab     = 64 << 10
	headroom = 2 << 10
)

// encoder writes values as JSON, laid out with two spaces. It hands on what it
// has written in parts.
type encoder struct {
	part   func([]byte) // takes a part; keeps it only if retain is above 0
	buf    []byte       // what is not yet handed on
	depth  int
	begun  bool // whether the object that is open has members
	people bool // whether <, > and & are as they are
	err    error
	parts  int // that were handed on
	// retain counts who needs the parts for longer.
	retain int
	spans  map[string]span // of the deployments, by name; nil if nobody asks
	fields jsonfields.Table
	// shared has the artifacts that come several times, and written their parts.
	shared  map[*Artifact]bool
	written map[spot][][]byte
}

// spot is an artifact at a depth.
type spot struct {
	artifact *Artifact
	depth    int
}

// cut hands on what is there.
func (e *encoder) cut() {
	n := len(e.buf)
	if n == 0 {
		return
	}
	e.hand(e.buf[:n:n])
	if e.retain > 0 {
		e.buf = e.buf[n:]
	} else {
		e.buf = e.buf[:0]
	}
}

// room makes sure that most of what is appended next needs no copy of the rest.
func (e *encoder) room() {
	if cap(e.buf)-len(e.buf) >= headroom {
		return
	}
	e.cut()
	if cap(e.buf) < headroom {
		e.buf = make([]byte, 0, slab)
	}
}

// pass hands on parts that were made before.
func (e *encoder) pass(parts ...[]byte) {
	e.cut()
	for _, p := range parts {
		e.hand(p)
	}
	e.begun = true
}

func (e *encoder) hand(p []byte) {
	e.parts++
	e.part(p)
}

func (e *encoder) open(bracket byte) {
	e.buf = append(e.buf, bracket)
	e.depth++
	e.begun = false
}

func (e *encoder) end(bracket byte) {
	e.depth--
	if e.begun {
		e.line()
	}
	e.buf = append(e.buf, bracket)
	e.begun = true
}

// next begins the next member or item.
func (e *encoder) next() {
	e.room()
	if e.begun {
		e.buf = append(e.buf, ',')
	}
	e.begun = true
	e.line()
}

func (e *encoder) line() {
	const spaces = "\n                                                                "
	e.buf = append(e.buf, spaces[:min(1+2*e.depth, len(spaces))]...)
	for i := len(spaces); i < 1+2*e.depth; i++ {
		e.buf = append(e.buf, ' ')
	}
}

func (e *encoder) key(key string) {
	e.next()
	e.string(key)
	e.buf = append(e.buf, ": "...)
}

func (e *encoder) member(key string, v any) {
	e.key(key)
	e.any(v)
}

// any writes plain data and everything else.
func (e *encoder) any(v any) {
	switch v := v.(type) {
	case nil:
		e.buf = append(e.buf, "null"...)
	case string:
		e.string(v)
	case bool:
		e.buf = strconv.AppendBool(e.buf, v)
	case json.Number:
		e.number(v)
	case map[string]any:
		if v == nil {
			e.any(nil)
			return
		}
		e.open('{')
		for _, key := range keys(v) {
			e.member(key, v[key])
		}
		e.end('}')
	case []any:
		if v == nil {
			e.any(nil)
			return
		}
		e.open('[')
		for _, item := range v {
			e.next()
			e.any(item)
		}
		e.end(']')
	case *Resource:
		if v == nil {
			e.any(nil)
			return
		}
		e.any(v.plain())
	default:
		e.value(reflect.ValueOf(v))
	}
}

// value writes what the types of this package consist of.
func (e *encoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		e.pointer(v)
	case reflect.Struct:
		e.open('{')
		for _, f := range e.fields.Of(v.Type()) {
			if in := v.FieldByIndex(f.Index); !f.Omitted(in) {
				e.key(f.Key)
				e.value(in)
			}
		}
		e.end('}')
	case reflect.Map:
		e.maps(v)
	case reflect.Slice:
		if v.IsNil() {
			e.any(nil)
			return
		}
		e.open('[')
		for i := range v.Len() {
			e.next()
			e.value(v.Index(i))
		}
		e.end(']')
	case reflect.Int, reflect.Int64:
		e.buf = strconv.AppendInt(e.buf, v.Int(), 10)
	case reflect.String:
		if v.Type() == reflect.TypeFor[json.Number]() {
			e.number(json.Number(v.String()))
			return
		}
		e.string(v.String())
	case reflect.Bool:
		e.any(v.Bool())
	case reflect.Interface:
		e.any(v.Interface())
	default:
		e.marshal(v.Interface())
	}
}

func (e *encoder) pointer(v reflect.Value) {
	switch p := v.Interface().(type) {
	case *Artifact:
		e.artifact(p)
	case *Deployment:
		e.deployment(p)
	case *Resource:
		e.any(p)
	default:
		if v.IsNil() {
			e.any(nil)
			return
		}
		e.value(v.Elem())
	}
}

func (e *encoder) maps(v reflect.Value) {
	if v.IsNil() {
		e.any(nil)
		return
	}
	if m, ok := v.Interface().(map[string]any); ok {
		e.any(m)
		return
	}
	names := v.MapKeys()
	sorting.Texts(names)
	e.open('{')
	for _, name := range names {
		e.key(name.String())
		e.value(v.MapIndex(name))
	}
	e.end('}')
}
