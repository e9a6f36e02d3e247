package solution

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"kumiki.dev/diag"
)

// MaxSize is how large a solution file may be, in bytes.
const MaxSize = 64 << 20

// Read reads a solution file, of ours or of the vendor's tools, and checks it
// with [Verify]. The name is for the positions of problems. The solution is nil
// if any of the problems is an error.
func Read(data []byte, name string) (*Solution, diag.List) {
	file := diag.NewFile(name, data)
	fail := func(at int, format string, args ...any) (*Solution, diag.List) {
		return nil, diag.List{diag.New(diag.BadSolution, file.Pos(at), format, args...)}
	}
	if len(data) > MaxSize {
		return fail(0, "the file has %d bytes: a solution has %d at most", len(data), MaxSize)
	}
	if at := invalidUTF8(data); at >= 0 {
		return fail(at, "byte 0x%02x is not text in UTF-8", data[at])
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return fail(0, "the file is empty: a solution is an object in JSON")
	}
	if problems := newShape(data, file).check(reflect.TypeFor[Solution]()); len(problems) > 0 {
		if cspec, ok := claimed(data); ok && cspec != Cspec {
			// Every other complaint may follow from the version.
			problems = Verify(&Solution{Cspec: cspec})
			place(problems, data, file)
		}
		return nil, problems
	}
	s := &Solution{}
	if err := strict(data, s); err != nil {
		return fail(0, "the file is no solution: %v", err)
	}
	problems := Verify(s)
	if len(problems) > 0 {
		place(problems, data, file)
	}
	if problems.HasErrors() {
		return nil, problems
	}
	return s, problems
}

// invalidUTF8 is where data stops being UTF-8, -1 if it does not.
func invalidUTF8(data []byte) int {
	for at := 0; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return -1
}

// claimed is the version of the format that the file says it has; false if it
// does not say, or is no JSON.
func claimed(data []byte) (string, bool) {
	var members map[string]json.RawMessage
	var cspec *string
	ok := json.Unmarshal(data, &members) == nil && json.Unmarshal(members["cspec"], &cspec) == nil && cspec != nil
	if !ok {
		return "", false
	}
	return *cspec, true
}

// place gives each problem the place of the innermost value on its path that
// the file has.
func place(problems diag.List, data []byte, file *diag.File) {
	places := map[string]diag.Pos{}
	for _, d := range problems {
		for i := range len(d.At) + 1 {
			places[strings.Join(d.At[:i], "\x00")] = diag.NoPos
		}
	}
	walk := newShape(data, file)
	walk.visit = func(path []string, pos diag.Pos) {
		key := strings.Join(path, "\x00")
		if _, wanted := places[key]; wanted {
			places[key] = pos
		}
	}
	walk.check(nil)
	for _, d := range problems {
		for i := range len(d.At) + 1 {
			if pos := places[strings.Join(d.At[:i], "\x00")]; pos.IsValid() {
				d.Pos = pos
			}
		}
	}
}

// dotted writes a path down: deployments."shop.in".artifact.
func dotted(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = quoted(p)
	}
	return strings.Join(parts, ".")
}

// quoted puts a name in quotes unless it is a plain word.
func quoted(name string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if name != "" && strings.TrimLeftFunc(name, plain) == "" {
		return name
	}
	return strconv.Quote(name)
}
