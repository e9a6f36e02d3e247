package kubernetes

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// writer writes values as YAML, as their JSON would be, in the style of
// sigs.k8s.io/yaml. It exists because that takes ten times as long: it reads what
// it writes once more, as JSON.
type writer struct {
	out     []byte
	scalars map[string]string // how strings are written that took long to find out
	shapes  map[reflect.Type]*shape
	keys    []string // of the map of texts that is being written
	err     error    // the first one
}

func newWriter() *writer {
	return &writer{scalars: map[string]string{}, shapes: map[reflect.Type]*shape{}}
}

// document adds a map or struct as one document. Fields that say nothing are left
// out, and the status, which is the cluster's to say.
func (w *writer) document(object any) error {
	if v := w.resolve(reflect.ValueOf(object)); isObject(v) {
		w.object(v, 0, "")
	} else {
		w.fail(fmt.Errorf("%T is no object", object))
	}
	return w.err
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// object writes the members of a map or struct, after what leads to them: the
// first stands on the line of that if it is a space, behind the dash of a list.
// It tells whether there are any.
func (w *writer) object(v reflect.Value, depth int, lead string) bool {
	o := members{writer: w, depth: depth, lead: lead}
	if v.Kind() == reflect.Map {
		o.ofMap(v)
	} else {
		o.ofStruct(v)
	}
	if !o.any {
		w.put(" {}\n")
	}
	return o.any
}

// value writes what follows a key or a dash, up to the end of the line at least.
// It tells whether that is more than null or an empty object. The value is
// resolved.
func (w *writer) value(v reflect.Value, depth int) bool {
	switch v.Kind() {
	case reflect.Invalid:
		w.put(" null\n")
		return false
	case reflect.Struct, reflect.Map:
		return w.object(v, depth+1, "\n")
	case reflect.Slice:
		w.list(v, depth)
	case reflect.String:
		if v.Type() == numberType {
			w.put(" ", v.String(), "\n")
		} else {
			w.text(v.String(), depth)
		}
	case reflect.Bool:
		w.put(" ", strconv.FormatBool(v.Bool()), "\n")
	default: // resolved values have no other kinds than those of integers
		w.out = append(strconv.AppendInt(append(w.out, ' '), v.Int(), 10), '\n')
	}
	return true
}

func (w *writer) list(items reflect.Value, depth int) {
	if items.Len() == 0 {
		w.put(" []\n")
		return
	}
	w.put("\n")
	for i := range items.Len() {
		v := w.resolve(items.Index(i))
		w.indent(depth)
		w.put("-")
		switch {
		case isObject(v):
			w.object(v, depth+1, " ")
		case v.Kind() == reflect.Slice:
			w.value(v, depth+1)
		default:
			w.value(v, depth)
		}
	}
}

func (w *writer) put(texts ...string) {
	for _, text := range texts {
		w.out = append(w.out, text...)
	}
}

func (w *writer) indent(depth int) {
	for range depth {
		w.out = append(w.out, "  "...)
	}
}

// text writes a string: line by line where it has several and YAML can hold
// them so.
func (w *writer) text(s string, depth int) {
	if !lineByLine(s) {
		w.put(" ", w.scalar(s), "\n")
		return
	}
	rest, whole := strings.CutSuffix(s, "\n")
	if whole {
		w.put(" |\n")
	} else {
		w.put(" |-\n")
	}
	for more := true; more; {
		var line string
		if line, rest, more = strings.Cut(rest, "\n"); line != "" {
			w.indent(depth + 1)
		}
		w.put(line, "\n")
	}
}

// lineByLine tells whether a string has lines, does not begin with a space, ends
// with one newline at most, and has printable characters only.
func lineByLine(s string) bool {
	return strings.Contains(s, "\n") && !strings.HasSuffix(s, "\n\n") && !strings.ContainsAny(s[:1], " \t\n") && printable(s)
}

func printable(s string) bool {
	for _, r := range s {
		switch {
		case ' ' <= r && r <= '~' || r == '\n' || r == '\t':
		case r < utf8.RuneSelf || r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return false
		}
	}
	return true
}
