package spread

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Late is a parameter of a deployment whose value is not known yet. Artifacts may only pass
// it on: nothing that they are made of may depend on it.
type Late struct {
	// Path is where it is, below config.
	Path []string
	// From says in words where its value will come from.
	From string
	Pos  diag.Pos
	// Must are values that the type has to take; the first two are the examples then.
	Must []*value.Data

	// Type is what the artifacts that get it ask of it, in CUE. FollowLate sets it, and
	// Examples: two values of that type, by which the spread can be made.
	Type     string
	Examples [2]*value.Data
}

// FollowLate reads in the sources where parameters of a deployment go whose values are not
// known yet. It reports where an artifact does more with one than pass it on, and where
// that cannot be told for certain.
func FollowLate(e *Evaluator, top *Top, all []*Late) diag.List {
	r := newRunner(e, Options{NoPartial: true})
	f := &lateFlow{r: r}
	for i, l := range all {
		f.late, f.types, f.failed = l, nil, false
		at := "config." + strings.Join(l.Path, ".")
		if l.Path[0] != "parameter" {
			f.report(diag.LateUsed, l.Pos, "%s is not known before %s is: only parameters may be", at, l.From)
			continue
		}
		p := e.StandsFor(top.Artifact)
		if p == nil {
			p = e.namedBy(top.Package, top.chain, top.Artifact)
		}
		if p == nil {
			f.report(diag.LateUsed, l.Pos, "%s is not known before %s is, and goes to an artifact that the deployment writes out: give it a package of its own", at, l.From)
			continue
		}
		f.follow(p, l.Path, nil, 0)
		if !f.failed {
			f.examples(i)
		}
	}
	return f.problems
}

// lateFlow follows one parameter.
type lateFlow struct {
	r        *Runner
	late     *Late
	types    []string
	failed   bool
	problems diag.List
}

func (f *lateFlow) report(code diag.Code, pos diag.Pos, format string, args ...any) {
	f.failed = true
	d := diag.New(code, pos, format, args...).AtPath(append([]string{"config"}, f.late.Path...)...)
	if pos != f.late.Pos {
		d.With(f.late.Pos, "the deployment gives it here")
	}
	f.problems = append(f.problems, d)
}

// follow goes through the artifact of a package that gets the parameter at a path of its
// config, and on into those of its roles.
func (f *lateFlow) follow(p *Package, at, role []string, depth int) {
	e := f.r.Eval
	p = e.apartFrom(p)
	if !p.IsUsable() || depth > maxDepth {
		return // which is reported
	}
	f.typeIn(p, at)
	for _, use := range e.library.Sources(p).Uses(depends.Path(at)) {
		pos := diag.At(use.Pos)
		if !use.Pos.IsValid() {
			pos = f.late.Pos
		}
		if use.Copy == nil {
			f.report(diag.LateUsed, pos, "%s depends on config.%s, whose value is not known before %s is (config.%s of the deployment): it can only be passed on, as a whole", strings.Join(use.Path, "."), strings.Join(at, "."), f.late.From, strings.Join(f.late.Path, "."))
			continue
		}
		rest := at[len(use.Copy):]
		f.goes(p, append(slices.Clone([]string(use.Path)), rest...), pos, role, depth)
	}
}

// goes follows the parameter to a place of an artifact that is a copy of it.
func (f *lateFlow) goes(p *Package, to []string, pos diag.Pos, role []string, depth int) {
	if len(to) > 4 && to[0] == "description" && to[1] == "role" && to[3] == "config" && to[4] == "parameter" {
		filled := f.fills(p, to[2])
		if filled == nil {
			f.report(diag.LateUsed, pos, "config.%s, whose value is not known before %s is, goes to role %s, of whose artifact it is not certain which one it is: write artifact: x.#Artifact", strings.Join(f.late.Path, "."), f.late.From, strings.Join(append(slices.Clone(role), to[2]), "."))
			return
		}
		f.follow(filled, to[4:], append(slices.Clip(role), to[2]), depth+1)
		return
	}
	if !passes(to) {
		f.report(diag.LateUsed, pos, "%s decides what is made, and is config.%s, whose value is not known before %s is: such a value can be that of a parameter, a variable, a word of a command, meta, or be in a file of format json or yaml", strings.Join(to, "."), strings.Join(f.late.Path, "."), f.late.From)
	}
}

