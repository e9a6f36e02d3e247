package solution

import (
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/diag"
)

// MaxSize is how large a solution file may be, in bytes.
const MaxSize = 64 << 20

// Read reads a solution file, of ours or of the vendor's tools, and checks it
// with [Verify]. The name is for the positions of problems. The solution is nil
// if any of the problems is an error.
func Read(data []byte, name string) (*Solution, diag.List) {
	file := token.NewFile(name, -1, len(data))
	whole := func(format string, args ...any) (*Solution, diag.List) {
		return nil, diag.List{diag.New(diag.BadSolution, file.Pos(0, token.NoRelPos), format, args...)}
	}
	if len(data) > MaxSize {
		return whole("the file has %d bytes: a solution has %d at most", len(data), MaxSize)
	}
	file.SetLinesForContent(data)
	if !utf8.Valid(data) {
		return whole("the file is not text in UTF-8")
	}
	if problems := newShape(data, file).check(reflect.TypeFor[Solution]()); len(problems) > 0 {
		return nil, problems
	}
	s := &Solution{}
	if err := strict(data, s); err != nil {
		return whole("the file is no solution: %v", err)
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

// place gives each problem the place of the innermost value on its path that
// the file has.
func place(problems diag.List, data []byte, file *token.File) {
	places := map[string]token.Pos{}
	for _, d := range problems {
		for i := range len(d.At) + 1 {
			places[strings.Join(d.At[:i], "\x00")] = token.NoPos
		}
	}
	walk := newShape(data, file)
	walk.visit = func(path []string, pos token.Pos) {
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
