package kubernetes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"
)

// writer writes plain data as YAML, in the style of sigs.k8s.io/yaml, which
// decides how a string is quoted. It exists because that takes ten times as
// long: it reads what it writes once more, as JSON.
type writer struct {
	out     bytes.Buffer
	scalars map[string]string // how strings are written that have been asked for
	keys    []string          // of the maps that are being written, innermost last
}

// document writes a map as one document.
func (w *writer) document(members map[string]any) ([]byte, error) {
	w.out.Reset()
	if err := w.members(members, 0, false); err != nil {
		return nil, err
	}
	return bytes.Clone(w.out.Bytes()), nil
}

// members writes those of a map, the first of them on the line where it begins
// if that line holds the dash of a list already.
func (w *writer) members(members map[string]any, depth int, begun bool) error {
	from := len(w.keys) // those before are of the maps around this one
	w.keys = slices.AppendSeq(w.keys, maps.Keys(members))
	slices.Sort(w.keys[from:])
	defer func() { w.keys = w.keys[:from] }()
	for i := range len(members) {
		key := w.keys[from+i]
		if !begun {
			w.indent(depth)
		}
		begun = false
		text, err := w.scalar(key)
		if err != nil {
			return err
		}
		w.out.WriteString(text)
		w.out.WriteByte(':')
		if err := w.value(members[key], depth); err != nil {
			return err
		}
	}
	return nil
}

// value writes what follows a key or a dash, up to the end of the line at least.
func (w *writer) value(value any, depth int) error {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			w.out.WriteString(" {}\n")
			return nil
		}
		w.out.WriteByte('\n')
		return w.members(v, depth+1, false)
	case []any:
		if len(v) == 0 {
			w.out.WriteString(" []\n")
			return nil
		}
		w.out.WriteByte('\n')
		return w.list(v, depth)
	case string:
		return w.text(v, depth)
	case bool:
		w.out.WriteString(" " + strconv.FormatBool(v) + "\n")
	case json.Number:
		w.out.WriteString(" " + v.String() + "\n")
	case nil:
		w.out.WriteString(" null\n")
	default:
		return fmt.Errorf("%T is no plain data", value)
	}
	return nil
}

func (w *writer) list(items []any, depth int) error {
	for _, item := range items {
		w.indent(depth)
		w.out.WriteByte('-')
		var err error
		switch v := item.(type) {
		case map[string]any:
			if len(v) == 0 {
				err = w.value(v, depth)
				break
			}
			w.out.WriteByte(' ')
			err = w.members(v, depth+1, true)
		case []any:
			err = w.value(v, depth+1)
		default:
			err = w.value(v, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) indent(depth int) {
	for range depth {
		w.out.WriteString("  ")
	}
}

// text writes a string: line by line where it has several and YAML can hold
// them so.
func (w *writer) text(s string, depth int) error {
	if !lineByLine(s) {
		text, err := w.scalar(s)
		w.out.WriteByte(' ')
		w.out.WriteString(text)
		w.out.WriteByte('\n')
		return err
	}
	ends := map[bool]string{true: " |\n", false: " |-\n"}[strings.HasSuffix(s, "\n")]
	w.out.WriteString(ends)
	for line := range strings.Lines(strings.TrimSuffix(s, "\n") + "\n") {
		if line != "\n" {
			w.indent(depth + 1)
		}
		w.out.WriteString(line)
	}
	return nil
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
func (w *writer) scalar(s string) (string, error) {
	if len(s) > maxWord && plainWord(s) {
		return s, nil
	}
	if known, ok := w.scalars[s]; ok {
		return known, nil
	}
	text := quoted(s)
	if printable(s) && s != "<<" { // which would merge maps, as a key
		data, err := yaml.Marshal(s)
		if err != nil {
			return "", err
		}
		// What would go over several lines depends on where it stands.
		if line := strings.TrimSuffix(string(data), "\n"); !strings.Contains(line, "\n") {
			text = line
		}
	}
	w.scalars[s] = text
	return text, nil
}

// plainWord tells whether a string begins with a letter and consists of what
// never means anything in YAML.
func plainWord(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if ('a' > c || c > 'z') && (i == 0 || (s[i] < '0' || s[i] > '9') && s[i] != '.' && s[i] != '-' && s[i] != '/') {
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
