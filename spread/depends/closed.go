package depends

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
)

// Closed is an expression that CUE can evaluate by itself: what it refers to in the
// sources is written out in it, and what it takes from config has names of its own.
type Closed struct {
	// Exprs are all that is said of the value: each has to be true.
	Exprs []ast.Expr
	// Config are the names in them that stand for values of config, by path.
	Config []Ref
	// Constants are the names in them that stand for lists which are the same for every config.
	// Expressions that refer to one list share its Closed.
	Constants []Constant
	// Defined are the positions of structs that were written out in place of definitions, and of the structs inside. CUE would
	// accept any field in such a struct, so only Go may evaluate an expression that has one. It is nil if there are none.
	Defined map[token.Pos]bool
	// Unplaced tells that it is not known where CUE places the value: only Go may evaluate the expression, once CUE has made the value
	// in another way and shown the place.
	Unplaced bool
	// Decl is the field that one expression is all that is said of, nil if more is.
	Decl ast.Decl
	// Picks is the field that such an expression is all that is said of, if it picks an element of a list that is
	// written there:  [if x {a}, "b"][0].  CUE gives what an element refers to its own position, and any other element
	// that of the field. Decl is nil then.
	Picks *ast.Field
}

// Ref is a name in an expression for what config has at a path.
type Ref struct {
	In   *ast.Ident
	Path Path
}

// Constant is a name in an expression, and the expression for what it stands for.
type Constant struct {
	In *ast.Ident
	Is *Closed
}

// closed is the expression for all that is said of a field, nil if there is none, or if it
// may be a list or a struct: the field may not be there, or the expression shows what a
// definition closes, or that a value of config is a default.
func (n *node) closed() *Closed {
	if !n.certain || n.joinsConfig() == joinsChoice || len(n.reader.reach(func(w *walk) { w.all(n.given) })) > 0 {
		return nil
	}
	c := newCloser(n.reader)
	all := c.said(n)
	if all == nil || filter.Any(all, makesMembers) || len(filter.Out(n.terms, isOnlyType)) > 1 {
		return nil
	}
	out := c.finish(all)
	out.Decl, out.Picks = n.decl(maxWritten), n.picks()
	if out.Decl == nil && len(n.said) == 1 {
		f, isField := n.said[0].decl.(*ast.Field)
		if isField && n.reader.isPlacedAt(f.Value, n.said[0].scope) {
			out.Decl = f
		}
	}
	return out.placed()
}

// isPlacedAt reports whether an expression refers to a value, and CUE places the value at the expression all the same.
func (r *reader) isPlacedAt(x ast.Expr, s *scope) bool {
	_, bounded := r.joinsConfig(x, s)
	return bounded || r.picksConstant(x, s)
}

// joinsConfig reports whether an expression joins a value of config with something else by &. If so, bounded tells whether that is more
// than names of types such as string: a bound, for example.
func (r *reader) joinsConfig(x ast.Expr, s *scope) (joined, bounded bool) {
	all := syntax.Conjuncts(x)
	if len(all) < 2 {
		return false, false
	}
	for _, x := range all {
		if r.ofConfig(x, s) != nil {
			joined = true
			continue
		}
		id, ok := x.(*ast.Ident)
		bounded = bounded || !ok || id.Node != nil || !syntax.IsType(id.Name)
	}
	return joined, joined && bounded
}

// isParameter reports whether a field lies in the parameters of a config. The model says nothing of those.
func (n *node) isParameter() bool {
	for ; n != nil; n = n.up {
		if n.name == "parameter" && n.up != nil && n.up.name == "config" {
			return true
		}
	}
	return false
}

// picksConstant reports whether an expression is a part, which an index or a name picks, of a literal or of what lies outside of the
// artifact. CUE places that where it is referred to.
func (r *reader) picksConstant(x ast.Expr, s *scope) bool {
	x = syntax.Unwrapped(x)
	switch syntax.Indexed(x).(type) {
	case *ast.StructLit:
		return true
	case *ast.ListLit:
		return false // see [Closed.Picks]
	}
	n, exact := r.target(x, s)
	if n == nil || exact || n.config != nil || r.config.up.up.holds(n) {
		return false
	}
	index, ok := x.(*ast.IndexExpr)
	return !(ok && isNumber(index.Index) && n.isInDefinition()) // CUE places it where the definition has it
}

