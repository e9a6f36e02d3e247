package depends

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
)

// Part is a field of an artifact, or of a part of it, as its sources declare it.
type Part struct {
	// Name is its name; where that looks like one of a hidden field, it begins with a quote.
	Name string
	// Fields declare it, in the order of the sources; those of the model are not among
	// them.
	Fields  []*ast.Field
	node    *node    // nil where it is not needed yet
	scope   *scope   // of the first field, or one around it
	further []*scope // of the other fields, where there is no node
	up      *Part    // what it lies in, where there is no node
}

// known is the part with its node.
func (p Part) known() Part {
	if p.node != nil {
		return p
	}
	up := p.up.known()
	n := up.node.fields[p.Name]
	if n == nil {
		up.node.expand()
		n = up.node.fields[p.Name]
	}
	fields, scope, _ := n.own()
	return Part{Name: p.Name, Fields: fields, node: n, scope: scope}
}

// reader is that of the sources.
func (p Part) reader() *reader {
	for p.node == nil {
		p = *p.up
	}
	return p.node.reader
}

// ByName is the first of the fields that is not in a pattern, or the first of all if each is.
func (p Part) ByName() *ast.Field {
	if p.node == nil || len(p.Fields) == 1 {
		return p.Fields[0]
	}
	inPattern := func(f *ast.Field) bool {
		return filter.Any(p.node.said, func(c *conjunct) bool { return c.decl == f && c.inPattern() })
	}
	if i := slices.IndexFunc(p.Fields, func(f *ast.Field) bool { return !inPattern(f) }); i >= 0 {
		return p.Fields[i]
	}
	return p.Fields[0]
}

// isPlaced reports whether it is known where a struct lies. If several structs declare it, and one of them is reached by two references, one after
// the other, it is not.
func (n *node) isPlaced() bool {
	own := filter.Out(n.said, (*conjunct).isModels)
	return len(own) < 2 || !filter.Any(own, func(c *conjunct) bool { return c.references() > 1 })
}

// references is how many references lead to what a conjunct lies in.
func (c *conjunct) references() (n int) {
	for ; c.in != nil; c = c.in {
		if c.in.from != nil && c.in.in != nil {
			n++
		}
	}
	return n
}

// isReferredTo reports whether a conjunct lies in what another conjunct refers to.
func (c *conjunct) isReferredTo() bool { return c.references() > 0 }

// inPattern reports whether a conjunct is what a pattern says, or a part of that.
func (c *conjunct) inPattern() bool {
	f, ok := c.decl.(*ast.Field)
	return ok && isPattern(f) || c.in != nil && c.in.inPattern() || c.from != nil && c.from.inPattern()
}

// IsLiteral reports whether all that is said of a part, but by the model, is one struct of fields with
// names.
func (p Part) IsLiteral() bool { return len(p.Fields) == 1 && p.isLiteral() }

// isLiteral reports whether all that is said of a part, but by the model, is structs of fields with names. None lies in a definition, and of
// several, none is a part of what a pattern says.
func (p Part) isLiteral() bool {
	if len(p.Fields) == 0 {
		return false
	}
	for i, f := range p.Fields {
		if isComputed(f) || filter.Contains(p.Fields[:i], f) || !isPlainStruct(f.Value) {
			return false
		}
	}
	return p.node == nil || !filter.Any(p.node.said, func(c *conjunct) bool {
		return !c.isModels() && (len(p.Fields) > 1 && c.inPattern() || len(c.definitions()) > 0)
	})
}

// isPlainStruct reports whether an expression is a struct of nothing but fields with names.
func isPlainStruct(x ast.Expr) bool {
	lit, ok := x.(*ast.StructLit)
	return ok && !filter.Any(lit.Elts, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		if !ok {
			return true
		}
		name, ok := nameOf(f.Label)
		return !ok || isHidden(name) || f.Alias != nil
	})
}

// scopeOf is the scope of one of the fields, or one around it.
func (p Part) scopeOf(i int) *scope {
	if i == 0 {
		return p.scope
	}
	if p.node == nil {
		return p.further[i-1]
	}
	return p.node.said[slices.IndexFunc(p.node.said, func(c *conjunct) bool { return c.decl == p.Fields[i] })].scope
}

