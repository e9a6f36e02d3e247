package rewrite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/source"
	"kumiki.dev/spread/syntax"
)

// An artifact that a role refines may refer to what is around the role:
//
//	for name, app in _apps {
//		(name): artifact: w.#Artifact & {description: code: main: image: tag: app.tag}
//	}
//
// It is a function of that. So its package takes it from the config, as it does what is lifted of literals, and the role passes it on
// in its meta, which may have any field:
//
//	(name): {artifact: written0.#Artifact, meta: kumikiLifted: {n: 1, p0: app.tag}}
//
// That is the same as long as the value is concrete by itself. Of alternatives the default would be chosen too early, unless the place says
// nothing else or is an operand; and a struct could lose that it is closed, and loses the order of its fields.

// passedIn is the field of a role's meta in which the values are, and howMany the one among them that says how many there have to be; it is
// absent where the artifact asks whether something is there.
const (
	passedIn = "kumikiLifted"
	howMany  = "n"
)

// passed is a reference in an artifact to something around it.
type passed struct {
	ref ast.Expr
	// description is how the artifact refers to its own description from there.
	description *ast.Ident
	kind        kind
	// at is the path of the field in the artifact whose value it is; empty if it is an operand, and nil for any other part of a value.
	at []string
}

// kind is what may be passed of a value.
type kind int

const (
	nothing kind = iota
	choices      // scalars of which there may be alternatives
	scalars      // and lists of them
	structs      // which say nothing of fields that they do not have
)

// The names of values that are passed begin with what they may be, and whether the model has a type for the place.
const (
	mayBeStruct = "s"
	isUntyped   = "u"
)

// field is the name of the n-th value that is passed.
func (p passed) field(n int) string {
	name := fmt.Sprint("p", n)
	if filter.Contains(p.at, "data") {
		name = isUntyped + name
	}
	if p.kind == structs {
		name = mayBeStruct + name
	}
	return name
}

// surroundings know what a role can refer to around its artifact.
type surroundings struct {
	pkg *source.Package
	// fields are those of a name, wherever they are; loops are the clauses by their variables.
	fields map[string][]*ast.Field
	loops  map[ast.Node]*ast.ForClause
	lets   map[ast.Node]*ast.LetClause // of comprehensions, by their name
	names  map[string]kind             // of the fields that have them
	// mentioned is [surroundings.mentions] of packages.
	mentioned map[*source.Package]map[string]bool
	// reads tells that something may read the meta of a role.
	reads bool
}

func newSurroundings(p *source.Package) *surroundings {
	s := &surroundings{pkg: p, fields: map[string][]*ast.Field{}, loops: map[ast.Node]*ast.ForClause{}, lets: map[ast.Node]*ast.LetClause{}, names: map[string]kind{}, mentioned: map[*source.Package]map[string]bool{}}
	for _, f := range p.OwnFiles() {
		ast.Walk(f, s.visit, nil)
	}
	return s
}

func (s *surroundings) visit(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Field:
		name := syntax.LabelName(x.Label)
		s.fields[name] = append(s.fields[name], x)
	case *ast.ForClause:
		s.loops[x.Value] = x
		if x.Key != nil {
			s.loops[x.Key] = x
		}
	case *ast.LetClause:
		s.lets[x.Ident] = x
	case *ast.SelectorExpr:
		s.reads = s.reads || syntax.LabelName(x.Sel) == "meta"
	case *ast.IndexExpr:
		lit, ok := x.Index.(*ast.BasicLit)
		s.reads = s.reads || ok && strings.Contains(lit.Value, "meta")
	case *ast.Ident:
		s.reads = s.reads || x.Name == "meta" && x.Node != nil
	}
	return true
}

