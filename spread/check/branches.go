package check

import (
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Branch is an if of an artifact's package, and what its condition has been.
type Branch struct {
	// Pos is where the if is.
	Pos diag.Pos
	// Condition is its condition in CUE, on one line.
	Condition string
	// True and False tell that the condition has been that.
	True, False bool

	inArtifact bool // it is written in #Artifact itself
}

// Branches watches the ifs of an artifact's package. The package is evaluated
// with a hidden field beside each, in the same scope, that has the condition's
// value; so whatever CUE makes of the artifact, it makes of the condition.
type Branches struct {
	// All are the ifs in the order of the sources.
	All  []Branch
	eval *spread.Evaluator
	unit *spread.Unit
}

// Seen are the ifs that something can be said of. What is written beside
// #Artifact may only be used within an expression, where no field is seen: it
// counts once its condition has had a value.
func (b *Branches) Seen() []Branch {
	return filter.Out(b.All, func(x Branch) bool { return !x.inArtifact && !x.True && !x.False })
}

// branchField is what the names of the hidden fields begin with.
const branchField = "_kumikiIf"

// NewBranches finds the ifs of the package and evaluates it. Where one in a list
// can't be seen from beside the list, since it refers to a name within it, none
// that is in a list is among them; nor is any of a package that has errors.
func NewBranches(e *spread.Evaluator, p *spread.Package) *Branches {
	for _, lists := range []bool{true, false} {
		b := &Branches{eval: e}
		watched := *p
		watched.Files = nil
		for _, f := range p.Files {
			watched.Files = append(watched.Files, b.watch(f, lists))
		}
		if len(b.All) == 0 {
			return b
		}
		v := e.Value(&watched)
		if artifact := v.LookupPath(spread.ArtifactPath); v.Err() == nil && artifact.Exists() {
			b.unit = spread.NewUnit(&watched, artifact)
			return b
		}
	}
	return &Branches{}
}

// See evaluates the conditions with the finished config of a [value.Node].
func (b *Branches) See(config *value.Data) {
	if b.unit == nil || config == nil {
		return
	}
	for _, path := range spread.Undeclared(b.unit, config) {
		config = config.Without(path)
	}
	b.collect(b.eval.Filled(b.unit.Package, config), 0)
}

// maxWatched bounds how deep conditions are looked for.
const maxWatched = 100

// collect notes the values of the hidden fields in v and below.
func (b *Branches) collect(v cue.Value, depth int) {
	if depth > maxWatched {
		return
	}
	v, _ = v.Default()
	if items, err := v.List(); err == nil {
		for items.Next() {
			b.collect(items.Value(), depth+1)
		}
	}
	fields, err := v.Fields(cue.Hidden(true), cue.Definitions(true))
	if err != nil {
		return
	}
	for fields.Next() {
		sel := fields.Selector()
		if number, ok := strings.CutPrefix(sel.String(), branchField); ok && sel.PkgPath() != "" {
			b.note(number, fields.Value())
			continue
		}
		b.collect(fields.Value(), depth+1)
	}
}

// note takes the values that a condition has, one for each turn of the loops
// before it.
func (b *Branches) note(number string, v cue.Value) {
	i, err := strconv.Atoi(number)
	if err != nil || i >= len(b.All) {
		return
	}
	items, err := v.List()
	if err != nil {
		return // not known, or no loop was gone through
	}
	for items.Next() {
		d, _ := items.Value().Default()
		switch is, err := d.Bool(); {
		case err != nil:
		case is:
			b.All[i].True = true
		default:
			b.All[i].False = true
		}
	}
}

// watch returns a copy of the file with a hidden field for each if. Files that
// come with kumiki, or from it, are returned as they are.
func (b *Branches) watch(f *ast.File, lists bool) *ast.File {
	if value.IsModel(fromcue.Pos(f)) || strings.HasPrefix(f.Filename, "kumiki:") {
		return f
	}
	known := len(b.All)
	w := &watcher{all: b.All, lists: lists, fields: map[ast.Node][]string{}}
	ast.Walk(f, w.before, w.after)
	if len(w.all) == known {
		return f
	}
	text, err := format.Node(f)
	if err != nil {
		return f
	}
	copied, err := parser.ParseFile(f.Filename, text)
	if err != nil {
		return f
	}
	// The same walk over the copy: only the places are those of the original.
	c := &watcher{all: b.All, lists: lists, fields: map[ast.Node][]string{}}
	ast.Walk(copied, c.before, c.after)
	if text, err = c.text(copied); err != nil {
		return f
	}
	if copied, err = parser.ParseFile(f.Filename, text); err != nil {
		return f
	}
	b.All = w.all
	return copied
}

// watcher looks for ifs in a file.
type watcher struct {
	all     []Branch
	lists   bool
	fields  map[ast.Node][]string
	structs []ast.Node // that the node lies in
	inList  []bool     // by structs: whether a list is between
	top     string     // the field of the file that the node lies in
}

func (w *watcher) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.File, *ast.StructLit:
		w.structs, w.inList = append(w.structs, n), append(w.inList, false)
	case *ast.ListLit:
		w.inList = append(w.inList, true)
	case *ast.Field:
		if len(w.structs) == 1 {
			w.top = syntax.LabelName(x.Label)
		}
	case *ast.Comprehension:
		if len(w.structs) > 0 && (w.lists || !w.inList[len(w.inList)-1]) {
			w.comprehension(x)
		}
	}
	return true
}