func isNumber(x ast.Expr) bool {
	lit, ok := x.(*ast.BasicLit)
	return ok && lit.Kind == token.INT
}

// unlessSaid writes out a field whose default is another value. The model has such a field in a size,
//
//	mincpu: *cpu.size | (number & >=0)
//
// and an artifact may write any field so. It is nil for any other field, and if the artifact has more than one expression for the field.
func (n *node) unlessSaid() *Closed {
	var own, model *conjunct
	for _, c := range n.said {
		switch {
		case c.x == nil || model != nil && c.isModels() && model.x != c.x:
			return nil
		case c.isModels():
			model = c
		case own != nil || len(c.given) > 0 || c.maybe:
			return nil
		default:
			own = c
		}
	}
	if model == nil || !n.certain || n.dynamic || len(n.fields) > 0 {
		return nil
	}
	says, beside := model, own
	if own != nil && syntax.HasDefault(own.x) {
		says, beside = own, model
	}
	value, other, ok := syntax.WithDefault(says.x)
	if !ok || beside != nil && syntax.HasDefault(beside.x) || says == own && !syntax.IsScalarType(other) {
		return nil
	}
	in, of := says.scope, says.scope
	switch {
	case says == own:
		other, of = model.x, model.scope
	case own != nil:
		value, in = own.x, own.scope
	}
	c := newCloser(n.reader)
	if !c.expr(term{x: value, scope: in}) || !c.expr(term{x: other, scope: of}) || isLiteral(value) || isLiteral(other) {
		return nil
	}
	out := c.finish([]ast.Expr{value, other})
	out.Unplaced = true
	return out
}

// check writes out all that is said of a field of which nobody needs the value, only whether it is an error. It is nil if that
// cannot be written out, or if there is a default in it: CUE joins that with the default of a value of config.
func (n *node) check() *Closed {
	c := newCloser(n.reader)
	all := c.all(n)
	if all == nil {
		return nil
	}
	out := c.finish(all)
	if filter.Any(out.Exprs, syntax.HasDefault) {
		return nil
	}
	return out
}

// isAside reports whether a field of the artifact is hidden or a definition, or lies in one.
func (n *node) isAside() bool {
	for artifact := n.reader.config.up.up; n != nil && n != artifact; n = n.up {
		if isHidden(n.name) {
			return true
		}
	}
	return false
}

// placed is nil for an expression that may select an element of a constant: CUE gives that the place of
// the element, which is not known here.
func (c *Closed) placed() *Closed {
	if len(c.Constants) > 0 && c.Decl == nil {
		return nil
	}
	return c
}

// isOnlyType reports whether a term says what a value must be, and not which it is.
func isOnlyType(t term) bool {
	switch x := t.x.(type) {
	case *ast.UnaryExpr:
		return true
	case *ast.BinaryExpr:
		return syntax.IsScalarType(x)
	}
	return false
}

// isLiteral reports whether an expression is a list or a struct in so many words.
func isLiteral(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isLiteral(x.X)
	case *ast.ListLit, *ast.StructLit:
		return true
	}
	return false
}

// only is the declaration that is all that is said of a field, nil if more is.
func (n *node) only() *ast.Field {
	types := filter.Out(n.types, func(t term) bool { return syntax.IsAnything(t.x.(ast.Expr)) })
	if len(n.terms)+len(types) != 1 || len(n.said) != 1 {
		return nil
	}
	f, _ := n.said[0].decl.(*ast.Field)
	return f
}

// decl is the one that says all of a field, or of the one that it is a reference to.
func (n *node) decl(further int) ast.Decl {
	f := n.only()
	if f == nil {
		return nil
	}
	return n.reader.decl(f, n.said[0].scope, further)
}

// picks is the field, if all that is said of it picks an element of a list that is written there.
func (n *node) picks() *ast.Field {
	f := n.only()
	if f == nil {
		return nil
	}
	return picked(f)
}

// picked returns the field itself if its value picks an element of a list literal, [if x {"a"}, "b"][0], and nil otherwise.
func picked(f *ast.Field) *ast.Field {
	if _, ok := syntax.Indexed(f.Value).(*ast.ListLit); !ok || syntax.Unwrapped(f.Value) != syntax.Unparen(f.Value) {
		return nil
	}
	return f
}

