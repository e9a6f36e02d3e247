// Package yamlwriter writes values as YAML, as their JSON would be, in the style of
// sigs.k8s.io/yaml. It exists because that takes ten times as long: it reads what
// it writes once more, as JSON.
package yamlwriter

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Style says what is a target's own. Scalar and Lines are needed.
type Style struct {
	// Scalar is how a string is written on one line.
	Scalar func(string) string
	// Lines reports whether YAML can hold a string line by line, and is to. It has to
	// have lines, must not begin with a space, and ends with one newline at most.
	Lines func(string) bool
	// Text, if not nil, is what is written for a text that is no key.
	Text func(string) string
	// Own, if not nil, is plain data for a value whose type has a form of its own;
	// false leaves it to the type.
	Own func(any) (any, bool)
	// Declared leaves the fields of structs in their order; else they are sorted.
	Declared bool
	// Void are members that say nothing when they are null or have no members: they
	// are left out then. The outermost object has no member of the name Never.
	Void  map[string]bool
	Never string
}

// Writer writes one document after the other. After an error it writes nothing of
// use any more.
type Writer struct {
	// Out is what is written and not yet handed on; the caller may take it away.
	Out    []byte
	to     io.Writer // nil for nobody
	style  Style
	shapes map[reflect.Type]*shape
	keys   []string // of the map of texts that is being written
	err    error    // the first one
}

// chunk is how much text is gathered before it is handed on.
const chunk = 64 << 10

// New returns a writer without documents. It hands on what it writes in parts; to
// is nil for a writer whose Out has all of it.
func New(to io.Writer, style Style) *Writer {
	return &Writer{to: to, style: style, shapes: map[reflect.Type]*shape{}}
}

// Document adds a map or struct as one document.
func (w *Writer) Document(object any) error {
	if v := w.resolve(reflect.ValueOf(object)); isObject(v) {
		w.object(v, 0, "")
	} else {
		w.fail(fmt.Errorf("%T is no object", object))
	}
	w.handOn(chunk)
	return w.err
}

// Whole is [Writer.Document] for an object that is written with all its members, whatever the
// style says of those that say nothing.
func (w *Writer) Whole(object any) error {
	style := w.style
	w.style.Void, w.style.Never = nil, ""
	err := w.Document(object)
	w.style = style
	return err
}

// Flush hands on what is left.
func (w *Writer) Flush() error {
	w.handOn(1)
	return w.err
}

// handOn does so with what is at least so long.
func (w *Writer) handOn(least int) {
	if w.to == nil || w.err != nil || len(w.Out) < least {
		return
	}
	_, w.err = w.to.Write(w.Out)
	w.Out = w.Out[:0]
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// object writes the members of a map or struct, after what leads to them: the
// first stands on the line of that if it is a space, behind the dash of a list.
// It reports whether there are any.
func (w *Writer) object(v reflect.Value, depth int, lead string) bool {
	o := members{Writer: w, depth: depth, lead: lead}
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
// It reports whether that is more than null or an empty object. The value is
// resolved.
func (w *Writer) value(v reflect.Value, depth int) bool {
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
		w.Out = append(strconv.AppendInt(append(w.Out, ' '), v.Int(), 10), '\n')
	}
	return true
}

func (w *Writer) list(items reflect.Value, depth int) {
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

func (w *Writer) put(texts ...string) {
	for _, text := range texts {
		w.Out = append(w.Out, text...)
	}
}

func (w *Writer) indent(depth int) {
	for range depth {
		w.Out = append(w.Out, "  "...)
	}
}

// text writes a string: line by line where it has several and YAML can hold
// them so.
func (w *Writer) text(s string, depth int) {
	if w.style.Text != nil {
		s = w.style.Text(s)
	}
	if !w.style.Lines(s) {
		w.put(" ", w.style.Scalar(s), "\n")
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
