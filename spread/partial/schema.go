package partial

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// schema is a part of an artifact's config, made into checks that need no CUE
// where that is certain to give the same.
type schema struct {
	// value is the part, for what only CUE can tell.
	value cue.Value
	// place is where a struct is written.
	place diag.Pos
	// pos is where a section is declared, see [schema.section]. Of a field whose default is another field it is where the field is
	// declared, and of a struct with a named field where that is.
	pos diag.Pos
	// fields are those of a struct, sorted by name; nil for anything else. An open one takes
	// others as they are. ofModel tells that it is a definition of the model.
	fields        []schemaField
	open, ofModel bool
	// patterns are what a struct says of fields that it does not name.
	patterns []pattern
	// each is what a list says of its items, or a map of its fields, whatever they are called.
	each *schema
	kind value.Kind // of what has each
	// named is the field that falls back to the name under which a map has the struct, "" for none. Only the model has such types.
	named string
	// check reports whether a type takes a value, nil if that is for CUE to tell.
	check func(*value.Data) bool
	// sibling is the path of the value that is the field's default, from the struct around it on; nil for none.
	sibling []string
	// choice is the type, if it is a choice between structs, and nil otherwise.
	choice choice
	// fallback is what the field is if nobody gives it, nil if somebody must.
	fallback *value.Data
	// fixed tells that it is that in any case: which of two places it has if somebody
	// gives it too is for CUE to tell.
	fixed bool
	// known remembers what CUE said of values, by their JSON; took that it took one.
	known map[string]bool
	took  bool
}

// maxRefused is how many values CUE is asked about of a type that took none as it was.
const maxRefused = 3

type schemaField struct {
	name     string
	optional bool
	required bool // somebody has to give it, whatever it falls back to
	// beside is another field that the struct has to have for this one to count, "" for none. Only the model has such types.
	beside string
	schema *schema
}

// compileSchema makes the checks for the part of the config at a path.
func (u *unit) compileSchema(v cue.Value, path []string) *schema {
	s := &schema{value: v}
	if field, ok := v.Source().(*ast.Field); ok {
		if x := siblingOf(field); x != nil {
			s.sibling, s.check, s.pos = x.path, x.check, fromcue.Pos(v)
			return s
		}
	}
	if member, ok := membersOf(v); ok {
		s.kind = value.Struct
		if member == cue.AnyIndex {
			s.kind = value.List
		}
		s.each = u.compileSchema(v.LookupPath(cue.MakePath(member)), append(slices.Clip(path), ""))
	} else if each := u.itemsOr(v, path); each != nil {
		s.kind, s.each = value.List, each
	} else if isAnything(v) {
		s.check = func(*value.Data) bool { return true }
	} else if v.IncompleteKind() != cue.StructKind {
		if s.check = checkOf(v); s.check == nil {
			if kind := plainKind(v); kind != nil {
				s.check = func(d *value.Data) bool { return d.Kind == *kind }
			} else {
				s.check = u.checkKinds(v)
			}
		}
	} else if u.compileStruct(s, path) {
		return s
	} else {
		s.check, s.choice = checkOf(v), choiceOf(v)
	}
	if d, ok := v.Default(); ok || v.IsConcrete() {
		f := &spread.Finisher{}
		if x := f.Finish(d, nil); x != nil && len(f.Problems) == 0 {
			s.fallback, s.fixed = x, !ok
		}
	}
	return s
}

// compileStruct makes the checks for a struct of named fields. It is false for any other type, and for a
// definition of the model if CUE has to be asked about some of its fields.
func (u *unit) compileStruct(s *schema, path []string) bool {
	var patterns []pattern
	if !isOneStruct(s.value, true) {
		if !u.src.isOneStruct(path) {
			return false
		}
		patterns = patternsOf(s.value)
	}
	u.compileFields(s, path)
	if !s.setPatterns(patterns) {
		s.fields = nil
	}
	of := cue.Dereference(s.value)
	s.ofModel = value.IsModel(fromcue.Pos(of)) && !value.IsModel(fromcue.Pos(s.value))
	switch {
	case s.ofModel && s.asks():
		s.fields = nil
	case s.fields != nil && !s.ofModel:
		// CUE gives a struct that is a reference the position of what it refers to.
		s.place = u.Place(of, append([]string{"description", "config"}, path...))
	}
	return s.fields != nil
}

