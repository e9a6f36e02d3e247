package partial

import (
	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// connectorReader reads connectors that a service gives as literals:
//
//	connect: db: {from: api: "db", to: postgres: sql: _}
//
// The model's #Connector accepts any names of roles and channels, and any facts; only as has a default.
// Whether the channels exist is checked later, when the solution is extracted.
type connectorReader struct {
	as    *schema    // the type of a connector's field as
	facts *ast.Field // the model's declaration of facts: a channel without facts has its position
}

// newConnectorReader returns nil for a package that does not import the model.
func newConnectorReader(p *spread.Package) *connectorReader {
	for _, imp := range p.Imports {
		if imp == nil || !imp.IsModel() {
			continue
		}
		as, facts := fieldAt(imp, "#Connector", "as"), fieldAt(imp, "#Connector", "to", "", "")
		if as == nil || facts == nil {
			continue
		}
		if s := schemaOf(as); s != nil && s.fallback != nil {
			return &connectorReader{s, facts}
		}
	}
	return nil
}

// fieldAt is the field at a path of labels in a package, nil if there is none. A pattern has the label "".
func fieldAt(p *spread.Package, path ...string) *ast.Field {
	var decls []ast.Decl
	for _, f := range p.Files {
		decls = append(decls, f.Decls...)
	}
	var at *ast.Field
	for _, label := range path {
		if at = fieldIn(decls, label); at == nil {
			return nil
		}
		decls = nil
		if lit, ok := at.Value.(*ast.StructLit); ok {
			decls = lit.Elts
		}
	}
	return at
}

func fieldIn(decls []ast.Decl, label string) *ast.Field {
	for _, d := range decls {
		if f, ok := d.(*ast.Field); ok && syntax.LabelName(f.Label) == label {
			return f
		}
	}
	return nil
}

// read returns a connector, nil if anything in it is not a literal.
func (c *connectorReader) read(x depends.Part) *value.Data {
	if c == nil || !isOrdinary(x) {
		return nil
	}
	d := partsOf(x, func(x depends.Part) *value.Data {
		switch x.Name {
		case "as":
			if d := textOf(x); d != nil && c.as.check(d) {
				return d
			}
		case "from":
			return partsOf(x, textOf)
		case "to":
			return partsOf(x, func(x depends.Part) *value.Data { return partsOf(x, c.target) })
		}
		return nil
	})
	if d.Get("from") == nil || d.Get("to") == nil {
		return nil
	}
	if d.Get("as") == nil {
		d = d.Set("as", c.as.fallback)
	}
	return d
}

// target is what a connector says of a channel that it goes to: facts, or _ for none.
func (c *connectorReader) target(x depends.Part) *value.Data {
	if len(x.Fields) == 1 {
		if name, ok := x.Fields[0].Value.(*ast.Ident); ok && name.Name == "_" {
			return value.NewStruct(fromcue.Pos(c.facts.Value))
		}
	}
	return partsOf(x, literalOf)
}

// textOf is a string that is written as one.
func textOf(x depends.Part) *value.Data {
	if len(x.Fields) != 1 {
		return nil
	}
	lit, ok := x.Fields[0].Value.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return nil
	}
	return fromcue.Literal(lit, fromcue.Pos(lit)) // the model has a type for it
}

// literalOf is a literal, a list of literals, or a struct of them.
func literalOf(x depends.Part) *value.Data {
	if x.IsStruct() {
		return partsOf(x, literalOf)
	}
	if len(x.Fields) != 1 {
		return nil
	}
	return plainLiteral(x.Fields[0].Value, fromcue.Pos(x.Fields[0]))
}

// partsOf is [structOfParts], nil also if x is not written as structs.
func partsOf(x depends.Part, of func(depends.Part) *value.Data) *value.Data {
	if filter.Any(x.Fields, func(f *ast.Field) bool { _, ok := f.Value.(*ast.StructLit); return !ok }) {
		return nil
	}
	return structOfParts(x, of)
}