// literalParts returns the fields of a part for which isLiteral is true. A field that several structs declare is one part.
func (p Part) literalParts() (parts []Part) {
	for i := range p.Fields {
		for _, d := range p.Fields[i].Value.(*ast.StructLit).Elts {
			f := d.(*ast.Field)
			name, _ := nameOf(f.Label)
			parts = append(parts, Part{Name: name, Fields: []*ast.Field{f}, scope: p.scopeOf(i), up: &p})
		}
	}
	sorting.By(parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	out := parts[:0]
	for _, x := range parts {
		if last := len(out) - 1; last >= 0 && out[last].Name == x.Name {
			out[last].Fields, out[last].further = append(out[last].Fields, x.Fields...), append(out[last].further, x.scope)
			continue
		}
		out = append(out, x)
	}
	return out
}

// Parts are the fields of a struct that anybody but the model declares; false if there may
// be others, if config decides what is there, or if a definition may forbid one.
func (p Part) Parts() (parts []Part, ok bool) {
	if p.isLiteral() {
		return p.literalParts(), true
	}
	n := p.known().node
	n.expand()
	if n.opaque || n.dynamic || len(n.terms) > 0 || len(n.copies) > 0 || len(n.bodies) > 0 || !n.isAllowed() || !n.isPlaced() {
		return nil, false
	}
	for _, name := range sorting.Ordered(n.fields) {
		f := n.fields[name]
		fields, scope, ok := f.own()
		if !ok {
			return nil, false
		}
		if len(fields) > 0 {
			parts = append(parts, Part{Name: name, Fields: fields, node: f, scope: scope})
		}
	}
	return parts, true
}

// own are the declarations of a field that are not the model's; false if one of them is a
// condition, or not a field. Those that it refers to come after its own, as CUE has them.
func (n *node) own() (fields []*ast.Field, s *scope, ok bool) {
	var referredTo []*conjunct
	add := func(c *conjunct) {
		if s == nil {
			s = c.scope
		}
		fields = append(fields, c.decl.(*ast.Field))
	}
	for _, c := range n.said {
		_, ok := c.decl.(*ast.Field)
		switch {
		case c.isModels(), c.hasComputedName(): // which may be about any field
		case !ok || len(c.given) > 0:
			return nil, nil, false
		case c.isReferredTo():
			referredTo = append(referredTo, c)
		default:
			add(c)
		}
	}
	for _, c := range referredTo {
		add(c)
	}
	return fields, s, true
}

// IsStruct reports whether there are fields in a part, other than those of a value of config.
func (p Part) IsStruct() bool {
	if p.isLiteral() {
		return true
	}
	if len(p.Fields) == 1 {
		switch p.Fields[0].Value.(type) {
		case *ast.BasicLit, *ast.Interpolation, *ast.UnaryExpr, *ast.ListLit, *ast.CallExpr:
			return false
		}
		if picksLeaf(p.Fields[0].Value) || p.Formula() != nil || p.isAlone() && p.isNoStruct(p.Fields[0].Value) {
			return false
		}
	}
	p = p.known()
	p.node.expand()
	return len(p.node.fields) > 0 || !filter.Any(p.Fields, func(f *ast.Field) bool { _, ok := f.Value.(*ast.StructLit); return !ok })
}

// picksLeaf reports whether an expression picks an element of a list that is written there, and each of those is a leaf:
// [if x {1}, 2][0].
func picksLeaf(x ast.Expr) bool {
	index, ok := x.(*ast.IndexExpr)
	if !ok {
		return false
	}
	list, ok := index.X.(*ast.ListLit)
	return ok && !filter.Any(list.Elts, func(x ast.Expr) bool {
		if c, ok := x.(*ast.Comprehension); ok {
			x = syntax.OnlyEmbedded(c.Value)
		}
		switch x.(type) {
		case *ast.BasicLit, *ast.Interpolation:
			return false
		}
		return true
	})
}

// isAlone reports whether the part has no node yet and its one field is all that is said of it: nothing but the model
// says more of what it lies in.
func (p Part) isAlone() bool {
	if p.node != nil {
		return false
	}
	for p.node == nil {
		p = *p.up
	}
	return !filter.Any(p.node.said, func(c *conjunct) bool {
		f, ok := c.decl.(*ast.Field)
		return !c.isModels() && (!ok || !filter.Contains(p.Fields, f))
	})
}

// isNoStruct reports whether an expression for the part is arithmetic, or refers to a field outside of
// what the part lies in that has no fields.
func (p Part) isNoStruct(x ast.Expr) bool {
	if x, ok := x.(*ast.BinaryExpr); ok {
		return x.Op != token.AND && x.Op != token.OR
	}
	n, exact := p.reader().target(x, p.scope)
	if n == nil || !exact || n.config != nil {
		return false
	}
	n.expand()
	return n.state == unfolded && !n.opaque && !n.dynamic && len(n.fields) == 0 && len(n.copies) == 0
}

// Formula is how the value is made, Closed what it is written out; nil if that is not known.
func (p Part) Formula() *Formula {
	if len(p.Fields) != 1 {
		return nil
	}
	return p.reader().formula(p.Fields[0].Value, p.scope)
}

// Closed is what is said of the value, written out; nil if that is not possible, or if it
// may be a list or a struct.
func (p Part) Closed() *Closed {
	if len(p.Fields) != 1 || makesMembers(p.Fields[0].Value) {
		return nil
	}
	if p.isAlone() {
		if out := p.closed(); out != nil {
			return out
		}
	}
	if p = p.known(); len(p.Fields) != 1 { // roles with computed names may say more of it
		return nil
	}
	return p.closed()
}

// Written is the list or struct that the part is in so many words, with loops and conditions in it, or a call of a function that returns a list, written
// out; nil if more is said of the part, or if that is not possible.
func (p Part) Written() *Closed {
	if len(p.Fields) != 1 || !makesMembers(p.Fields[0].Value) || !p.isAllSaid() {
		return nil
	}
	c := newCloser(p.reader())
	c.tables, c.fallsBack = true, true
	out := c.closed(term{x: p.Fields[0].Value, scope: p.scope})
	if out == nil || out.Defined != nil || len(out.Constants) > 0 || c.inner && filter.Any(out.Exprs, hasWrittenOut) {
		return nil
	}
	return out
}

// Embedding is for a struct in so many words that has nothing but fields with names and copies of config without a name:
//
//	parameter: {description.config.parameter.shared, name: "a"}
//
// It returns the part without the copies, and how those are made. It is false for any other part, and if more is said of it.
func (p Part) Embedding() (rest Part, copies []*Formula, ok bool) {
	if len(p.Fields) != 1 {
		return rest, nil, false
	}
	lit, ok := p.Fields[0].Value.(*ast.StructLit)
	if !ok || !p.isAllSaid() {
		return rest, nil, false
	}
	field, named := *p.Fields[0], &ast.StructLit{}
	for _, d := range lit.Elts {
		x, isEmbedded := d.(*ast.EmbedDecl)
		if !isEmbedded {
			named.Elts = append(named.Elts, d)
			continue
		}
		f := p.reader().formula(x.Expr, p.scope)
		if f == nil || f.Text {
			return rest, nil, false
		}
		copies = append(copies, f)
	}
	field.Value = named
	rest = p
	rest.Fields = []*ast.Field{&field}
	return rest, copies, len(copies) > 0 && isPlainStruct(named)
}

// makesMembers reports whether an expression is a list or a struct in so many words, or a call of a function that returns a list.
func makesMembers(x ast.Expr) bool {
	_, isList := syntax.ListsItems(x)
	return isList || isLiteral(x)
}

// isAllSaid reports whether nobody but the model says anything of the part besides its one field, and whether that is under no condition.
func (p Part) isAllSaid() bool {
	if p.isAlone() {
		return true
	}
	n := p.known().node
	own := filter.Out(n.said, (*conjunct).isModels)
	return len(own) == 1 && len(own[0].given) == 0 && !own[0].maybe && !n.up.dynamic
}

// hasWrittenOut reports whether a list or struct may have a value in it that stands in place of a reference. CUE places such a value where
// it was taken from.
func hasWrittenOut(x ast.Expr) (has bool) {
	ast.Walk(x, func(n ast.Node) bool {
		var values []ast.Expr
		switch x := n.(type) {
		case *ast.Field:
			values = []ast.Expr{x.Value}
		case *ast.EmbedDecl:
			values = []ast.Expr{x.Expr}
		case *ast.ListLit:
			values = x.Elts
		}
		has = has || filter.Any(values, func(x ast.Expr) bool { _, ok := x.(*ast.ParenExpr); return ok })
		return !has
	}, nil)
	return has
}

// Check writes out all that is said of a part of which nobody needs the value, only whether it is an error; nil if that is
// not possible.
func (p Part) Check() *Closed { return p.known().node.check() }

// closed is [Part.Closed] as far as the scope around the part's first field tells.
func (p Part) closed() *Closed {
	r, x := p.reader(), p.Fields[0].Value
	if joined, bounded := r.joinsConfig(x, p.scope); joined && !bounded {
		return nil // CUE places a value of config that is given where it is given, and a default here
	}
	c := newCloser(r)
	c.tables, c.fallsBack = true, true
	out := c.closed(term{x: x, scope: p.scope})
	if out == nil || out.Defined != nil { // there is no slice that would show where a result lies
		return nil
	}
	if out.Decl = r.decl(p.Fields[0], p.scope, maxWritten); out.Decl == nil && r.picksConstant(x, p.scope) {
		out.Decl = p.Fields[0]
	}
	if p.isParameter() {
		out.Picks = picked(p.Fields[0])
	}
	return out.placed()
}

// isParameter reports whether the part lies in the parameters of a config, of which the model says nothing.
func (p Part) isParameter() bool {
	for ; p.node == nil; p = *p.up {
		if p.Name == "parameter" {
			return true
		}
	}
	return p.node.isParameter()
}

// IsStruct reports whether all that is said of a field of the artifact, but by the model, is
// fields with names, under no condition but for some of them, and what fields with such names are.
func (s *Sources) IsStruct(conditional []string, path ...string) bool {
	n, exact := s.at(path)
	if !exact {
		return false
	}
	fields, _, ok := n.own()
	known := len(n.terms) == 0 && len(n.copies) == 0 && !n.opaque // what names stand for is among the fields
	isOther := func(x ast.Expr) bool {
		lit, ok := x.(*ast.StructLit)
		if !ok {
			return !syntax.IsAnything(x) && !(known && isName(x))
		}
		return filter.Any(lit.Elts, func(d ast.Decl) bool { return !areNamed(d, conditional) && !(known && embedsName(d)) })
	}
	return ok && len(fields) > 0 && !filter.Any(fields, func(f *ast.Field) bool {
		return isComputed(f) || filter.Any(syntax.Conjuncts(f.Value), isOther)
	})
}

// isName reports whether an expression is a reference,  x  or  x.y .
func isName(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	}
	return false
}

