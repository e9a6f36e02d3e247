package spread

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// translate words CUE's errors about an artifact or deployment, one diagnostic
// a path: the dozens of lines that an enumeration makes are one mistake. What
// the model has no words for is passed on as CUE has it.
func translate(err error, root cue.Value) diag.List {
	var order []string
	groups := map[string][]errors.Error{}
	out, errs := closedToModel(errors.Errors(err), root)
	for _, e := range errs {
		e = topmost(e, root)
		key := strings.Join(e.Path(), "\x00")
		if _, ok := groups[key]; !ok {
			order = append(order, key)
		}
		groups[key] = append(groups[key], e)
	}
	for _, key := range order {
		g := groups[key]
		if slices.ContainsFunc(g, func(e errors.Error) bool { return slices.ContainsFunc(fromcue.Positions(e), value.IsStandIn) }) {
			continue
		}
		out = append(out, group(g, root)...)
	}
	return out
}

// group words the errors of one path.
func group(errs []errors.Error, root cue.Value) diag.List {
	for _, e := range errs {
		if isRefusal(e) {
			return diag.List{unknownField(e, root)}
		}
		if name, ok := undefinedField(e); ok {
			return diag.List{located(root, diag.UnknownReference, errs, "%s refers to field %s, which is not there", modelPath(e.Path()), name)}
		}
		if name, ok := optionalField(e); ok {
			return diag.List{located(root, diag.UnknownReference, errs, "%s refers to field %s, which is optional and not given; ask for it first, if config.parameter.%s != _|_", modelPath(e.Path()), name, name)}
		}
		if name, ok := unknownName(e); ok {
			return diag.List{located(root, diag.UnknownReference, errs, "%q"+foundNowhere(name), name)}
		}
		if isEndless(e) {
			return diag.List{located(root, diag.Cycle, errs, "%s contains itself without end; a value is finite, so write out what it holds", modelPath(e.Path()))}
		}
	}
	if d := contradiction(errs, root); d != nil {
		return diag.List{d}
	}
	out := fromcue.Problems(diag.CUE, join(errs))
	for _, d := range out {
		d.Message = WithoutLevels(d.Message) + remedyOfCUE(d.Message)
		d.Related = slices.DeleteFunc(d.Related, func(r diag.Related) bool { return r.Pos.Filename() == fromcue.LevelFile })
	}
	return out
}

// WithoutLevels is a text without the names that CUE's paths in it begin with: the
// definition, or a level of it.
func WithoutLevels(text string) string { return levelNames().ReplaceAllString(text, "") }

var levelNames = lazyregexp.New(`(?:#Artifact|#Deployment|#Environment|#Policy|#Template|` + levelName + `_*[0-9]+)\.`)

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
			return located(root, diag.Conflict, errs, "%s is %s; it takes %s%s", path, short(pairs[0][1-i]), takes, remedy(inside(errs[0].Path()), pairs[0][1-i], pairs[0][i]))
		}
		if i := slices.IndexFunc(pairs[0][:], isList); i >= 0 && strings.HasPrefix(pairs[0][1-i], "{") && !isListType(pairs[0][i]) {
			if say := remedy(inside(errs[0].Path()), pairs[0][i], "{...}"); say != "" {
				return located(root, diag.Conflict, errs, "%s is %s; it takes a struct%s", path, short(pairs[0][i]), say)
			}
		}
		say := ""
		if slices.ContainsFunc(pairs[0][:], isListType) {
			say = remedyOf(inside(errs[0].Path()), pairs[0][0], pairs[0][1:])
		}
		return located(root, diag.Conflict, errs, "%s is given as %s and as %s, which exclude each other%s", path, short(pairs[0][0]), short(pairs[0][1]), say)
	}
	found := common(pairs)
	var allowed []string
	for _, p := range pairs {
		for _, x := range p {
			if x != found && !slices.Contains(allowed, x) {
				allowed = append(allowed, x)
			}
		}
	}
	return located(root, diag.Conflict, errs, "%s is %s; it takes %s%s", path, short(found), anyOf(found, allowed), remedyOf(inside(errs[0].Path()), found, allowed))
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
	fields = slices.DeleteFunc(fields, func(name string) bool { return name == "kind" })
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
		if !slices.ContainsFunc(pairs, func(p [2]string) bool { return p[0] != candidate && p[1] != candidate }) {
			return candidate
		}
	}
	return pairs[0][1]
}

// located makes a diagnostic at the first of the errors' positions that a
// reader can edit, with the others as related places.
func located(root cue.Value, code diag.Code, errs []errors.Error, format string, args ...any) *diag.Diagnostic {
	var own, model []diag.Pos
	for _, e := range errs {
		for _, p := range fromcue.Positions(e) {
			switch {
			case value.IsModel(p):
				model = append(model, p)
			case p.IsValid() && !slices.Contains(own, p):
				own = append(own, p)
			}
		}
	}
	pos := cmp.Or(append(own, model...)...)
	if !pos.IsValid() {
		pos = nearestPos(root, inside(errs[0].Path()))
	}
	if p := posOf(Lookup(root, inside(errs[0].Path()))); slices.Contains(own, p) {
		pos = p // where the value itself is written
	}
	d := diag.New(code, pos, format, args...)
	d.Cause = fromcue.Detached(join(errs))
	d.AtPath(inside(errs[0].Path())...)
	for _, p := range own {
		if p != pos {
			d.With(p, "and here")
		}
	}
	return d
}

// nearestPos is where the value at path is written, or else what lies above it:
// some errors of CUE's, about cycles for one, say no place.
func nearestPos(root cue.Value, path []string) diag.Pos {
	for n := len(path); n > 0; n-- {
		if p := writtenPos(Lookup(root, path[:n])); p.IsValid() && !value.IsModel(p) {
			return p
		}
	}
	return diag.NoPos
}

func join(errs []errors.Error) errors.Error {
	var out errors.Error
	for _, e := range errs {
		out = errors.Append(out, e)
	}
	return out
}

// inside is a path as CUE's errors have it, without the definition that it
// starts in and without the quotes around names.
func inside(path []string) []string {
	if isLevel(path) || len(path) > 0 && strings.HasPrefix(path[0], "#") {
		path = path[1:]
	}
	var out []string
	for _, name := range path {
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
		out = append(out, name)
	}
	return out
}

// elements is a path of CUE's in which numbers of elements are in brackets.
func elements(path []string) []string {
	out := slices.Clone(path)
	for i, name := range path {
		if _, err := strconv.Atoi(name); err == nil {
			out[i] = "[" + name + "]"
		}
	}
	return out
}

// modelPath names the field at the path of one of CUE's errors. That of an artifact as a whole has no names but the
// definition's.
func modelPath(path []string) string {
	switch p := joined(inside(elements(path))); {
	case p != "":
		return p
	case len(path) > 0 && path[0] == "#Deployment":
		return "the deployment"
	}
	return "the artifact"
}

// text writes an argument of CUE's messages on one line, in short.
func text(arg any) string { return short(oneLineOf(arg)) }

func oneLineOf(arg any) string {
	return standInName().ReplaceAllString(strings.Join(strings.Fields(fmt.Sprint(arg)), " "), "_")
}

// standInName is what stands for a name that nothing has.
var standInName = lazyregexp.New(`_kumikiUnknown[0-9]+\([^()]*\)`)