// isOneStruct reports whether a section of config has no alternatives: the model has
// none, and what else is said is plain structs.
func (s *sources) isOneStruct(path []string) bool {
	if s == nil || len(path) != 1 {
		return false
	}
	if s.spine == nil {
		return s.Sources != nil && s.Sources.IsStruct(slices.Concat(s.groupsOfConfig...), "description", "config", path[0])
	}
	structs, ok := s.spine.at("config", path[0])
	return ok && len(structs) > 0
}

// writtenAs is the expression that a value is declared with. It is nil if several are joined.
func writtenAs(v cue.Value) ast.Node {
	n := v.Source()
	if field, ok := n.(*ast.Field); ok {
		return field.Value
	}
	return n
}

// membersOf is how the type of a list's items, or of a map's fields, is asked for; false for
// all that is more than  [...T]  or  {[string]: T}.
func membersOf(v cue.Value) (cue.Selector, bool) {
	n := writtenAs(v)
	member, ok := cue.Selector{}, false
	switch x := n.(type) {
	case *ast.ListLit:
		member, ok = cue.AnyIndex, typeOfItems(x) != nil
	case *ast.StructLit:
		if len(x.Elts) == 1 {
			f, isField := x.Elts[0].(*ast.Field)
			member, ok = cue.AnyString, isField && syntax.IsAnyName(f.Label)
		}
	}
	if !ok || value.IsModel(fromcue.Pos(v)) || !isSelfContained(n, true) {
		return cue.Selector{}, false
	}
	op, _ := v.Expr() // which takes CUE long
	return member, op == cue.NoOp
}

// itemsOr returns the schema of T for a list that is declared as  *[1, 2] | [...T] . CUE's value of such a field is the default, which does not
// show T. itemsOr returns nil if Go cannot check the items without CUE.
func (u *unit) itemsOr(v cue.Value, path []string) *schema {
	x, _ := writtenAs(v).(ast.Expr)
	chosen, other, ok := syntax.WithDefault(x)
	if !ok || value.IsModel(fromcue.Pos(v)) || !isClosedList(chosen) {
		return nil
	}
	list, ok := syntax.Unparen(other).(*ast.ListLit)
	if !ok || typeOfItems(list) == nil {
		return nil
	}
	_, all := v.Expr()
	items := all[len(all)-1].LookupPath(cue.MakePath(cue.AnyIndex))
	if len(all) > 2 || !items.Exists() {
		return nil
	}
	each := u.compileSchema(items, append(slices.Clip(path), ""))
	if each.asks() || !each.isNamed() {
		return nil
	}
	return each
}

// isClosedList reports whether an expression is a list literal in which nothing is open, so that no longer list fits it.
func isClosedList(x ast.Expr) bool {
	_, ok := x.(*ast.ListLit)
	ast.Walk(x, func(n ast.Node) bool {
		_, isOpen := n.(*ast.Ellipsis)
		ok = ok && !isOpen
		return ok
	}, nil)
	return ok
}

// typeOfItems is T of  [...T] , nil for any other list.
func typeOfItems(list *ast.ListLit) ast.Expr {
	if len(list.Elts) != 1 {
		return nil
	}
	rest, ok := list.Elts[0].(*ast.Ellipsis)
	if !ok {
		return nil
	}
	return rest.Type
}

// isOneStruct reports whether v is nothing but structs of named fields, by a name or in so
// many words: it has no alternatives, patterns, conditions or validators. If it is the only conjunct of a
// field (alone), the default of one of its fields may be another field.
func isOneStruct(v cue.Value, alone bool) bool { return isOneOf(v, alone, maxNames) }

