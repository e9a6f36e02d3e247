package shape

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// unnamed mends parts that are listed by name and were given none:
//
//	code: {image: tag: "…", size: …} // → code: web: {image: tag: "…", size: …}
func (m *mender) unnamed(description []*ast.StructLit) {
	m.list(description, "code", "containers", "image", []string{"tag", "hub", "digest"}, []string{"image", "mapping", "size", "cmd", "entrypoint", "user"})
	m.list(description, "probe", "the health checks of containers", "liveness", []string{"protocol"}, []string{"liveness", "readiness"})
	m.list(description, "probe", "the health checks of containers", "readiness", []string{"protocol"}, []string{"liveness", "readiness"})
	m.unnamedChannel(description)
	m.list(description, "connect", "connectors", "from", nil, []string{"as", "from", "to"})
}

// unnamedChannel mends a channel that was given no name: what a struct of channels has in
// their place are the texts and numbers of one.
func (m *mender) unnamedChannel(description []*ast.StructLit) {
	for _, lit := range below(description, "srv", "server") {
		of := []*ast.StructLit{lit}
		parts := members(of, "protocol", "port")
		if len(parts) == 0 || len(parts) != len(members(of)) || filter.Any(parts, func(f *ast.Field) bool { _, ok := f.Value.(*ast.BasicLit); return !ok }) {
			continue
		}
		name := "http"
		for _, f := range members(of, "protocol") {
			if protocol, ok := text(f.Value); ok {
				name = protocol
			}
		}
		m.report(diag.New(diag.Shape, fromcue.Pos(parts[0].Label), "server lists channels by name, and %s stands in the place of one: write server: %s: {%s: …}", nameOf(parts[0].Label), quoted(name), nameOf(parts[0].Label)), "description", "srv")
		enclose(lit, name, []string{"protocol", "port"})
	}
}

// list mends one such part. It is without a name if it has the member, with one of
// the members within.
func (m *mender) list(description []*ast.StructLit, section, what, member string, within, all []string) {
	for _, f := range members(description, section) {
		for _, lit := range literals(f.Value) {
			one := []*ast.StructLit{lit}
			if within != nil && len(members(below(one, member), within...)) == 0 || within == nil && !m.isConnector(one) {
				continue
			}
			name := m.name()
			m.report(diag.New(diag.Shape, fromcue.Pos(f.Label), "%s lists %s by name, and %s stands in the place of one: write %s: %s: {%s: …}", section, what, member, section, quoted(name), member),
				"description", section)
			enclose(lit, name, all)
		}
	}
}

// isConnector reports whether a struct that lists connectors is one: it has both
// ends, the first of which is the names of channels by role, and nothing else. A
// connector called from has no texts there but in as.
func (m *mender) isConnector(lit []*ast.StructLit) bool {
	for _, f := range members(lit) {
		if !slices.Contains([]string{"as", "from", "to"}, nameOf(f.Label)) {
			return false
		}
	}
	from := members(below(lit, "from"))
	for _, f := range from {
		if _, ok := text(f.Value); !ok || nameOf(f.Label) == "as" {
			return false
		}
	}
	return len(from) > 0 && len(members(lit, "to")) > 0
}

// name is that of the artifact, as far as it is written.
func (m *mender) name() string {
	for _, f := range m.Files {
		for _, ref := range members(below(literals(definition(f, "#Artifact")...), "ref"), "name") {
			if name, ok := text(ref.Value); ok && name != "" {
				return name[strings.LastIndex(name, "/")+1:]
			}
		}
	}
	return "main"
}

// enclose puts members of a struct into a new one within it.
func enclose(lit *ast.StructLit, name string, all []string) {
	inner := &ast.StructLit{}
	var rest []ast.Decl
	for _, e := range lit.Elts {
		f, ok := e.(*ast.Field)
		if ok && slices.Contains(all, nameOf(f.Label)) {
			inner.Elts = append(inner.Elts, e)
			continue
		}
		rest = append(rest, e)
	}
	label := ast.NewString(name)
	ast.SetPos(label, inner.Elts[0].Pos())
	lit.Elts = append(rest, &ast.Field{Label: label, Value: inner})
}