// kindOf is what may be passed of the value of a reference.
func (s *surroundings) kindOf(ref ast.Expr) kind {
	root, names := chainOf(ref)
	if root == nil || root.Node == nil {
		return nothing
	}
	if let := s.let(root); let != nil {
		if inner, more := chainOf(let.Expr); inner != nil && s.isDescription(inner) {
			return ofConfig(append(more, names...))
		}
		return s.within(let.Expr)
	}
	if loop := s.loops[root.Node]; loop != nil {
		return s.gone(loop.Source)
	}
	if s.isDescription(root) {
		return ofConfig(names)
	}
	return s.named(root.Name)
}

// let is what a name stands for, nil if that is no let.
func (s *surroundings) let(id *ast.Ident) *ast.LetClause {
	if let, ok := id.Node.(*ast.LetClause); ok {
		return let
	}
	return s.lets[id.Node]
}

// gone is what may be passed of what a loop goes through.
func (s *surroundings) gone(x ast.Expr) kind {
	if root, _ := chainOf(x); root != nil {
		return s.kindOf(x)
	}
	return s.within(x)
}

// isDescription reports whether a name is that of the service's description.
func (s *surroundings) isDescription(id *ast.Ident) bool {
	return id.Name == "description" && filter.Any(s.fields["description"], func(f *ast.Field) bool { return f.Value == id.Node })
}

// ofConfig is what may be passed of a field that names lead to from the description.
func ofConfig(names []string) kind {
	if len(names) > 2 && names[0] == "config" && (names[1] == "parameter" || names[1] == "resource") {
		return choices // a struct of the config may be closed by its type, too
	}
	return nothing
}

// named is [surroundings.within] of all fields that have a name.
func (s *surroundings) named(name string) kind {
	if k, known := s.names[name]; known {
		return k
	}
	s.names[name] = structs // as far as it refers to itself
	k := structs
	if len(s.fields[name]) == 0 {
		k = nothing
	}
	for _, f := range s.fields[name] {
		k = min(k, s.within(f))
	}
	s.names[name] = k
	return k
}

// within is what may be passed of the values in an expression or a field.
func (s *surroundings) within(x ast.Node) kind {
	k := structs
	ast.Walk(x, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.BinaryExpr:
			if x.Op == token.OR {
				k = min(k, choices)
			}
		case *ast.UnaryExpr:
			if x.Op == token.MUL {
				k = min(k, choices)
			}
		case *ast.SelectorExpr:
			k = min(k, s.within(x.X))
			if strings.HasPrefix(syntax.LabelName(x.Sel), "#") {
				k = min(k, scalars)
			}
			return false
		case *ast.Field:
			if !syntax.IsPlainField(x) || strings.HasPrefix(syntax.LabelName(x.Label), "#") {
				k = min(k, scalars)
			}
		case *ast.Ellipsis, *ast.CallExpr:
			k = min(k, scalars)
		case *ast.Ident:
			k = min(k, s.ident(x))
		}
		return k > nothing
	}, nil)
	return k
}

// ident is what may be passed of what a name stands for.
func (s *surroundings) ident(x *ast.Ident) kind {
	if x.Node == nil {
		return structs // a label, or one of CUE's own names
	}
	if imp, isImport := s.pkg.ImportOf(x); isImport {
		if imp != nil {
			return choices
		}
		return scalars
	}
	if let := s.let(x); let != nil {
		return s.within(let.Expr)
	}
	if loop := s.loops[x.Node]; loop != nil {
		return s.gone(loop.Source)
	}
	if s.isDescription(x) {
		return nothing // which is too much to look at
	}
	return s.named(x.Name)
}

// chainOf is the name that a chain of selectors begins with, and the names that follow; nil for any other expression.
func chainOf(x ast.Expr) (root *ast.Ident, names []string) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return chainOf(x.X)
	case *ast.Ident:
		return x, nil
	case *ast.SelectorExpr:
		root, names = chainOf(x.X)
		return root, append(names, syntax.LabelName(x.Sel))
	case *ast.IndexExpr:
		if lit, ok := x.Index.(*ast.BasicLit); ok {
			root, names = chainOf(x.X)
			return root, append(names, lit.Value)
		}
	}
	return nil, nil
}