// maxNames bounds how many names and operands are followed from an expression to a struct, as a definition may refer to itself:
// #D: #D & {a: 1} .
const maxNames = 20

func isOneOf(v cue.Value, alone bool, names int) bool {
	if names == 0 {
		return false
	}
	n := writtenAs(v)
	switch n.(type) { // before CUE is asked, which takes it long
	case *ast.Ident, *ast.SelectorExpr:
		of := cue.Dereference(v)
		return of.Source() != v.Source() && isSelfContained(of.Source(), alone) && isOneOf(of, alone, names-1)
	}
	lit, isLit := n.(*ast.StructLit)
	if isLit && !filter.Any(lit.Elts, func(d ast.Decl) bool { return isMore(d) || isEmbedding(d) }) {
		return alone || isSelfContained(lit, false)
	}
	op, args := v.Expr()
	return op == cue.AndOp && !filter.Any(args, func(a cue.Value) bool {
		if a.Source() == nil { // the rest of a struct in which another is embedded
			return !isLit || filter.Any(lit.Elts, isMore) || filter.Any(args, isField)
		}
		return !isAnything(a) && !isOneOf(a, false, names-1)
	})
}

// isSelfContained reports whether an expression refers to nothing but packages and definitions:
// its fields do not depend on each other, apart from defaults that are other fields (see [siblingOf]), which
// siblings allows.
func isSelfContained(n ast.Node, siblings bool) bool {
	if n == nil {
		return false // several expressions, or what CUE has made
	}
	found := false
	ast.Walk(n, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && siblings && siblingOf(f) != nil {
			return false
		}
		if id, ok := n.(*ast.Ident); ok && id.Node != nil {
			_, isImport := id.Node.(*ast.ImportSpec)
			found = found || !isImport && !strings.HasPrefix(strings.TrimPrefix(id.Name, "_"), "#")
		}
		return !found
	}, nil)
	return !found
}

// isField reports whether a value is what a field says.
func isField(v cue.Value) bool {
	_, ok := v.Source().(*ast.Field)
	return ok
}

func isEmbedding(d ast.Decl) bool {
	_, ok := d.(*ast.EmbedDecl)
	return ok
}

// isOpenStruct reports whether the structs that a type is made of say that they are open. Of the type
// of a member, CUE does not know that a definition around it closes it.
func isOpenStruct(v cue.Value) bool {
	n := writtenAs(v)
	switch x := n.(type) { // before CUE is asked, which takes it long
	case *ast.Ident, *ast.SelectorExpr:
		of := cue.Dereference(v)
		return of.Source() != v.Source() && isOpenStruct(of)
	case *ast.StructLit:
		if !filter.Any(x.Elts, isEmbedding) {
			return filter.Any(x.Elts, isEllipsis)
		}
	}
	op, args := v.Expr()
	if op != cue.AndOp {
		lit, ok := n.(*ast.StructLit)
		return ok && filter.Any(lit.Elts, isEllipsis)
	}
	own := func(a cue.Value) bool { return a.Source() != nil && !isAnything(a) }
	if filter.Any(args, func(a cue.Value) bool { return a.Source() == nil }) {
		return filter.Any(args, func(a cue.Value) bool { return own(a) && isOpenStruct(a) })
	}
	return !filter.Any(args, func(a cue.Value) bool { return own(a) && !isOpenStruct(a) })
}

func isEllipsis(d ast.Decl) bool {
	_, ok := d.(*ast.Ellipsis)
	return ok
}

// isMore reports whether a declaration in a struct says more than what named fields are, in
// itself or in what it embeds.
func isMore(d ast.Decl) bool {
	switch x := d.(type) {
	case *ast.Field:
		return syntax.LabelName(x.Label) == ""
	case *ast.Ellipsis:
		return x.Type != nil
	case *ast.EmbedDecl, *ast.CommentGroup:
		return false
	}
	return true
}