// embedsName reports whether a declaration in a struct embeds what a name stands for.
func embedsName(d ast.Decl) bool {
	x, ok := d.(*ast.EmbedDecl)
	return ok && isName(x.Expr)
}

// areNamed reports whether a declaration in a struct is a field with a name, a condition for some
// of the given names, a pattern, an ellipsis, a name for an expression, or a struct of such.
func areNamed(d ast.Decl, conditional []string) bool {
	switch x := d.(type) {
	case *ast.Field:
		return isPattern(x) || !isComputed(x)
	case *ast.LetClause:
		return true
	case *ast.Ellipsis:
		return x.Type == nil
	case *ast.EmbedDecl:
		lit, ok := x.Expr.(*ast.StructLit)
		return ok && !filter.Any(lit.Elts, func(d ast.Decl) bool { return !areNamed(d, conditional) })
	}
	fields, ok := made(d, nil)
	return ok && !filter.Any(fields, func(f *ast.Field) bool {
		name, ok := nameOf(labelOf(f))
		return !ok || !filter.Contains(conditional, name)
	})
}

// Named is the expression that a field of the artifact is said to be, in one place, through
// other names for it: lets, and fields that are references. It is nil where that is not known.
func (s *Sources) Named(path ...string) ast.Expr {
	n, exact := s.at(path)
	if !exact {
		return nil
	}
	fields, scope, ok := n.own()
	if !ok || len(fields) != 1 {
		return nil
	}
	return Part{Name: n.name, Fields: fields, node: n, scope: scope}.named()
}

