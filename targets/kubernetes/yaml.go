package kubernetes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"
)

// writer writes values as YAML, as their JSON would be, in the style of
// sigs.k8s.io/yaml, which decides how a string is quoted. It exists because that
// takes ten times as long: it reads what it writes once more, as JSON.
type writer struct {
	out     bytes.Buffer
	scalars map[string]string // how strings are written that have been asked for
	members []member          // of the maps that are being written, innermost last
	err     error             // the first one
}

func newWriter() *writer { return &writer{scalars: map[string]string{}} }

// document adds a map or struct as one document. Fields that say nothing are left
// out, and the status, which is the cluster's to say.
func (w *writer) document(object any) error {
	if v := w.resolve(reflect.ValueOf(object)); isObject(v) {
		w.object(v, 0, "")
	} else if w.err == nil {
		w.err = fmt.Errorf("%T is no object", object)
	}
	return w.err
}

// object writes the members of a map or struct, after what leads to them: the
// first stands on the line of that if it is a space, behind the dash of a list.
func (w *writer) object(v reflect.Value, depth int, lead string) {
	from := len(w.members) // those before are of the maps around this one
	w.collect(v)
	if from == len(w.members) {
		w.out.WriteString(" {}\n")
		return
	}
	w.out.WriteString(lead)
	for i := from; i < len(w.members); i++ {
		m := w.members[i]
		if depth == 0 && m.key == "status" {
			continue
		}
		if i > from || lead != " " {
			w.indent(depth)
		}
		w.out.WriteString(w.scalar(m.key))
		w.out.WriteByte(':')
		w.value(m.value, depth)
	}
	w.members = w.members[:from]
}

// value writes what follows a key or a dash, up to the end of the line at least.
func (w *writer) value(v reflect.Value, depth int) {
	switch {
	case !v.IsValid():
		w.out.WriteString(" null\n")
	case isObject(v):
		w.object(v, depth+1, "\n")
	case v.Kind() == reflect.Slice:
		w.list(v, depth)
	case v.Type() == numberType:
		w.out.WriteString(" " + v.String() + "\n")
	case v.Kind() == reflect.String:
		w.text(v.String(), depth)
	case v.Kind() == reflect.Bool:
		w.out.WriteString(" " + strconv.FormatBool(v.Bool()) + "\n")
	case v.CanInt():
		w.out.WriteString(" " + strconv.FormatInt(v.Int(), 10) + "\n")
	default:
		w.err = fmt.Errorf("%s is no plain data", v.Type())
	}
}

func (w *writer) list(items reflect.Value, depth int) {
	if items.Len() == 0 {
		w.out.WriteString(" []\n")
		return
	}
	w.out.WriteByte('\n')
	for i := range items.Len() {
		v := w.resolve(items.Index(i))
		w.indent(depth)
		w.out.WriteByte('-')
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

func (w *writer) indent(depth int) {
	for range depth {
		w.out.WriteString("  ")
	}
}

// text writes a string: line by line where it has several and YAML can hold
// them so.
func (w *writer) text(s string, depth int) {
	if !lineByLine(s) {
		w.out.WriteByte(' ')
		w.out.WriteString(w.scalar(s))
		w.out.WriteByte('\n')
		return
	}
	ends := map[bool]string{true: " |\n", false: " |-\n"}[strings.HasSuffix(s, "\n")]
	w.out.WriteString(ends)
	for line := range strings.Lines(strings.TrimSuffix(s, "\n") + "\n") {
		if line != "\n" {
			w.indent(depth + 1)
		}
		w.out.WriteString(line)
	}
}

// lineByLine tells whether a string has lines, does not begin with a space, ends
// with one newline at most, and has printable characters only.
func lineByLine(s string) bool {
	return strings.Contains(s, "\n") && !strings.HasSuffix(s, "\n\n") && !strings.ContainsAny(s[:1], " \t\n") && printable(s)
}

func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '\n' && r != '\t' && (!unicode.IsPrint(r) || r == unicode.ReplacementChar)
	}) < 0
}

// maxWord is the length of the longest word that YAML takes for something else
// than a string, which is false.
const maxWord = 5

// scalar is a string on one line.
func (w *writer) scalar(s string) string {
	if len(s) > maxWord && plainWord(s) {
		return s
	}
	if known, ok := w.scalars[s]; ok {
		return known
	}
	text := quoted(s)
	if printable(s) && s != "<<" { // which would merge maps, as a key
		data, err := yaml.Marshal(s)
		if err != nil {
			w.err = err
		}
		// What would go over several lines depends on where it stands.
		if line := strings.TrimSuffix(string(data), "\n"); !strings.Contains(line, "\n") {
			text = line
		}
	}
	w.scalars[s] = text
	return text
}

// maxLine is how long a text of several words may be to stand on one line wherever
// it is.
const maxLine = 60

// plainWord tells whether a string begins with a letter and consists of what
// never means anything in YAML: of letters, digits, some punctuation, and single
// spaces between those.
func plainWord(s string) bool {
	for i := range len(s) {
		switch c := s[i] | 0x20; {
		case 'a' <= c && c <= 'z':
		case i == 0:
			return false
		case s[i] == ' ' && (len(s) > maxLine || i == len(s)-1 || s[i-1] == ' '):
			return false
		case s[i] != ' ' && s[i] != '.' && s[i] != '-' && s[i] != '/' && s[i] != '_' && (s[i] < '0' || s[i] > '9'):
			return false
		}
	}
	return true
}

// quoted is a string in double quotes, in ASCII, as JSON and YAML have it.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings always encode
	var out strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		switch {
		case r < 0x7f:
			out.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}