// isAnything reports whether v is _, and not a validator, which takes values of all kinds too.
func isAnything(v cue.Value) bool {
	id, ok := writtenAs(v).(*ast.Ident)
	return ok && id.Name == "_"
}

func (u *unit) compileFields(s *schema, path []string) {
	fields, err := fromcue.Fields(s.value, cue.Optional(true))
	if err != nil {
		return
	}
	s.fields, s.open = []schemaField{}, s.value.Allows(cue.AnyString) && isOpenStruct(s.value)
	for fields.Next() {
		optional := fields.FieldType()&cue.OptionalConstraint != 0
		f := schemaField{name: fields.Name(), optional: optional, required: fields.FieldType()&cue.RequiredConstraint != 0}
		f.schema = u.schemaAt(fields.Value(), append(slices.Clip(path), f.name))
		s.fields = append(s.fields, f)
	}
	sorting.By(s.fields, func(a, b schemaField) int { return strings.Compare(a.name, b.name) })
}

// schemaAt is [unit.compileSchema], once for fields that are the same definition: to look at
// one takes longer than to ask CUE whether it takes a value.
func (u *unit) schemaAt(v cue.Value, path []string) *schema {
	name := u.DefinitionAt(path)
	if known := u.defined[name]; name != "" && known != nil {
		return known
	}
	s := u.compileSchema(v, path)
	if name != "" && !s.hasPlace() {
		u.defined[name] = s
	}
	return s
}

// hasPlace reports whether values that nobody gave get a position that depends on where the type is used.
func (s *schema) hasPlace() bool {
	if s.fields == nil {
		return s.each != nil || s.fallback != nil
	}
	return !s.ofModel || filter.Any(s.fields, func(f schemaField) bool { return f.schema.fields != nil || f.schema.each != nil })
}

// plainKind is the kind of a type without any constraint, nil for other types.
func plainKind(v cue.Value) *value.Kind {
	if op, args := v.Expr(); op != cue.NoOp || len(args) != 1 {
		return nil
	}
	if _, ok := v.Default(); ok || v.IsConcrete() {
		return nil
	}
	kinds := map[cue.Kind]value.Kind{cue.StringKind: value.String, cue.BoolKind: value.Bool, cue.IntKind: value.Int}
	kind, ok := kinds[v.IncompleteKind()]
	if !ok {
		return nil
	}
	switch n := wording.Source(v); n { // there is no other way to see that nothing else is said
	case "string", "bool", "int":
		return &kind
	}
	return nil
}

// fill gives a config its values: what is given, else what the artifact falls
// back to, marked as its default. It is false where CUE has to look at it.
func (s *schema) fill(r *runner, given *value.Data, origin value.Origin) (*value.Data, bool) {
	switch {
	case given == nil && s.fields != nil:
		if s.ofModel {
			return nil, false // the position that CUE gives it is not known
		}
		given = &value.Data{Kind: value.Struct, Pos: s.place}
	case given == nil:
		if s.fallback == nil {
			return nil, false
		}
		return s.fallback.WithOrigin(func(*value.Data) value.Origin { return origin }), true
	case s.each != nil:
		return s.fillMembers(r, given, origin)
	case s.fields == nil:
		twoPlaces := s.fixed && s.fallback.Kind != value.Struct && s.fallback.Kind != value.List
		return given, !twoPlaces && s.takes(r, given)
	}
	if given.Kind != value.Struct {
		return nil, false
	}
	return s.fillFields(r, given, origin)
}

// section is [schema.fill] for a section of config, which lies where it is declared,
// given or not.
func (s *schema) section(r *runner, given *value.Data, origin value.Origin) (*value.Data, bool) {
	out, ok := s.fill(r, given, origin)
	if !ok || !s.pos.IsValid() || out.Kind != value.Struct && out.Kind != value.List {
		return out, ok
	}
	placed := *out
	placed.Pos = s.pos
	return &placed, true
}