func (p Part) named() ast.Expr {
	x, s := p.Fields[0].Value, p.scope
	for range maxWritten {
		if isArtifactOf(x) {
			break // the name that it has in all packages
		}
		id, isIdent := x.(*ast.Ident)
		if isIdent {
			if t, ok := named(id, s); ok {
				x, s = t.x.(ast.Expr), t.scope
				continue
			}
		}
		n, exact := p.node.reader.target(x, s)
		if n == nil || !exact {
			break
		}
		fields, scope, ok := n.own()
		if !ok || len(fields) != 1 || len(n.said) != 1 {
			break
		}
		x, s = fields[0].Value, scope
	}
	return x
}

// isArtifactOf reports whether an expression is  x.#Artifact , the artifact of a package x that is imported.
func isArtifactOf(x ast.Expr) bool {
	id := syntax.OfArtifact(x)
	if id == nil {
		return false
	}
	_, isImport := id.Node.(*ast.ImportSpec)
	return isImport
}

// Fields are those of the sources that are declared once and for which an expression is all that is said. They lie outside
// of #Artifact, or in what is hidden in it: any other field is one of the artifact, and may be a mistake.
func (s *Sources) Fields(is func(ast.Expr) bool) (out []Part) {
	var visit func(n *node, aside bool, depth int)
	visit = func(n *node, aside bool, depth int) {
		n.expand()
		for _, name := range sorting.Ordered(n.fields) {
			f := n.fields[name]
			if name == "role" && n == s.reader.config.up || f.config != nil || depth > maxWritten {
				continue
			}
			aside := aside || (n.up == nil || isHidden(name)) && name != "#Artifact"
			fields, scope, ok := f.own()
			if ok && aside && len(fields) == 1 && len(f.said) == 1 && !isComputed(fields[0]) && is(fields[0].Value) {
				out = append(out, Part{Name: name, Fields: fields, node: f, scope: scope})
			} else if ok && len(fields) > 0 {
				visit(f, aside, depth+1)
			}
		}
	}
	visit(s.reader.root(s.pkg), false, 0)
	return out
}

