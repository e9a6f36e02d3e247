package wording

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// Refusal returns the error that CUE has for a field at a path that is not allowed: it leaves
// some out where something else is wrong.
func Refusal(path []string, pos token.Pos) errors.Error {
	return &refusedField{errors.Newf(pos, notAllowed), path, pos}
}

// IsRefused reports whether v is a field that a closed struct does not have.
func IsRefused(v cue.Value) bool {
	path := v.Path().Selectors()
	return filter.Any(errors.Errors(v.Validate()), func(e errors.Error) bool { return IsRefusal(e) && len(e.Path()) == len(path) })
}

// Topmost is the error about the outermost field that is not allowed: where other
// things are wrong as well, CUE names the fields in it.
func Topmost(e errors.Error, root cue.Value) errors.Error {
	path := e.Path()
	if !IsRefusal(e) {
		return e
	}
	skipped := len(path) - len(fromcue.FieldPath(path))
	for n := skipped; n < len(path)-1; n++ {
		around := fromcue.Lookup(root, fromcue.FieldPath(path[:n]))
		name := fromcue.FieldPath(path[:n+1])[n-skipped]
		if !around.Exists() || around.IncompleteKind()&cue.ListKind != 0 || around.Allows(cue.Str(name)) {
			continue
		}
		return &refusedField{e, path[:n+1], fromcue.Lookup(around, []string{name}).Pos()}
	}
	return e
}

// refusedField is CUE's "field not allowed" for a field around the one that it names.
type refusedField struct {
	inner errors.Error
	path  []string
	pos   token.Pos
}

func (e *refusedField) Error() string               { return e.inner.Error() }
func (e *refusedField) Msg() (string, []any)        { return e.inner.Msg() }
func (e *refusedField) Path() []string              { return e.path }
func (e *refusedField) Position() token.Pos         { return e.pos }
func (e *refusedField) InputPositions() []token.Pos { return nil }

// unknownField words "field not allowed".
func unknownField(e errors.Error, root cue.Value) *diag.Diagnostic {
	path := e.Path()
	name := path[len(path)-1]
	parent := fromcue.FieldPath(path[:len(path)-1])
	names := filter.Out(fromcue.FieldNames(fromcue.Lookup(root, fromcue.Elements(parent))), func(n string) bool {
		return n == name || IsRefused(fromcue.Lookup(root, append(slices.Clip(parent), n)))
	})

	hint := ""
	if near, ok := diag.Nearest(name, names); ok {
		hint = fmt.Sprintf("; did you mean %s?", near)
	} else if say := habitOf(habitPlace(parent, path), name, names); say != "" {
		hint = "; " + say
	} else if near, ok := called(name, names); ok {
		hint = fmt.Sprintf("; did you mean %s?", near)
	} else if len(names) > 0 {
		slices.Sort(names)
		hint = "; it has " + strings.Join(names, ", ")
	}
	where := Path(fromcue.FieldPath(fromcue.Elements(path[:len(path)-1])))
	switch {
	case where == "" && path[0] == "#Deployment":
		where = "a deployment"
	case where == "" && path[0] == "#Environment":
		where = "an environment"
	case where == "" && path[0] == "#Policy":
		where = "a policy"
	case where == "" && path[0] == "#Template":
		where = "a template"
	case where == "":
		where = "the artifact"
	}
	return located(root, diag.UnknownField, []errors.Error{e}, "%s is not a field of %s%s", name, where, hint)
}

// noName words the error of a field whose name, by a label in parentheses, is no text. CUE says that the struct around it, which is
// allowed, is not.
func noName(e errors.Error, root cue.Value) *diag.Diagnostic {
	path := fromcue.FieldPath(e.Path())
	fields, err := fromcue.Lookup(root, path).Fields(cue.Optional(true))
	for err == nil && fields.Next() {
		if fields.Selector().LabelType() != cue.InvalidSelectorType {
			continue
		}
		for _, c := range fromcue.Conjuncts(fields.Value()) {
			if f, ok := c.Source().(*ast.Field); ok {
				return diag.New(diag.Conflict, fromcue.Pos(f.Label), "the name %s of a field in %s is no text; a number becomes one by \"\\(…)\"",
					OneLine(f.Label.(ast.Expr)), modelPath(e.Path())).AtPath(path...)
			}
		}
	}
	return nil
}

// habitPlace is where habits look for a field: the path of what it was to be in, and at
// the top of an artifact the definition.
func habitPlace(parent, path []string) []string {
	if len(parent) == 0 && path[0] != "#Deployment" {
		return atArtifact
	}
	return parent
}