func (r *reader) decl(f *ast.Field, s *scope, further int) ast.Decl {
	x := syntax.Unwrapped(f.Value)
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		if isOtherName(x) {
			return f
		}
		n, exact := r.target(x, s)
		if n == nil || !exact || further == 0 || n.config != nil {
			return nil // a value of config lies where it is given
		}
		if !r.config.up.up.holds(n) && !n.isInDefinition() {
			return f // CUE places it where it is referred to
		}
		n.expand()
		return n.decl(further - 1)
	}
	return f
}

// isOtherName reports whether an expression is the name that a pattern gives the names of fields, or one that a let gives a literal or another
// such name. CUE places the text where the name is used.
func isOtherName(x ast.Expr) bool {
	for range maxWritten {
		if id, ok := x.(*ast.Ident); ok && isOfPattern(id) {
			return true
		}
		let := syntax.LetOf(x)
		if let == nil {
			return false
		}
		if _, ok := let.Expr.(*ast.BasicLit); ok {
			return true
		}
		x = let.Expr
	}
	return false
}

// Set are the fields of config that the value depends on.
func (c *Closed) Set() (out Set) {
	for _, x := range c.Config {
		out = append(out, x.Path)
	}
	return slices.CompactFunc(out, func(a, b Path) bool { return slices.Equal(a, b) })
}

// constant is the expression for a field that is a list with comprehensions and does not depend on
// config; nil for any other field.
func (n *node) constant() *Closed {
	n.expand()
	if n.constantKnown || !n.certain || len(n.terms) != 1 || len(n.types) > 0 {
		return n.isConstant
	}
	n.constantKnown = true // nil, if it refers to itself
	lit, ok := n.terms[0].x.(*ast.ListLit)
	if !ok || !filter.Any(lit.Elts, func(x ast.Expr) bool { _, ok := x.(*ast.Comprehension); return ok }) {
		return nil
	}
	c := newCloser(n.reader)
	if all := c.all(n); all != nil && len(c.config) == 0 {
		n.isConstant = c.finish(all)
	}
	return n.isConstant
}

// closer writes out what expressions refer to.
type closer struct {
	reader  *reader
	instead map[ast.Expr]ast.Expr
	config  map[ast.Expr]Path
	// constants are the names that were put in place of lists.
	constants []Constant
	in        []*node // that are being written out
	// tables is set if structs of literals outside of the artifact may be written out too. inner tells that something in the artifact
	// was written out.
	tables, inner bool
	defined       map[token.Pos]bool // see [Closed]
	types         leftOut            // nil if none are
	// fallsBack is set for the value of a part of a role's config. Nothing but the model says more of that, so it makes no difference whether what
	//  *x | "a"  refers to is a default.
	fallsBack bool
	// literal is set for an expression that Go makes a list or a struct of. Go finds out by itself where such an expression joins a struct of
	// config with others, so that the expression may do so.
	literal bool
	// group are parameters that are written out together, and refer to each other; nil where
	// config has all that is referred to.
	group []string
}

func newCloser(r *reader) *closer {
	return &closer{reader: r, instead: map[ast.Expr]ast.Expr{}, config: map[ast.Expr]Path{}}
}

func (c *closer) finish(all []ast.Expr) *Closed {
	out := &Closed{Defined: c.defined}
	for _, x := range all {
		copied, copyOf := syntax.CopyExpr(x, syntax.Change{Instead: c.instead})
		out.Exprs = append(out.Exprs, copied)
		for at, path := range c.config {
			if id, ok := copyOf(at).(*ast.Ident); ok {
				out.Config = append(out.Config, Ref{id, path})
			}
		}
		for _, k := range c.constants {
			if id, ok := copyOf(k.In).(*ast.Ident); ok {
				out.Constants = append(out.Constants, Constant{id, k.Is})
			}
		}
	}
	sorting.By(out.Config, func(a, b Ref) int { return slices.Compare(a.Path, b.Path) })
	return out
}

// all is what is said of a field that is certain to be there and has no fields of its
// own; nil if that cannot be written out.
func (c *closer) all(n *node) (out []ast.Expr) {
	n.expand()
	if !n.certain || len(n.reader.reach(func(w *walk) { w.all(n.given) })) > 0 {
		return nil
	}
	return c.said(n)
}