// Names are those of the fields of what an expression at the top of the package, or in the
// description, refers to, in their order; false where they are not known, or depend on config.
func (s *Sources) Names(x ast.Expr) (names []string, ok bool) {
	s.artifact.expand()
	n := s.find(x)
	if n == nil || n.config != nil || !n.certain {
		return nil, false
	}
	parts, ok := Part{node: n, Fields: nil}.Parts()
	if ok = ok && len(n.types) == 0; !ok {
		return nil, false // a loop cannot go through a string
	}
	for name, f := range n.fields {
		if !isHidden(name) && f.isModels() {
			return nil, false
		}
	}
	known := map[string]bool{}
	for _, p := range parts {
		if filter.Any(p.Fields, func(f *ast.Field) bool { return isComputed(f) || f.Constraint != token.ILLEGAL }) {
			return nil, false
		}
		known[p.Name] = !isHidden(p.Name)
	}
	for _, name := range n.order {
		if known[name] {
			names = append(names, strings.TrimPrefix(name, `"`))
		}
	}
	return names, ok
}

// RoleNames returns the names of the artifact's roles, in the order in which CUE has them, if x
// refers to the struct of all roles. It is false if x refers to something else, or if the names or
// their order are not certain.
func (s *Sources) RoleNames(x ast.Expr) (names []string, ok bool) {
	s.artifact.expand()
	roles, exact := s.at([]string{"description", "role"})
	if !exact || s.find(x) != roles {
		return nil, false
	}
	roles.expand()
	for _, f := range roles.fields {
		if filter.Any(f.said, func(c *conjunct) bool { return !c.isModels() && !c.isDirect() }) {
			return nil, false
		}
	}
	return s.Names(x)
}