// passes reports whether a value at a place of an artifact is only there to be handed to what
// runs.
func passes(to []string) bool {
	if filter.Any(to, func(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") }) {
		return true // nobody sees it; what refers to it is another use
	}
	if to[0] != "description" || len(to) < 4 {
		return false
	}
	switch to[1] {
	case "role":
		return to[3] == "meta"
	case "connect":
		return to[3] == "to" && len(to) > 6
	case "code":
		switch {
		case len(to) == 5:
			return to[3] == "cmd" || to[3] == "entrypoint"
		case len(to) < 7 || to[3] != "mapping":
			return false
		case to[4] == "env":
			return to[6] == "value"
		}
		return to[4] == "filesystem" && len(to) > 7 && to[6] == "data" && to[7] == "value"
	}
	return false
}

// fills is the package whose artifact fills a role, nil if that is not certain.
func (f *lateFlow) fills(p *Package, role string) *Package {
	sel, ok := f.r.Eval.library.Sources(p).Named("description", "role", role, "artifact").(*ast.SelectorExpr)
	if !ok || syntax.LabelName(sel.Sel) != "#Artifact" {
		return nil
	}
	return (&uses{pkg: p}).imported(sel.X)
}

// typeIn adds what an artifact asks of the parameter.
func (f *lateFlow) typeIn(p *Package, at []string) {
	u := f.r.unit(p)
	if u == nil {
		return
	}
	field := fromcue.Lookup(u.Config, at)
	if !field.Exists() {
		return // the artifact takes anything, or does not declare it, which is reported
	}
	text, ok := typeText(field, maxTypeDepth)
	if !ok {
		f.report(diag.LateType, fromcue.ValuePos(field), "the type of config.%s cannot be told without a value, and its value is not known before %s is (config.%s of the deployment): use types, bounds, patterns, and | and & of them", strings.Join(at, "."), f.late.From, strings.Join(f.late.Path, "."))
		return
	}
	if text != "_" && !filter.Contains(f.types, text) {
		f.types = append(f.types, text)
	}
}

// maxTypeDepth bounds how deep types lie in each other.
const maxTypeDepth = 16

// typeText writes a type out: scalars, their bounds and patterns, and what | and & make of
// them. It is false for any other.
func typeText(v cue.Value, depth int) (string, bool) {
	if depth == 0 {
		return "", false
	}
	op, args := fromcue.ExprOf(v)
	join := func(sign string) (string, bool) {
		var parts []string
		for _, a := range args {
			text, ok := typeText(a, depth-1)
			if !ok {
				return "", false
			}
			if op == cue.AndOp && text == "_" && len(args) > 1 {
				continue
			}
			if strings.ContainsAny(text, " ") {
				text = "(" + text + ")"
			}
			if !filter.Contains(parts, text) {
				parts = append(parts, text)
			}
		}
		if len(parts) == 1 {
			return strings.TrimSuffix(strings.TrimPrefix(parts[0], "("), ")"), true
		}
		return cmp.Or(strings.Join(parts, sign), "_"), true
	}
	switch op {
	case cue.AndOp:
		return join(" & ")
	case cue.OrOp:
		return join(" | ")
	case cue.SelectorOp, cue.IndexOp:
		return typeText(fromcue.Dereference(v), depth-1)
	case cue.GreaterThanOp, cue.GreaterThanEqualOp, cue.LessThanOp, cue.LessThanEqualOp, cue.NotEqualOp, cue.RegexMatchOp, cue.NotRegexMatchOp:
		text, ok := scalarText(args[0])
		return op.Token().String() + text, ok
	case cue.CallOp:
		return validatorText(args)
	case cue.NoOp:
		if inner, _ := fromcue.ExprOf(args[0]); inner != cue.NoOp {
			return typeText(args[0], depth-1) // what a default is chosen of
		}
		return plainType(v)
	}
	return "", false
}

// validators are the functions of CUE's that a type may call.
var validators = map[string]bool{"strings.MinRunes": true, "strings.MaxRunes": true}

// validatorText is a call of a validator with scalars.
func validatorText(args []cue.Value) (string, bool) {
	sel, ok := args[0].Source().(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok || !validators[pkg.Name+"."+syntax.LabelName(sel.Sel)] {
		return "", false
	}
	words := make([]string, len(args)-1)
	for i, a := range args[1:] {
		if words[i], ok = scalarText(a); !ok {
			return "", false
		}
	}
	return pkg.Name + "." + syntax.LabelName(sel.Sel) + "(" + strings.Join(words, ", ") + ")", true
}

// ParseType reads a type that [FollowLate] has written: nothing else is evaluated.
func ParseType(text string) (*ast.File, error) {
	if len(text) > maxTypeText {
		return nil, fmt.Errorf("it has %d bytes, and at most %d are read", len(text), maxTypeText)
	}
	x, err := parser.ParseExpr("type", text)
	if err != nil {
		return nil, err
	}
	if far := fromcue.BadLiterals(x); len(far) > 0 {
		return nil, far[0]
	}
	strange := ""
	ast.Walk(x, func(n ast.Node) bool {
		ok := false
		switch x := n.(type) {
		case *ast.BasicLit, *ast.ParenExpr, *ast.UnaryExpr, nil:
			ok = true
		case *ast.BinaryExpr:
			ok = x.Op == token.AND || x.Op == token.OR
		case *ast.Ident:
			ok = filter.Contains([]string{"_", "null", "bool", "string", "number", "int", "float", "strings", "MinRunes", "MaxRunes"}, x.Name)
		case *ast.CallExpr:
			_, ok = x.Fun.(*ast.SelectorExpr)
		case *ast.SelectorExpr:
			id, isName := x.X.(*ast.Ident)
			ok = isName && validators[id.Name+"."+syntax.LabelName(x.Sel)]
		}
		if !ok {
			strange = fmt.Sprintf("%T", n)
		}
		return ok
	}, nil)
	if strange != "" {
		return nil, fmt.Errorf("it is more than types of scalars, bounds and patterns, and | and & of them (%s)", strings.TrimPrefix(strange, "*ast."))
	}
	return parser.ParseFile("type", "import \"strings\"\n_strings: strings.MinRunes(0)\ntype: "+text)
}

// maxTypeText is how long a type may be.
const maxTypeText = 10_000

// plainType is a scalar, or all scalars of a kind.
func plainType(v cue.Value) (string, bool) {
	if text, ok := scalarText(v); ok {
		return text, true
	}
	var kinds []string
	kind := v.IncompleteKind()
	if kind == cue.TopKind {
		return "_", true
	}
	for _, k := range []struct {
		kind cue.Kind
		name string
	}{{cue.NullKind, "null"}, {cue.BoolKind, "bool"}, {cue.StringKind, "string"}, {cue.NumberKind, "number"}, {cue.IntKind, "int"}, {cue.FloatKind, "float"}} {
		if kind&k.kind == k.kind {
			kinds = append(kinds, k.name)
			kind &^= k.kind
		}
	}
	return strings.Join(kinds, " | "), kind == 0 && len(kinds) > 0
}

func scalarText(v cue.Value) (string, bool) {
	if !v.IsConcrete() {
		return "", false
	}
	switch v.Kind() {
	case cue.StringKind:
		text, err := v.String()
		return literal.String.Quote(text), err == nil
	case cue.IntKind, cue.FloatKind, cue.NumberKind, cue.BoolKind, cue.NullKind:
		return fmt.Sprint(v), true
	}
	return "", false
}

// examples finds two values of the type, which differ from those of other parameters where
// the type allows.
func (f *lateFlow) examples(i int) {
	l := f.late
	f.types = filter.Out(f.types, func(t string) bool {
		return filter.Any(f.types, func(more string) bool { return strings.HasPrefix(more, t+" & ") })
	})

	for i, t := range f.types {
		if len(f.types) > 1 && strings.Contains(t, " ") {
			f.types[i] = "(" + t + ")"
		}
	}
	l.Type = cmp.Or(strings.Join(f.types, " & "), "_")
	x, err := ParseType(l.Type)
	if err != nil {
		f.report(diag.LateType, l.Pos, "the type of config.%s, %s, cannot be read: %v", strings.Join(l.Path, "."), l.Type, err)
		return
	}
	schema := f.r.Eval.ctx.BuildFile(x).LookupPath(cue.ParsePath("type"))
	takes := func(x *value.Data) bool {
		return schema.Unify(f.r.Eval.ctx.BuildExpr(Expr(x))).Validate(cue.Concrete(true)) == nil
	}
	for _, x := range l.Must {
		if !takes(x) {
			f.report(diag.LateType, l.Pos, "config.%s is of type %s, which does not take %s; that may be the value on one of the targets: widen the type, or give the value", strings.Join(l.Path, "."), l.Type, x.JSON())
			return
		}
	}
	if len(l.Must) > 1 {
		l.Examples = [2]*value.Data{l.Must[0], l.Must[1]}
		return
	}
	own := []*value.Data{value.NewString(l.Pos, "late"+strconv.Itoa(2*i+1)), value.NewString(l.Pos, "late"+strconv.Itoa(2*i+2)), value.NewInt(l.Pos, int64(20011+2*i)), value.NewInt(l.Pos, int64(20012+2*i))}
	var found []*value.Data
	for _, c := range append(own, Candidates(schema, l.Pos)...) {
		if c.Kind == value.Struct || c.Kind == value.List || c.Kind == value.Null || filter.Any(found, func(x *value.Data) bool { return x.Kind == c.Kind && x.Text == c.Text }) {
			continue
		}
		if takes(c) {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		f.report(diag.LateType, l.Pos, "config.%s is of type %s, of which no example is known, and without one the deployment cannot be looked at before %s is known: widen the type, or give the value", strings.Join(l.Path, "."), l.Type, l.From)
		return
	}
	for _, c := range found[1:] {
		if c.Kind == found[0].Kind {
			l.Examples = [2]*value.Data{found[0], c}
			return
		}
	}
	f.report(diag.LateType, l.Pos, "config.%s is of type %s, of which only one example is known (%s): give the value", strings.Join(l.Path, "."), l.Type, found[0].JSON())
}