// closure is what an artifact in a role refers to around it.
type closure struct {
	*surroundings
	at      writtenAt // that is looked at
	within  map[ast.Node]bool
	refs    []passed
	asks    bool              // whether something is there
	failed  bool              // something cannot be passed
	imports string            // that it refers to
	of      []*source.Package // of those, the ones that have artifacts
}

// read looks at the artifacts that are written for one role. It is false if they could not have a package.
func (c *closure) read(all []writtenAt) bool {
	for _, at := range all {
		c.at, c.within = at, map[ast.Node]bool{}
		ast.Walk(at.expr, func(n ast.Node) bool { c.within[n] = true; return true }, nil)
		for _, x := range syntax.Conjuncts(at.expr) {
			lit, ok := x.(*ast.StructLit)
			if !ok {
				c.walk(x, nil)
				continue
			}
			c.walk(lit, &ast.Ident{Name: "description", Node: descriptionOf(lit), Scope: lit})
		}
		if syntax.HasWrongNames([]*ast.File{{Decls: []ast.Decl{&ast.EmbedDecl{Expr: at.expr}}}}) {
			return false
		}
	}
	for i, p := range c.refs {
		if p.kind == structs && (len(p.at) == 0 || c.mayShowOrder(all, p.at)) {
			c.refs[i].kind = scalars
		}
	}
	return !c.failed && len(c.of) > 0 && (len(c.refs) == 0 || !c.reads)
}

// mayShowOrder reports whether something may read a struct at a path of an artifact, or one that it lies in: then the order of its fields
// may show.
func (c *closure) mayShowOrder(all []writtenAt, path []string) bool {
	return filter.Any(path, func(name string) bool {
		return name != "description" && (filter.Any(c.of, func(p *source.Package) bool { return c.mentions(p)[name] }) ||
			filter.Any(all, func(at writtenAt) bool { return mentions(at.expr, name) }))
	})
}

// mentions are the names that the sources of a package, and of those that it imports, refer to something by.
func (s *surroundings) mentions(p *source.Package) map[string]bool {
	if s.mentioned[p] != nil {
		return s.mentioned[p]
	}
	names := map[string]bool{}
	s.mentioned[p] = names
	p.Within(func(p *source.Package) bool {
		for _, f := range p.OwnFiles() {
			ast.Walk(f, func(n ast.Node) bool {
				if name := referredBy(n); name != "" {
					names[name] = true
				}
				return true
			}, nil)
		}
		return true
	})
	return names
}

func mentions(x ast.Node, name string) (found bool) {
	ast.Walk(x, func(n ast.Node) bool { found = found || referredBy(n) == name; return !found }, nil)
	return found
}

// referredBy is the name by which a node refers to a field, "" for any other node.
func referredBy(n ast.Node) string {
	switch x := n.(type) {
	case *ast.SelectorExpr:
		return syntax.LabelName(x.Sel)
	case *ast.IndexExpr:
		if lit, ok := x.Index.(*ast.BasicLit); ok {
			name, _ := literal.Unquote(lit.Value)
			return name
		}
	case *ast.Ident:
		if _, isImport := x.Node.(*ast.ImportSpec); x.Node != nil && !isImport {
			return x.Name
		}
	}
	return ""
}

// descriptionOf is the value of a struct's field for the description, nil for none.
func descriptionOf(lit *ast.StructLit) ast.Node {
	for _, d := range lit.Elts {
		if f, ok := d.(*ast.Field); ok && isNamed(f, "description") {
			return f.Value
		}
	}
	return nil
}

// walk looks for references in a part of an artifact, which may refer to its description by a name, nil if it may not.
func (c *closure) walk(x ast.Node, description *ast.Ident) {
	var around []ast.Node
	ast.Walk(x, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.BinaryExpr:
			c.asks = c.asks || isBottom(x.X) || isBottom(x.Y)
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			if !c.reference(x.(ast.Expr), description, around) {
				return false
			}
		}
		around = append(around, n)
		return true
	}, func(ast.Node) { around = around[:len(around)-1] })
}