// said is [closer.all] for a field that is there.
func (c *closer) said(n *node) (out []ast.Expr) {
	n.expand()
	if n.dynamic || len(n.fields) > 0 || len(n.patterns) > 0 || len(n.terms) == 0 || len(c.in) > maxWritten || filter.Contains(c.in, n) {
		return nil
	}
	if filter.Any(n.said, func(c *conjunct) bool { return !c.isModels() && c.joinsStruct() }) {
		return nil // a struct without fields, which takes no number and no text
	}
	c.in = append(c.in, n)
	defer func() { c.in = c.in[:len(c.in)-1] }()
	for _, t := range slices.Concat(n.types, n.terms) {
		x, ok := t.x.(ast.Expr)
		if !ok || !c.expr(t) {
			return nil
		}
		out = append(out, x)
	}
	return out
}

// joinsStruct reports whether one of the expressions that a conjunct joins is a struct in so many words.
func (c *conjunct) joinsStruct() bool {
	return c.x != nil && len(syntax.Structs(c.x)) > 0
}

// maxWritten bounds how deep what is referred to is written out.
const maxWritten = 8

// expr makes a term one that can be copied; it is false if it cannot.
func (c *closer) expr(t term) (ok bool) {
	w := c.reader.walk()
	if c.reader.follow(w, func(w *walk) { w.term(t) }); w.unfilled || w.orders && w.mixes {
		return false
	}
	if (w.asks || w.opens || w.typed && !c.literal) && c.group == nil && c.judges(t) {
		return false
	}
	within := map[ast.Node]bool{}
	ast.Walk(t.x, func(n ast.Node) bool { within[n] = true; return true }, nil)
	ok = true
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			switch x.Label.(type) {
			case *ast.Ident, *ast.BasicLit:
			default:
				ast.Walk(x.Label, visit, nil)
			}
			if x.Value != nil {
				ast.Walk(x.Value, visit, nil)
			}
			return false
		case *ast.ForClause:
			ast.Walk(x.Source, visit, nil)
			return false
		case *ast.LetClause:
			ast.Walk(x.Expr, visit, nil)
			return false
		case *ast.Alias:
			ast.Walk(x.Expr, visit, nil)
			return false
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			known, open := c.reference(x.(ast.Expr), t.scope, within)
			ok = ok && (known || open)
			if known || !ok {
				return false
			}
			switch x := n.(type) {
			case *ast.SelectorExpr:
				ast.Walk(x.X, visit, nil) // the other side is a name within that
				return false
			}
		}
		return ok
	}
	ast.Walk(t.x, visit, nil)
	return ok
}

// judges reports whether it may make a difference to a term which types config has, or that a value of it is a default. What is said of
// config itself does not count: the term is evaluated with config as it is then.
func (c *closer) judges(t term) bool {
	w := c.reader.walk()
	w.finished, w.fallsBack = true, c.fallsBack
	w.term(t)
	return w.asks || w.opens || w.typed && !c.literal
}

