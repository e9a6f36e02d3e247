package environment

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Promotion brings what one wave of a template has to another.
type Promotion struct {
	Template *Template
	From, To *Wave
	// Paths are the values of config that are brought, as config.parameter.x; none for the
	// artifact.
	Paths []string

	name string // of the file
}

// ArtifactOf is what a wave of the template deploys.
func (t *Template) ArtifactOf(w *Wave) Artifact {
	if w.Artifact != nil {
		return *w.Artifact
	}
	return t.Artifact
}

// Edit returns the text of the template's file in which the wave To has what From has.
// Nothing else of the text changes. Where the file can't be edited like that for certain,
// the error says what to write.
func (p Promotion) Edit(name string, text []byte) ([]byte, error) {
	p.name = name
	f, err := parser.ParseFile(name, text, parser.ParseComments)
	if err != nil {
		return nil, p.refuse(p.Template.Pos, "%v", err)
	}
	to, problem := p.wave(f, p.To)
	if problem != nil {
		return nil, problem
	}
	e := &editor{text: text}
	if len(p.Paths) == 0 {
		problem = p.artifact(e, to)
	} else {
		problem = p.values(e, f, to)
	}
	if problem != nil {
		return nil, problem
	}
	return e.done(), nil
}

// refuse says that the file can't be edited, and what to write.
func (p Promotion) refuse(pos diag.Pos, format string, args ...any) error {
	what := fmt.Sprintf("artifact: %q", p.Template.ArtifactOf(p.From).Text)
	if len(p.Paths) > 0 {
		what = "what wave " + p.From.Name + " has at " + strings.Join(p.Paths, ", ")
	}
	at := p.name
	if pos.IsValid() {
		at = fmt.Sprintf("%s:%d:%d", at, pos.Line(), pos.Column())
	}
	return fmt.Errorf("%s: %s; the file stays as it is: write %s into wave %s yourself", at, fmt.Sprintf(format, args...), what, p.To.Name)
}

// wave is the struct that a file has for a wave of the template.
func (p Promotion) wave(f *ast.File, w *Wave) (*ast.StructLit, error) {
	lists := fieldsAt(f.Decls, "#Template", "waves")
	if len(lists) != 1 {
		return nil, p.refuse(w.Pos, "the template does not have one list of waves in its own file")
	}
	list, ok := lists[0].Value.(*ast.ListLit)
	if !ok {
		return nil, p.refuse(fromcue.Pos(lists[0].Value), "waves is no list that is written here, but an expression")
	}
	var found *ast.StructLit
	for _, x := range list.Elts {
		lit, ok := x.(*ast.StructLit)
		if !ok {
			return nil, p.refuse(fromcue.Pos(x), "one of the waves is no struct that is written here, but an expression")
		}
		if named := fieldsAt(lit.Elts, "name"); len(named) == 1 && textOf(named[0].Value) == w.Name {
			found = lit
		}
	}
	if found == nil {
		return nil, p.refuse(w.Pos, "no wave in the list has the name %q as a text", w.Name)
	}
	return found, nil
}

// artifact gives the wave the artifact of the other.
func (p Promotion) artifact(e *editor, to *ast.StructLit) error {
	text := literal.String.Quote(p.Template.ArtifactOf(p.From).Text)
	switch found := fieldsAt(to.Elts, "artifact"); {
	case len(found) == 0:
		e.insert(to, "artifact", text)
	case len(found) > 1:
		return p.refuse(fromcue.Pos(found[1]), "wave %s has two artifacts", p.To.Name)
	default:
		if textOf(found[0].Value) == "" {
			return p.refuse(fromcue.Pos(found[0].Value), "artifact is no text that is written here, but an expression")
		}
		e.replace(found[0].Value, text)
	}
	return nil
}

// values gives the wave values of the other.
func (p Promotion) values(e *editor, f *ast.File, to *ast.StructLit) error {
	from, problem := p.wave(f, p.From)
	if problem != nil {
		return problem
	}
	for _, path := range p.Paths {
		parts := strings.Split(path, ".")
		given := fieldsAt(from.Elts, parts...)
		switch {
		case len(given) == 0:
			return p.refuse(p.From.Pos, "wave %s says nothing of %s", p.From.Name, path)
		case len(given) > 1:
			return p.refuse(fromcue.Pos(given[1]), "wave %s says %s twice", p.From.Name, path)
		case !isPlain(given[0].Value):
			return p.refuse(fromcue.Pos(given[0].Value), "%s is no value that is written here, but an expression", path)
		}
		value := string(e.text[given[0].Value.Pos().Offset():given[0].Value.End().Offset()])
		switch there := fieldsAt(to.Elts, parts...); {
		case len(there) > 1:
			return p.refuse(fromcue.Pos(there[1]), "wave %s says %s twice", p.To.Name, path)
		case len(there) == 1 && !isPlain(there[0].Value):
			return p.refuse(fromcue.Pos(there[0].Value), "%s is no value that is written here, but an expression", path)
		case len(there) == 1:
			e.replace(there[0].Value, value)
		default:
			e.insert(to, strings.Join(quotedParts(parts), ": "), value)
		}
	}
	return nil
}