// fillMembers fills the items of a list, or the fields of a map.
func (s *schema) fillMembers(r *runner, given *value.Data, origin value.Origin) (*value.Data, bool) {
	if given.Kind != s.kind {
		return nil, false
	}
	if s.fallback != nil && len(given.Items) > 0 && mayBe(given, s.fallback) {
		return nil, false // CUE joins it with the default
	}
	out := &value.Data{Kind: given.Kind, Pos: given.Pos}
	for _, m := range given.Members() {
		x, ok := s.each.fill(r, s.each.withName(m.Value, m.Name), origin)
		if !ok {
			return nil, false
		}
		if given.Kind == value.List {
			out.Items = append(out.Items, x)
		} else {
			out.Fields = append(out.Fields, value.Field{Name: m.Name, Value: x})
		}
	}
	return out, true
}

// mayBe reports whether a value that is given may be joined with another one: no leaf of both differs, and no list is longer.
func mayBe(given, other *value.Data) bool {
	if given.Kind != other.Kind || len(given.Items) != len(other.Items) || given.Text != other.Text {
		return false
	}
	return !filter.Any(given.Members(), func(m value.Field) bool {
		x := other.Get(m.Name)
		return x != nil && !mayBe(m.Value, x)
	})
}

func (s *schema) fillFields(r *runner, given *value.Data, origin value.Origin) (*value.Data, bool) {
	out := &value.Data{Kind: value.Struct, Pos: given.Pos, Fields: make([]value.Field, 0, len(s.fields))}
	used := 0
	var siblings []schemaField
	for _, f := range s.fields {
		own := given.Get(f.name)
		if f.beside != "" && given.Get(f.beside) == nil {
			continue
		}
		if own != nil {
			used++
		}
		if f.required && own == nil {
			return nil, false
		}
		if f.optional && own == nil {
			continue
		}
		if f.schema.sibling != nil && own == nil {
			siblings = append(siblings, f)
			continue
		}
		filled, ok := f.schema.fill(r, own, origin)
		if !ok {
			return nil, false
		}
		out.Fields = append(out.Fields, value.Field{Name: f.name, Value: filled})
	}
	if !fallBack(out, siblings, origin) {
		return nil, false
	}
	if used == len(given.Fields) {
		return out, true
	}
	for _, f := range given.Fields {
		if out.Get(f.Name) != nil {
			continue
		}
		if !s.takesOther(f) {
			return nil, false
		}
		out = out.Set(f.Name, f.Value)
	}
	return out, true
}

// takes reports whether a value is one that the type takes and leaves as it is.
func (s *schema) takes(r *runner, given *value.Data) bool {
	if s.check != nil {
		return s.check(given)
	}
	if s.choice.takes(given) {
		return true
	}
	key := given.JSON()
	ok, known := s.known[key]
	if !known && (s.took || len(s.known) < maxRefused) {
		f := &spread.Finisher{Places: spread.Nowhere}
		unified := r.Eval.Unified(s.value, given)
		x := f.Finish(unified, nil)
		ok = x != nil && len(f.Problems) == 0 && x.JSON() == key && isDeclared(given, s.value) &&
			len(spread.ErrorsOf(unified)) == 0
		if s.known == nil {
			s.known = map[string]bool{}
		}
		s.known[key], s.took = ok, s.took || ok
	}
	return ok
}

// structType returns the schema of a struct type that a value is unified with, if CUE need not be asked about
// it; nil otherwise.
func (u *unit) structType(v cue.Value) *schema {
	if n := writtenAs(v); v.IncompleteKind() != cue.StructKind || !isSelfContained(n, true) {
		return nil
	}
	s := u.compileSchema(v, []string{"", ""}) // no part of config
	if s.fields == nil || s.asks() {
		return nil
	}
	return s
}