// reference puts something in place of a reference to a field. Where it is none, or one
// of which only a part is known, that is open: what is in it is for a further look.
func (c *closer) reference(x ast.Expr, s *scope, within map[ast.Node]bool) (known, open bool) {
	if c.types != nil && c.types(x) {
		c.instead[x] = anyAt(x)
	}
	if c.instead[x] != nil {
		return true, false
	}
	n, exact, through := c.reader.refers(x, s)
	id, isIdent := x.(*ast.Ident)
	switch {
	case isIdent && c.group != nil && within[id.Scope]:
		return true, false
	case n == nil && isIdent:
		if name, ok := fieldName(id, s); ok {
			c.instead[x] = &ast.BasicLit{ValuePos: x.Pos(), Kind: token.STRING, Value: literal.String.Quote(name)}
			return true, false
		}
		if t, ok := named(id, s); ok {
			c.inner = c.inner || !isOtherName(x)
			return c.write(x, t.x.(ast.Expr), t), false
		}
		_, isImport := id.Node.(*ast.ImportSpec)
		return isImport || id.Node == nil && id.Scope == nil || within[id.Scope], false
	case n == nil || !exact:
		return false, !isIdent
	case c.reader.isUnfilled(n, through):
		return false, false
	case len(n.config) > 0 && c.group != nil:
		c.instead[x] = c.sibling(x, n.config)
		return c.instead[x] != nil, false
	case len(n.config) > 0:
		at := &ast.Ident{NamePos: x.Pos(), Name: "config"}
		c.instead[x], c.config[at] = at, n.config
		return true, false
	case n.config != nil:
		return false, false
	}
	if is := n.constant(); is != nil && c.group == nil {
		at := &ast.Ident{NamePos: x.Pos(), Name: "constant"}
		c.instead[x], c.constants = at, append(c.constants, Constant{at, is})
		return true, false
	}
	inArtifact := c.reader.config.up.up.holds(n)
	c.inner = c.inner || inArtifact
	all := c.all(n)
	if all == nil {
		if lit, at := n.table(); lit != nil && c.tables && !inArtifact {
			return c.write(x, lit, term{x: lit, scope: at}), false
		}
		lit, at := n.definition()
		if lit == nil {
			return false, false
		}
		c.define(lit)
		return c.write(x, lit, term{x: lit, scope: at}), false
	}
	y := all[0]
	for _, z := range all[1:] {
		y = &ast.BinaryExpr{X: y, OpPos: x.Pos(), Op: token.AND, Y: &ast.ParenExpr{Lparen: x.Pos(), X: z}}
	}
	c.instead[x] = &ast.ParenExpr{Lparen: x.Pos(), X: y}
	return true, false
}

// onlyStruct is the struct literal that is all that is said of a field, under no condition; nil if something else is.
func (n *node) onlyStruct() (*ast.StructLit, *scope) {
	if len(n.said) != 1 || len(n.said[0].given) > 0 || n.said[0].maybe {
		return nil, nil
	}
	lit, ok := n.said[0].x.(*ast.StructLit)
	if !ok {
		return nil, nil
	}
	return lit, n.said[0].scope
}

// definition is the struct of named fields that a definition is, and nothing else; nil for any other field.
func (n *node) definition() (*ast.StructLit, *scope) {
	lit, at := n.onlyStruct()
	if lit == nil || !strings.HasPrefix(n.name, "#") || !hasOnlyNamed(lit) {
		return nil, nil
	}
	return lit, at
}

// maxTable bounds the tables that are written out, once for each expression that refers to them.
const maxTable = 32

// table is the struct of named literals, without structs and lists in it, that a field is, and nothing else; nil for any other field, and
// for a definition.
func (n *node) table() (*ast.StructLit, *scope) {
	n.expand()
	lit, at := n.onlyStruct()
	if lit == nil || n.dynamic || len(lit.Elts) > maxTable || len(lit.Elts) != len(n.fields) || strings.HasPrefix(strings.TrimPrefix(n.name, "_"), "#") {
		return nil, nil
	}
	isOther := func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		if !ok || !syntax.IsPlainField(f) {
			return true
		}
		_, isLeaf := f.Value.(*ast.BasicLit)
		return !isLeaf
	}
	if filter.Any(lit.Elts, isOther) {
		return nil, nil
	}
	return lit, at
}

// hasOnlyNamed reports whether a struct, and each in it, has nothing but fields with names.
func hasOnlyNamed(lit *ast.StructLit) bool {
	return !filter.Any(lit.Elts, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		if !ok || !syntax.IsPlainField(f) {
			return true
		}
		in, isStruct := f.Value.(*ast.StructLit)
		return isStruct && !hasOnlyNamed(in)
	})
}

// define notes the position of a struct that is a definition, and of each struct in it.
func (c *closer) define(lit *ast.StructLit) {
	if c.defined == nil {
		c.defined = map[token.Pos]bool{}
	}
	ast.Walk(lit, func(n ast.Node) bool {
		if lit, ok := n.(*ast.StructLit); ok {
			c.defined[lit.Pos()] = true
		}
		return true
	}, nil)
}

// write puts an expression in place of a reference.
func (c *closer) write(x, y ast.Expr, t term) bool {
	if len(c.in) > maxWritten {
		return false
	}
	c.in = append(c.in, nil)
	defer func() { c.in = c.in[:len(c.in)-1] }()
	if !c.expr(t) {
		return false
	}
	c.instead[x] = &ast.ParenExpr{Lparen: x.Pos(), X: y}
	return true
}