func (w *watcher) after(n ast.Node) {
	switch n.(type) {
	case *ast.File, *ast.StructLit:
		w.structs = w.structs[:len(w.structs)-1]
		w.inList = w.inList[:len(w.inList)-1]
	case *ast.ListLit:
		w.inList = w.inList[:len(w.inList)-1]
	}
}

// comprehension adds a field for each if among the clauses: a list with the
// condition for each turn that comes to it.
func (w *watcher) comprehension(c *ast.Comprehension) {
	var clauses []string
	for _, clause := range c.Clauses {
		text, err := clauseText(clause)
		if err != nil {
			return
		}
		if x, ok := clause.(*ast.IfClause); ok {
			condition := strings.TrimPrefix(text, "if ")
			in := w.structs[len(w.structs)-1]
			w.fields[in] = append(w.fields[in], fmt.Sprintf("%s%d: [%s {%s}]", branchField, len(w.all), strings.Join(clauses, " "), condition))
			w.all = append(w.all, Branch{Pos: fromcue.Pos(x), Condition: strings.Join(strings.Fields(condition), " "), inArtifact: w.top == "#Artifact"})
		}
		clauses = append(clauses, text)
	}
}

// clauseText is the source of a clause.
func clauseText(c ast.Clause) (string, error) {
	var before string
	var x ast.Expr
	switch c := c.(type) {
	case *ast.IfClause:
		before, x = "if ", c.Condition
	case *ast.LetClause:
		before, x = "let "+c.Ident.Name+" = ", c.Expr
	case *ast.ForClause:
		before, x = "for "+c.Value.Name+" in ", c.Source
		if c.Key != nil {
			before = "for " + c.Key.Name + ", " + c.Value.Name + " in "
		}
	default:
		return "", fmt.Errorf("a clause of type %T is not known", c)
	}
	text, err := format.Node(x)
	return before + string(text), err
}

// text is the source of a file with the fields added.
func (w *watcher) text(f *ast.File) ([]byte, error) {
	for in, texts := range w.fields {
		var decls []ast.Decl
		for _, text := range texts {
			parsed, err := parser.ParseFile("branches", text)
			if err != nil {
				return nil, err
			}
			decls = append(decls, parsed.Decls...)
		}
		switch in := in.(type) {
		case *ast.StructLit:
			in.Elts = append(decls, in.Elts...) // before an ellipsis, which is the last
		case *ast.File:
			in.Decls = append(in.Decls, decls...)
		}
	}
	return format.Node(f)
}
