package wording

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Translate words CUE's errors about an artifact or deployment, one diagnostic
// a path: the dozens of lines that an enumeration makes are one mistake. What
// the model has no words for is passed on as CUE has it.
func Translate(err error, root cue.Value) diag.List {
	var order []string
	groups := map[string][]errors.Error{}
	out, errs := closedToModel(errors.Errors(err), root)
	for _, e := range errs {
		e = Topmost(e, root)
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
		if IsRefusal(e) {
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
		d.Message = fromcue.WithoutLevels(d.Message) + remedyOfCUE(d.Message)
		d.Related = slices.DeleteFunc(d.Related, func(r diag.Related) bool { return r.Pos.Filename() == fromcue.LevelFile })
	}
	return out
}

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
		if slices.ContainsFunc(pairs[0][:], isListType) {
			say = remedyOf(fromcue.FieldPath(errs[0].Path()), pairs[0][0], pairs[0][1:])
		}
		return located(root, diag.Conflict, errs, "%s is given as %s and as %s, which exclude each other%s", path, Short(pairs[0][0]), Short(pairs[0][1]), say)
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
		pos = NearestPos(root, fromcue.FieldPath(errs[0].Path()))
	}
	if p := fromcue.ValuePos(fromcue.Lookup(root, fromcue.FieldPath(errs[0].Path()))); slices.Contains(own, p) {
		pos = p // where the value itself is written
	}
	d := diag.New(code, pos, format, args...)
	d.Cause = fromcue.Detached(join(errs))
	d.AtPath(fromcue.FieldPath(errs[0].Path())...)
	for _, p := range own {
		if p != pos {
			d.With(p, "and here")
		}
	}
	return d
}

// NearestPos is where the value at path is written, or else what lies above it:
// some errors of CUE's, about cycles for one, say no place.
func NearestPos(root cue.Value, path []string) diag.Pos {
	for n := len(path); n > 0; n-- {
		if p := fromcue.WrittenPos(fromcue.Lookup(root, path[:n])); p.IsValid() && !value.IsModel(p) {
			return p
		}
	}
	return diag.NoPos
}

// Related adds every place where v was declared, other than the diagnostic's.
func Related(d *diag.Diagnostic, v cue.Value) *diag.Diagnostic {
	places := fromcue.ValuePositions(v)
	written := slices.DeleteFunc(slices.Clone(places), value.IsModel)
	if len(written) > 0 {
		places = written
	}
	line := func(p diag.Pos) string { return fmt.Sprint(p.Filename(), ":", p.Line()) }
	seen := map[string]bool{line(d.Pos): true}
	for _, p := range places {
		if !seen[line(p)] && !value.IsStandIn(p) { // one place a line is enough to find it
			d.With(p, "declared here")
		}
		seen[line(p)] = true
	}
	return d
}

// join makes one error of several.
func join(errs []errors.Error) errors.Error {
	var out errors.Error
	for _, e := range errs {
		out = errors.Append(out, e)
	}
	return out
}

// GivenFirst puts the place of a value that was given before those of what it
// contradicts: that is where it can be mended.
func GivenFirst(d *diag.Diagnostic, given map[diag.Pos]value.Origin) {
	if _, ok := given[d.Pos]; ok {
		return
	}
	for i, place := range d.Related {
		if _, ok := given[place.Pos]; ok {
			d.Related = slices.Insert(slices.Delete(d.Related, i, i+1), 0, diag.Related{Pos: d.Pos, Message: place.Message})
			d.Pos = place.Pos
			return
		}
	}
}

// Path writes a path as CUE does: config.parameter.hosts[1].name.
func Path(path []string) string {
	var b strings.Builder
	for i, name := range path {
		if _, ok := value.Index(name); ok {
			b.WriteString(name)
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(label(name))
	}
	return b.String()
}

// label quotes a field name where CUE needs that.
func label(name string) string {
	return cue.MakePath(cue.Str(name)).String()
}

// modelPath names the field at the path of one of CUE's errors. That of an artifact as a whole has no names but the
// definition's.
func modelPath(path []string) string {
	switch p := Path(fromcue.FieldPath(fromcue.Elements(path))); {
	case p != "":
		return p
	case len(path) > 0 && path[0] == "#Deployment":
		return "the deployment"
	}
	return "the artifact"
}

// Short is a text of at most 60 characters: the end of a longer one is left out.
func Short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "…"
	}
	return s
}

// OneLine writes an expression of the sources on one line, in short.
func OneLine(x ast.Expr) string {
	b, err := format.Node(x)
	if err != nil {
		return ""
	}
	return Short(strings.Join(strings.Fields(string(b)), " "))
}

// text writes an argument of CUE's messages on one line, in short.
func text(arg any) string { return Short(oneLineOf(arg)) }

// oneLineOf writes an argument of CUE's messages on one line.
func oneLineOf(arg any) string {
	return standInName().ReplaceAllString(strings.Join(strings.Fields(fmt.Sprint(arg)), " "), "_")
}

// standInName is what stands for a name that nothing has.
var standInName = lazyregexp.New(fromcue.StandInName + `[0-9]+\([^()]*\)`)