func isBottom(x ast.Expr) bool {
	_, ok := x.(*ast.BottomLit)
	return ok
}

// reference looks at one, and reports whether there may be others within it.
func (c *closure) reference(x ast.Expr, description *ast.Ident, around []ast.Node) (goOn bool) {
	root, _ := chainOf(x)
	if root == nil || root.Node == nil && root.Scope == nil {
		return true
	}
	if imp, isImport := c.pkg.ImportOf(root); isImport {
		if imp != nil && (imp.IsArtifact() || imp.IsModel()) {
			c.of = append(c.of, imp)
		}
		c.imports += root.Node.(*ast.ImportSpec).Path.Value
		return false
	}
	if root.Scope != nil && c.within[root.Scope] {
		return false
	}
	p := passed{x, description, c.kindOf(x), fieldAround(x, around)}
	if p.kind == structs && p.at == nil {
		p.at = embeddedIn(around)
	}
	c.failed = c.failed || !c.at.sees(root.Scope) || isInStructure(around) || p.kind == nothing || p.kind == choices && p.at == nil || description == nil || description.Node == nil ||
		filter.Any(around, func(n ast.Node) bool { return shadows(n, description) })
	c.refs = append(c.refs, p)
	return false
}

// isInStructure reports whether a part of an artifact is in its config, or says what roles it has.
func isInStructure(around []ast.Node) bool {
	for _, n := range around {
		if f, ok := n.(*ast.Field); ok && filter.Contains([]string{"config", "builtin", "role", "connect", ""}, syntax.LabelName(f.Label)) {
			return true
		}
	}
	return false
}

// shadows reports whether the name for the description stands for something else in a struct.
func shadows(n ast.Node, description *ast.Ident) bool {
	lit, ok := n.(*ast.StructLit)
	return ok && lit != description.Scope && filter.Any(lit.Elts, isCalledDescription)
}

// fieldAround is the path of the field that has x as its value. It is empty where x is an operand, whose default counts whatever else is
// said, and nil for anything else.
func fieldAround(x ast.Node, around []ast.Node) []string {
	path := []string{}
	for i, n := range slices.Backward(around) {
		f, isField := n.(*ast.Field)
		_, isStruct := n.(*ast.StructLit)
		switch {
		case isField && (len(path) > 0 || f.Value == x) && syntax.IsPlainField(f):
			path = append([]string{syntax.LabelName(f.Label)}, path...)
		case isStruct && len(path) > 0:
		case len(path) == 0 && i == len(around)-1 && isOperator(n, x):
			return path
		default:
			return nil
		}
	}
	return path
}

// places are those of literals, by where the fields are of which they are the values. The model has types for what an artifact says, so CUE
// places a value that is passed on at the literal.
func (s *surroundings) places() map[token.Pos]token.Pos {
	out := map[token.Pos]token.Pos{}
	for _, all := range s.fields {
		for _, f := range all {
			if lit := literalOf(f.Value); lit != nil {
				out[f.Label.Pos()] = lit.Pos()
			}
		}
	}
	return out
}

// placeOf is where the value lies of a let that a reference names, if that is made there, or of a loop's key.
func (s *surroundings) placeOf(ref ast.Expr) token.Pos {
	root, names := chainOf(ref)
	if loop := s.loops[root.Node]; loop != nil && ast.Node(loop.Key) == root.Node {
		return loop.Pos()
	}
	let := s.let(root)
	if let == nil || len(names) > 0 {
		return token.NoPos
	}
	if lit := literalOf(let.Expr); lit != nil {
		return lit.Pos()
	}
	if root, _ := chainOf(let.Expr); root != nil {
		return token.NoPos
	}
	return let.Expr.Pos()
}

