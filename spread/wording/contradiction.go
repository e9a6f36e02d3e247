package wording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
)

// excludeEachOther is what is said of two values, where it is not a value and a type.
const excludeEachOther = "which exclude each other"

// SaysTwoValues reports whether a message says that two values exclude each other. Of a value and a type, a
// message says what the type takes.
func SaysTwoValues(message string) bool { return strings.Contains(message, excludeEachOther) }

// contradiction words values that exclude each other: of two, both; of an
// enumeration, what was found and what is allowed.
func contradiction(errs []errors.Error, root cue.Value) *diag.Diagnostic {
	var pairs [][2]string
	for _, e := range errs {
		if a, b, ok := excluding(e); ok {
			pairs = append(pairs, [2]string{oneLineOf(a), oneLineOf(b)})
		} else if found, bound, ok := outOfBound(e); ok {
			return located(root, diag.Conflict, errs, "%s is %s; it takes a value %s", modelPath(e.Path()), text(found), text(bound))
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	path := modelPath(errs[0].Path())
	if len(pairs) == 1 {
		if i, takes, ok := wantedOf(pairs[0]); ok {
			return located(root, diag.Conflict, errs, "%s is %s; it takes %s%s", path, Short(pairs[0][1-i]), takes, remedy(fromcue.FieldPath(errs[0].Path()), pairs[0][1-i], pairs[0][i]))
		}
		if i := slices.IndexFunc(pairs[0][:], isList); i >= 0 && strings.HasPrefix(pairs[0][1-i], "{") && !isListType(pairs[0][i]) {
			if say := remedy(fromcue.FieldPath(errs[0].Path()), pairs[0][i], "{...}"); say != "" {
				return located(root, diag.Conflict, errs, "%s is %s; it takes a struct%s", path, Short(pairs[0][i]), say)
			}
		}
		say := ""
		if filter.Any(pairs[0][:], isListType) {
			say = remedyOf(fromcue.FieldPath(errs[0].Path()), pairs[0][0], pairs[0][1:])
		}
		return located(root, diag.Conflict, errs, "%s is given as %s and as %s, %s%s", path, Short(pairs[0][0]), Short(pairs[0][1]), excludeEachOther, say)
	}
	found := common(pairs)
	var allowed []string
	for _, p := range pairs {
		for _, x := range p {
			if x != found && !filter.Contains(allowed, x) {
				allowed = append(allowed, x)
			}
		}
	}
	return located(root, diag.Conflict, errs, "%s is %s; it takes %s%s", path, Short(found), anyOf(found, allowed), remedyOf(fromcue.FieldPath(errs[0].Path()), found, allowed))
}

// wantedOf is which of two values that exclude each other is the one that is asked for,
// in plain words: a struct of the model's, with fields that may be absent, then a type,
// then any struct beside what is none.
func wantedOf(pair [2]string) (i int, takes string, ok bool) {
	var structs [2]bool
	var fields [2][]string
	for i := range pair {
		fields[i], structs[i] = structFields(pair[i])
	}
	for i, wanted := range pair {
		if structs[i] && !structs[1-i] && strings.Contains(wanted, "?:") && !strings.Contains(wanted, "#") {
			return i, structWith(fields[i]), true
		}
	}
	for i, wanted := range pair {
		if takes, ok := typeWords[wanted]; ok {
			return i, takes, true
		}
	}
	for i := range pair {
		if structs[i] && !structs[1-i] && !isList(pair[i]) {
			return i, structWith(fields[i]), true
		}
	}
	return 0, "", false
}

func isList(text string) bool { return strings.HasPrefix(text, "[") }

// isListType reports whether a list is a type.
func isListType(text string) bool {
	return isList(text) && (strings.Contains(text, "...") || strings.Contains(text, "uint"))
}

// remedyOf is the first remedy for one of the values that are allowed.
func remedyOf(path []string, found string, allowed []string) string {
	for _, wanted := range allowed {
		if say := remedy(path, found, wanted); say != "" {
			return say
		}
	}
	return ""
}

// anyOf says which values are allowed. A type makes the values beside it, which
// are its defaults, needless.
func anyOf(found string, allowed []string) string {
	var types, values, words []string
	for _, x := range allowed {
		if word, ok := typeWords[x]; ok {
			types = append(types, word)
			continue
		}
		values = append(values, x)
		if plain, err := strconv.Unquote(x); err == nil {
			words = append(words, plain)
		}
	}
	if len(types) > 0 && len(words) == 0 {
		return strings.Join(types, " or ")
	}
	out := "one of " + strings.Join(append(values, types...), ", ")
	if plain, err := strconv.Unquote(found); err == nil {
		if near, ok := meantValue(plain, words); ok {
			out += fmt.Sprintf("; did you mean %q?", near)
		}
	}
	return out
}

// structWith is a struct with fields in plain words; kind is one that the model
// sets itself.
func structWith(fields []string) string {
	fields = filter.Out(fields, func(name string) bool { return name == "kind" })
	if len(fields) == 0 {
		return "a struct"
	}
	return "a struct with " + strings.Join(fields, ", ")
}

// structFields are the fields of a struct as CUE prints a type, false for
// anything else.
func structFields(text string) ([]string, bool) {
	x, err := parser.ParseExpr("", text)
	lit, ok := x.(*ast.StructLit)
	if err != nil || !ok {
		return nil, false
	}
	var out []string
	for _, e := range lit.Elts {
		if f, ok := e.(*ast.Field); ok {
			if _, pattern := f.Label.(*ast.ListLit); !pattern {
				out = append(out, syntax.LabelName(f.Label))
			}
		}
	}
	return out, true
}

// typeWords are CUE's names of types in plain words.
var typeWords = map[string]string{
	"string": "a string", "int": "a whole number", "uint": "a whole number >=0", "number": "a number", "bool": "true or false",
	"float": "a decimal number", "uint16": "a whole number >=0 and <=65535", "uint32": "a whole number >=0", "[...string]": "a list of strings", "[...]": "a list", "{...}": "a struct",
}

// common is the value that takes part in every pair.
func common(pairs [][2]string) string {
	for _, candidate := range pairs[0] {
		if !filter.Any(pairs, func(p [2]string) bool { return p[0] != candidate && p[1] != candidate }) {
			return candidate
		}
	}
	return pairs[0][1]
}