// quotedParts are names as CUE has them.
func quotedParts(parts []string) (out []string) {
	for _, part := range parts {
		if !ast.IsValidIdent(part) {
			part = literal.String.Quote(part)
		}
		out = append(out, part)
	}
	return out
}

// fieldsAt are the fields at a path below declarations, in structs that are written there.
func fieldsAt(decls []ast.Decl, path ...string) (out []*ast.Field) {
	for _, d := range decls {
		field, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		if label, _, err := ast.LabelName(field.Label); err != nil || label != path[0] {
			continue
		}
		if len(path) == 1 {
			out = append(out, field)
			continue
		}
		for _, lit := range syntax.Structs(field.Value) {
			out = append(out, fieldsAt(lit.Elts, path[1:]...)...)
		}
	}
	return out
}

// textOf is the text of a literal, "" for anything else.
func textOf(x ast.Expr) string {
	if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		text, _ := literal.Unquote(lit.Value)
		return text
	}
	return ""
}

// isPlain reports whether a value is data that is written out.
func isPlain(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		return x.Op == token.SUB && isPlain(x.X)
	case *ast.ListLit:
		return !filter.Any(x.Elts, func(e ast.Expr) bool { return !isPlain(e) })
	case *ast.StructLit:
		return !filter.Any(x.Elts, func(d ast.Decl) bool {
			f, ok := d.(*ast.Field)
			return !ok || !isPlain(f.Value)
		})
	}
	return false
}

// editor changes parts of a text.
type editor struct {
	text  []byte
	edits []edit
}

// edit is what stands in place of a part of the text.
type edit struct {
	from, to int
	text     string
}

func (e *editor) replace(x ast.Node, text string) {
	e.edits = append(e.edits, edit{x.Pos().Offset(), x.End().Offset(), text})
}

// insert adds a field to a struct, as the last one of the lines that it has, or on its
// line.
func (e *editor) insert(lit *ast.StructLit, label, value string) {
	last := lit.Elts[len(lit.Elts)-1] // a wave has a name
	if lit.Lbrace.Line() == lit.Rbrace.Line() {
		end := last.End().Offset()
		e.edits = append(e.edits, edit{end, end, ", " + label + ": " + value})
		return
	}
	line := e.lineOf(last.Pos().Offset())
	indent := string(e.text[line : line+len(e.text[line:])-len(strings.TrimLeft(string(e.text[line:]), "\t "))])
	end := last.End().Offset()
	for end < len(e.text) && e.text[end] != '\n' { // behind what is said of the last one
		end++
	}
	if closing := lit.Rbrace.Offset(); end > closing { // the brace is on the line of the last one
		end = last.End().Offset()
	}
	e.edits = append(e.edits, edit{end, end, "\n" + indent + label + ": " + value})
}

// lineOf is where the line of an offset begins.
func (e *editor) lineOf(offset int) int {
	return strings.LastIndexByte(string(e.text[:offset]), '\n') + 1
}

// done is the text with the edits.
func (e *editor) done() []byte {
	sorting.By(e.edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, x := range e.edits {
		out = append(append(out, e.text[at:x.from]...), x.text...)
		at = x.to
	}
	return append(out, e.text[at:]...)
}

// Differs reports whether the two waves differ in what is brought.
func (p Promotion) Differs() bool {
	if len(p.Paths) == 0 {
		return p.Template.ArtifactOf(p.From).String() != p.Template.ArtifactOf(p.To).String()
	}
	return filter.Any(p.Paths, func(path string) bool {
		parts := strings.Split(path, ".")[1:]
		from := p.From.Config.Get(parts...)
		to := p.To.Config.Get(parts...)
		return from != nil && (to == nil || from.JSON() != to.JSON())
	})
}

// Differs is the path of a value of config that the wave has and the other does not have so,
// "" for none.
func (w *Wave) Differs(other *Wave) (found string) {
	w.Config.Walk(nil, func(path []string, d *value.Data) bool {
		to := other.Config.Get(path...)
		if found == "" && !d.IsComposite() && (to == nil || to.JSON() != d.JSON()) {
			found = "config." + strings.Join(path, ".")
		}
		return true
	})
	return found
}
