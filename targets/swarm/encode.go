package swarm

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/targets"
)

// chunk is how much text is gathered before it is written.
const chunk = 64 << 10

// Encode writes objects of [Lower] as one stack file, in YAML. Dollars are
// doubled, as docker stack deploy takes single ones for its own variables.
func Encode(to io.Writer, objects []targets.Object) error {
	w := writer{to: to, fields: map[reflect.Type][]field{}}
	w.object(reflect.ValueOf(New(objects)).Elem(), 0, false)
	w.flush()
	return w.err
}

// writer writes the types of a stack, each field under the name that it has in
// JSON and in the order of its type.
type writer struct {
	to     io.Writer
	out    []byte // what is not yet written
	fields map[reflect.Type][]field
	err    error // the first one
}

// field is a field of a struct that is written.
type field struct {
	key       string // as a scalar
	index     int
	omitEmpty bool
}

func (w *writer) flush() {
	if w.err == nil {
		_, w.err = w.to.Write(w.out)
	}
	w.out = w.out[:0]
}

func (w *writer) put(texts ...string) {
	for _, text := range texts {
		w.out = append(w.out, text...)
	}
}

// value writes a value that follows "key:", or "-" when it is in a list.
func (w *writer) value(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			w.put(" null\n")
			return
		}
		w.value(v.Elem(), depth)
	case reflect.Struct, reflect.Map:
		if v.Kind() == reflect.Map && v.Len() == 0 {
			w.put(" {}\n")
			return
		}
		w.put("\n")
		w.object(v, depth+1, false)
	case reflect.Slice:
		w.put("\n")
		w.list(v, depth)
	case reflect.String:
		w.text(v.String(), depth+1)
	case reflect.Uint32:
		w.put(fmt.Sprintf(" 0%03o\n", v.Uint())) // the one such type is Mode
	case reflect.Int, reflect.Int64:
		w.put(" ", strconv.FormatInt(v.Int(), 10), "\n")
	case reflect.Bool:
		w.put(" ", strconv.FormatBool(v.Bool()), "\n")
	default:
		w.err = cmp.Or(w.err, fmt.Errorf("a stack holds no %s", v.Type()))
	}
}

// object writes the members of an object; the first is on the line of a "-".
func (w *writer) object(v reflect.Value, depth int, inList bool) {
	if v.Kind() == reflect.Struct {
		w.members(v, depth, inList)
	} else if texts, ok := v.Interface().(map[string]string); ok { // as most maps are
		for _, key := range targets.Keys(texts) {
			w.indent(depth)
			w.put(scalar(key), ":")
			w.text(texts[key], depth+1)
		}
	} else {
		w.entries(v, depth)
	}
}

func (w *writer) entries(v reflect.Value, depth int) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		w.indent(depth)
		w.put(scalar(key.String()), ":")
		w.value(v.MapIndex(key), depth)
		if len(w.out) >= chunk {
			w.flush()
		}
	}
}

func (w *writer) members(v reflect.Value, depth int, inList bool) {
	for _, f := range w.fieldsOf(v.Type()) {
		value := v.Field(f.index)
		if f.omitEmpty && empty(value) {
			continue
		}
		if !inList {
			w.indent(depth)
		}
		inList = false
		w.put(f.key, ":")
		w.value(value, depth)
	}
}

func (w *writer) fieldsOf(t reflect.Type) []field {
	fields, known := w.fields[t]
	if known {
		return fields
	}
	for i := range t.NumField() {
		if key, option, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); key != "-" {
			fields = append(fields, field{scalar(key), i, option == "omitempty"})
		}
	}
	w.fields[t] = fields
	return fields
}

// empty is what encoding/json leaves out.
func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Map || v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}

func (w *writer) list(v reflect.Value, depth int) {
	for i := range v.Len() {
		w.indent(depth)
		w.put("-")
		if item := v.Index(i); item.Kind() == reflect.Struct {
			w.put(" ")
			w.object(item, depth+1, true)
		} else {
			w.value(item, depth)
		}
	}
}

func (w *writer) indent(depth int) {
	for range depth {
		w.put("  ")
	}
}

// text writes a string: as lines where it has several and YAML can hold them so.
func (w *writer) text(s string, depth int) {
	s = strings.ReplaceAll(s, "$", "$$")
	if !block(s) {
		w.put(" ", scalar(s), "\n")
		return
	}
	w.put(" |\n")
	for line := range strings.Lines(s) {
		if line != "\n" {
			w.indent(depth)
		}
		w.put(line)
	}
}