// literalOf is the literal that a value is by itself or by default, nil for none.
func literalOf(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.BasicLit:
		return x
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return literalOf(x.X)
		}
	case *ast.BinaryExpr:
		if x.Op == token.OR {
			return literalOf(x.X)
		}
	}
	return nil
}

// embeddedIn is the path of the field in whose struct something is embedded.
func embeddedIn(around []ast.Node) []string {
	n := len(around) - 2
	if n < 0 {
		return nil
	}
	if _, ok := around[n+1].(*ast.EmbedDecl); !ok {
		return nil
	}
	return fieldAround(around[n], around[:n])
}

// isOperator reports whether an expression or a clause takes the default of a part.
func isOperator(n, part ast.Node) bool {
	switch x := n.(type) {
	case *ast.Interpolation, *ast.IfClause, *ast.ForClause, *ast.CallExpr:
		return true
	case *ast.IndexExpr:
		return x.Index == part
	case *ast.UnaryExpr:
		return x.Op != token.MUL
	case *ast.BinaryExpr:
		return x.Op != token.AND && x.Op != token.OR
	}
	return false
}

// isSame reports whether an artifact that roles share is the same if what is passed to it is no more than the defaults of alternatives.
func isSame(pkg *source.Package, roles []roleText, lib *source.Library) bool {
	return !filter.Any(roles, func(t roleText) bool {
		return filter.Any(t.passed, func(p passed) bool {
			return p.kind == choices && len(p.at) > 0 && !lib.Sources(pkg).IsCopy(p.at...)
		})
	})
}

// pass writes what a role passes on into the struct that has its artifact, and how much that is.
func (w *roleWriter) pass(t roleText, around *surroundings) {
	if len(t.passed) == 0 {
		return
	}
	lit := &ast.StructLit{}
	if !t.asks {
		lit.Elts = append(lit.Elts, &ast.Field{Label: ast.NewIdent(howMany), Value: ast.NewLit(token.INT, strconv.Itoa(len(t.passed)))})
	}
	in := t.at[0].in
	for n, p := range t.passed {
		for _, at := range t.at {
			if contains(at.expr, p.ref) && at.in != in {
				w.passIn(in, lit)
				in, lit = at.in, &ast.StructLit{}
			}
		}
		if at := around.placeOf(p.ref); at.IsValid() {
			w.places[p.ref.Pos()] = at
		}
		fields := []ast.Decl{&ast.Field{Label: ast.NewIdent(p.field(n)), Value: p.ref}}
		if t.asks {
			there := &ast.BinaryExpr{X: p.ref, Op: token.NEQ, Y: &ast.BottomLit{}}
			fields = []ast.Decl{&ast.Comprehension{Clauses: []ast.Clause{&ast.IfClause{Condition: there}}, Value: &ast.StructLit{Elts: fields}}}
		}
		lit.Elts = append(lit.Elts, fields...)
	}
	w.passIn(in, lit)
}

// passIn adds values that are passed on to those of a role's struct.
func (w *roleWriter) passIn(role, values *ast.StructLit) {
	with := *role
	if before, ok := w.instead[role].(*ast.StructLit); ok {
		with = *before
	}
	meta := &ast.Field{Label: ast.NewString("meta"), Value: &ast.StructLit{Elts: []ast.Decl{&ast.Field{Label: ast.NewIdent(passedIn), Value: values}}}}
	with.Elts = append(slices.Clip(with.Elts), meta)
	w.instead[role] = &with
}

func contains(x ast.Node, part ast.Node) (found bool) {
	ast.Walk(x, func(n ast.Node) bool { found = found || n == part; return !found }, nil)
	return found
}

// ownRef is how an artifact refers to a value that is lifted.
func ownRef(description *ast.Ident, at token.Pos, field string) ast.Expr {
	id := *description
	id.NamePos = at
	var ref ast.Expr = &id
	for _, name := range []string{"config", depends.Lifted, field} {
		ref = &ast.SelectorExpr{X: ref, Sel: ast.NewIdent(name)}
	}
	return ref
}
