package swarm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/targets"
)

// Encode writes objects of [Lower] as one stack file, in YAML. Dollars are
// doubled, as docker stack deploy takes single ones for its own variables.
func Encode(to io.Writer, objects []targets.Object) error {
	var w writer
	w.object(reflect.ValueOf(New(objects)).Elem(), 0, false)
	if w.err == nil {
		_, w.err = to.Write(w.out.Bytes())
	}
	return w.err
}

// writer writes the types of a stack, each field under the name that it has in
// JSON and in the order of its type.
type writer struct {
	out bytes.Buffer
	err error
}

// value writes a value that follows "key:", or "-" when it is in a list.
func (w *writer) value(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			w.out.WriteString(" null\n")
			return
		}
		w.value(v.Elem(), depth)
	case reflect.Struct, reflect.Map:
		if v.Kind() == reflect.Map && v.Len() == 0 {
			w.out.WriteString(" {}\n")
			return
		}
		w.out.WriteByte('\n')
		w.object(v, depth+1, false)
	case reflect.Slice:
		w.out.WriteByte('\n')
		w.list(v, depth)
	case reflect.String:
		w.text(strings.ReplaceAll(v.String(), "$", "$$"), depth+1)
	case reflect.Uint32:
		fmt.Fprintf(&w.out, " 0%03o\n", v.Uint()) // the one such type is Mode
	case reflect.Int, reflect.Int64:
		w.out.WriteString(" " + strconv.FormatInt(v.Int(), 10) + "\n")
	case reflect.Bool:
		w.out.WriteString(" " + strconv.FormatBool(v.Bool()) + "\n")
	default:
		w.err = fmt.Errorf("a stack holds no %s", v.Type())
	}
}

// object writes the members of an object; the first is on the line of a "-".
func (w *writer) object(v reflect.Value, depth int, inList bool) {
	first := true
	member := func(key string, value reflect.Value) {
		if !first || !inList {
			w.indent(depth)
		}
		first = false
		w.out.WriteString(scalar(key) + ":")
		w.value(value, depth)
	}
	if v.Kind() == reflect.Map {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			member(key.String(), v.MapIndex(key))
		}
		return
	}
	for i := range v.NumField() {
		key, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if key != "-" && (option != "omitempty" || !empty(v.Field(i))) {
			member(key, v.Field(i))
		}
	}
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
		w.out.WriteByte('-')
		if item := v.Index(i); item.Kind() == reflect.Struct {
			w.out.WriteByte(' ')
			w.object(item, depth+1, true)
		} else {
			w.value(item, depth)
		}
	}
}

func (w *writer) indent(depth int) {
	for range depth {
		w.out.WriteString("  ")
	}
}

// text writes a string: as lines where it has several and YAML can hold them so.
func (w *writer) text(s string, depth int) {
	if !block(s) {
		w.out.WriteString(" " + scalar(s) + "\n")
		return
	}
	w.out.WriteString(" |\n")
	for line := range strings.Lines(s) {
		if line != "\n" {
			w.indent(depth)
		}
		w.out.WriteString(line)
	}
}

// block tells whether a string can be written line by line: it ends with
// exactly one newline, does not begin with a space, and has printable
// characters only.
func block(s string) bool {
	if strings.Count(s, "\n") < 2 || !strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\n\n") || strings.ContainsAny(s[:1], " \t\n") {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool { return (r < ' ' && r != '\n') || r > '~' }) < 0
}

// scalar is a string as YAML has it on one line: bare where nothing could take
// it for anything else.
func scalar(s string) string {
	if bare(s) {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings always encode
	return unseen.Replace(strings.TrimSuffix(b.String(), "\n"))
}

// unseen escapes characters that JSON takes as they are and YAML does not.
var unseen = func() *strings.Replacer {
	pairs := []string{"\ufeff", `\ufeff`}
	for r := rune(0x7f); r < 0xa0; r++ {
		pairs = append(pairs, string(r), fmt.Sprintf(`\u%04x`, r))
	}
	return strings.NewReplacer(pairs...)
}()

func bare(s string) bool {
	if s == "" || !letter(s[0]) && s[0] != '/' && s[0] != '.' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !letter(c) && (c < '0' || c > '9') && !strings.ContainsRune("._-/@", rune(c)) && (c != ':' || i+1 == len(s)) && (c != ' ' || i+1 == len(s)) {
			return false
		}
		if c == ':' && s[i+1] == ' ' {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null", ".", ".nan", ".inf":
		return false
	}
	return s[0] != '.' || strings.HasPrefix(s, "./")
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