// isDirect reports whether each struct around a field, up to the file, is the value of a field. CUE
// orders fields of embedded structs, and of structs that are referred to, in another way.
func (c *conjunct) isDirect() bool {
	for c.in != nil {
		if c.decl == nil || c.scope == nil || c.from != nil {
			return false
		}
		in := c.in
		lit, ok := c.scope.at.(*ast.StructLit)
		if ok && !filter.Contains(syntax.Structs(in.x), lit) {
			return false
		}
		c = in
	}
	return true
}

// MayBeOrdered reports whether an expression may be a struct whose fields have an order that the
// sources decide. A list is none, and neither is a value of config or a loop's variable.
func (s *Sources) MayBeOrdered(x ast.Expr) bool {
	root := x
	if sel, ok := x.(*ast.SelectorExpr); ok {
		root = sel.X
	}
	if id, ok := root.(*ast.Ident); ok {
		switch id.Node.(type) {
		case *ast.Ident, *ast.ImportSpec: // a loop's variable, a package
			return false
		}
	}
	switch x.(type) {
	case *ast.StructLit, *ast.ParenExpr, *ast.IndexExpr:
		return true
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return false
	}
	s.artifact.expand()
	n := s.find(x)
	if n == nil || n.config != nil {
		return n == nil
	}
	n.expand()
	return len(n.fields) > 0 || n.dynamic || n.opaque || len(n.bodies) > 0
}

// isModels reports whether it is the model that makes a field be there, or may.
func (n *node) isModels() bool {
	return filter.Any(n.said, func(c *conjunct) bool {
		f, ok := c.decl.(*ast.Field)
		return c.isModels() && (!ok || f.Constraint == token.ILLEGAL && !isComputed(f))
	})
}

// maxModelled bounds how deep [node.isModelled] looks.
const maxModelled = 16

// isModelled reports whether the model has a conjunct of a field or of a field below it. Fields of
// config do not count: whoever asks fills in a finished config, to which the model adds nothing.
func (n *node) isModelled(depth int) bool {
	if n.config != nil || n.state == unfolding || depth == maxModelled {
		return n.config == nil
	}
	n.expand()
	return filter.Any(slices.Concat(n.said, n.patterns), (*conjunct).isModels) ||
		filter.Any(slices.Collect(maps.Values(n.fields)), func(f *node) bool { return f.isModelled(depth + 1) })
}

// isModels reports whether a conjunct is written in the model.
func (c *conjunct) isModels() bool { return c.scope.isModels() }

// find is the field that an expression refers to: it begins with the name of one in the
// file or of one around it. Nil if that is not known.
func (s *Sources) find(x ast.Expr) *node {
	switch x := x.(type) {
	case *ast.Ident:
		for _, n := range []*node{s.reader.config.up, s.artifact, s.reader.root(s.pkg)} {
			n.expand()
			for name, f := range n.fields {
				if name != x.Name {
					continue
				}
				if filter.Any(f.said, func(c *conjunct) bool {
					field, ok := c.decl.(*ast.Field)
					return ok && (x.Scope != nil && c.scope.at == x.Scope || x.Node != nil && field.Value == x.Node)
				}) {
					return f
				}
			}
		}
	case *ast.SelectorExpr:
		name, ok := nameOf(x.Sel)
		n := s.find(x.X)
		if !ok || n == nil {
			return nil
		}
		n.expand()
		return n.fields[name]
	}
	return nil
}

// Filling is the role, and the expression for its artifact, that a reference leads to, which is
// description.role.NAME.artifact; nil if it leads elsewhere.
func (s *Sources) Filling(x *ast.SelectorExpr) (role string, filling ast.Expr) {
	s.artifact.expand()
	n := s.find(x)
	if n == nil || !n.isArtifact() {
		return "", nil
	}
	return n.up.name, s.Named("description", "role", n.up.name, "artifact")
}

// MayHaveConfigs reports whether the config as a whole may be one of several structs: the artifact declares it
// by something other than a struct.
func (s *Sources) MayHaveConfigs() bool {
	config := s.reader.config
	config.expand()
	return filter.Any(config.terms, func(t term) bool { return !t.scope.isModels() })
}
