package load

import (
	"bytes"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
)

// lintAttribute is the name of the attribute that acknowledges warnings.
const lintAttribute = "lint"

// acknowledged takes the acknowledgements out of a file:
//
//	size: bandwidth: {size: 10, unit: "M"} @lint(ignore=lost/bandwidth, reason="…")
//
// counts on the lines of the field that it belongs to. In a struct or at the top of a
// file it counts on all lines of that. The parser keeps the attributes of others where
// they are; CUE is not given ours, as it has nothing to do with what things are.
func (l *loader) acknowledged(f *ast.File, text []byte) diag.Acknowledgements {
	if !bytes.Contains(text, []byte("@"+lintAttribute)) {
		return nil
	}
	var found diag.Acknowledgements
	on := func(a *ast.Attribute, first, last int) bool {
		if key, _ := a.Split(); key != lintAttribute {
			return false
		}
		for _, one := range l.readAcknowledgement(a) {
			one.File, one.First, one.Last = f.Filename, first, last
			found = append(found, one)
		}
		return true
	}
	ofDecls := func(decls []ast.Decl, first, last int) []ast.Decl {
		return filter.Out(decls, func(d ast.Decl) bool {
			a, ok := d.(*ast.Attribute)
			return ok && on(a, first, last)
		})

	}
	f.Decls = ofDecls(f.Decls, 0, 0)
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructLit:
			n.Elts = ofDecls(n.Elts, n.Pos().Line(), n.End().Line())
		case *ast.Field:
			first, last := n.Pos().Line(), n.End().Line()
			n.Attrs = filter.Out(n.Attrs, func(a *ast.Attribute) bool { return on(a, first, last) })
		}
		return true
	}, nil)
	return found
}

// readAcknowledgement reads @lint(ignore=CODE, reason="…"), with one code or several. One
// that says less acknowledges nothing, and is reported.
func (l *loader) readAcknowledgement(a *ast.Attribute) diag.Acknowledgements {
	var found diag.Acknowledgements
	var reason string
	attribute := attributeOf(a)
	for i := range attribute.NumArgs() {
		switch key, value := attribute.Arg(i); key {
		case "ignore":
			found = append(found, diag.Acknowledgement{Code: diag.Code(value)})
		case "reason":
			reason = value
		}
	}
	at := fromcue.Pos(a)
	if len(found) == 0 {
		l.badLint(at, "@lint does not say which warning is meant: write @lint(ignore=CODE, reason=\"…\") with the code in brackets at its end, such as lost/bandwidth")
		return nil
	}
	return l.withReason(found, reason, at, "@lint(ignore="+string(found[0].Code)+", reason=\"…\")")
}

// attributeOf is the attribute as CUE reads its arguments; an empty one if it cannot.
func attributeOf(a *ast.Attribute) cue.Attribute {
	v := cuecontext.New().BuildExpr(ast.NewStruct(&ast.Field{
		Label: ast.NewIdent("x"), Value: ast.NewIdent("_"), Attrs: []*ast.Attribute{{Text: a.Text}},
	}))
	key, _ := a.Split()
	return v.LookupPath(cue.ParsePath("x")).Attribute(key)
}

// argumentsOf are the arguments of an attribute by their names.
func argumentsOf(a *ast.Attribute) map[string]string {
	out := map[string]string{}
	attribute := attributeOf(a)
	for i := range attribute.NumArgs() {
		key, value := attribute.Arg(i)
		out[key] = value
	}
	return out
}

// withReason gives acknowledgements their reason. Without one they do not count, which is
// reported.
func (l *loader) withReason(all diag.Acknowledgements, reason string, at diag.Pos, write string) diag.Acknowledgements {
	if strings.TrimSpace(reason) == "" {
		l.badLint(at, "the warning %s is not acknowledged, as no reason is given: write %s", all[0].Code, write)
		return nil
	}
	for i := range all {
		all[i].Reason = reason
	}
	return all
}

// badLint reports an acknowledgement that does not count.
func (l *loader) badLint(at diag.Pos, format string, args ...any) {
	if l.once("lint", at.String(), format) {
		l.report(diag.Warn(diag.BadLint, at, format, args...))
	}
}

// toolName is kumiki's own part of what a module.cue may hold for tools.
const toolName = "kumiki.dev@v0"

// moduleLints reads the acknowledgements in a module file:
//
//	custom: "kumiki.dev@v0": lints: "lost/bandwidth": "the network keeps it free"
//
// Those of the main module count wherever a warning is told, those of another one in its
// own files.
func (l *loader) moduleLints(m *module, name string, custom map[string]any) diag.Acknowledgements {
	at := startOf(name)
	lints, ok := custom["lints"].(map[string]any)
	if custom["lints"] != nil && !ok {
		l.badLint(at, "custom: %q: lints is expected to be a struct with a reason for each code, such as lints: \"lost/bandwidth\": \"the network keeps it free\"", toolName)
	}
	dir := m.dir + string(filepath.Separator)
	if m.Main {
		dir = ""
	}
	var out diag.Acknowledgements
	for _, code := range sorting.Ordered(lints) {
		reason, _ := lints[code].(string)
		one := diag.Acknowledgements{{Code: diag.Code(code), Dir: dir}}
		out = append(out, l.withReason(one, reason, at, "lints: "+`"`+code+`": "…"`)...)
	}
	return out
}

// allAcknowledged are the acknowledgements of all packages and modules.
func (l *loader) allAcknowledged(packages []*spread.Package) diag.Acknowledgements {
	var out diag.Acknowledgements
	for _, p := range packages {
		out = append(out, p.Acknowledged...)
	}
	for _, dir := range sorting.Ordered(l.modules) {
		out = append(out, l.modules[dir].lints...)
	}
	return out
}