// isWhole reports whether a value is one that the type takes and adds nothing to.
func (s *schema) isWhole(d *value.Data) bool {
	if s.each != nil {
		return d.Kind == s.kind && !filter.Any(d.Members(), func(m value.Field) bool { return !s.each.isWhole(m.Value) })
	}
	if s.fields == nil {
		return s.check != nil && s.check(d)
	}
	if d.Kind != value.Struct {
		return false
	}
	used := 0
	for _, f := range s.fields {
		own := d.Get(f.name)
		switch {
		case own != nil && !f.schema.isWhole(own), own == nil && !f.optional:
			return false
		case own != nil:
			used++
		}
	}
	return s.open || used == len(d.Fields)
}

// checkKinds is the check of a choice between types of which no two take the same kind of value, as  string | {size: int}.  It takes a
// value that its type adds nothing to. It is nil for any other type.
func (u *unit) checkKinds(v cue.Value) func(*value.Data) bool {
	op, args := v.Expr()
	if op != cue.OrOp {
		return nil
	}
	var types []*schema
	kinds := cue.BottomKind
	for _, a := range args {
		s := u.compileSchema(a, []string{"", ""}) // no part of config
		if kinds&a.IncompleteKind() != 0 || s.asks() || !s.isNamed() {
			return nil
		}
		kinds |= a.IncompleteKind()
		types = append(types, s)
	}
	return func(d *value.Data) bool {
		return filter.Any(types, func(s *schema) bool { return s.isWhole(d) })
	}
}

// isNamed reports whether a type names all fields of all structs in it.
func (s *schema) isNamed() bool {
	if s.each != nil {
		return s.kind == value.List && s.each.isNamed()
	}
	return !s.open && !filter.Any(s.fields, func(f schemaField) bool { return !f.schema.isNamed() })
}

// isDeclared reports whether a type has every field that is in a value: of those that
// it has not, CUE places the first of a struct where the struct is.
func isDeclared(d *value.Data, v cue.Value) bool {
	return !filter.Any(d.Members(), func(m value.Field) bool {
		if d.Kind == value.List && len(m.Value.Members()) == 0 {
			return false
		}
		part := v.LookupPath(cue.MakePath(cue.AnyIndex))
		if d.Kind == value.Struct {
			if modelled(v, m.Name) {
				return false
			}
			part = declared(v, m.Name)
		}
		return !part.Exists() || !isDeclared(m.Value, part)
	})
}

// declared is the type of a field that a struct's type names, optional or not.
func declared(v cue.Value, name string) cue.Value {
	fields, err := fromcue.Fields(v, cue.Optional(true))
	for err == nil && fields.Next() {
		if fields.Name() == name {
			return fields.Value()
		}
	}
	return cue.Value{}
}

// modelled reports whether the model says what a field may be, by name or by a pattern
// as for the roles in scale.detail: all that is in there, then, if not anything.
func modelled(v cue.Value, name string) bool {
	part := v.LookupPath(cue.MakePath(cue.Str(name).Optional()))
	return value.IsModel(fromcue.Pos(part)) && part.IncompleteKind() != cue.TopKind
}

// showsSize reports whether an expression is the number of instances, and parameters decide that.
func (res *residual) showsSize(p spread.Passed) bool {
	return !p.Text && res.size != nil && p.Parts[0].Ref[1] == "scale"
}

// field is the part at a field, nil if there is none. The receiver may be nil.
func (s *schema) field(name string) *schema {
	if s == nil {
		return nil
	}
	for _, f := range s.fields {
		if f.name == name {
			return f.schema
		}
	}
	return nil
}

// asks reports whether CUE is asked about values of the part.
func (s *schema) asks() bool {
	if s.each != nil {
		return s.each.asks()
	}
	if s.fields == nil {
		return s.check == nil
	}
	return filter.Any(s.fields, func(f schemaField) bool { return f.schema != nil && f.schema.asks() })
}
