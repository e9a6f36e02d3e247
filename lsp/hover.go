package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// patience is how long a request waits for what is being compiled.
const patience = 2 * time.Second

// hover tells a field's final value, its type, who decided, and who reads it;
// of other names of the model, what they are declared to be.
func (s *server) hover(ctx context.Context, params json.RawMessage) (any, error) {
	p, file := s.document(params)
	s.mu.Lock()
	t, facts := s.facts(file)
	var found *fact
	for _, f := range facts {
		if f.Label.contains(p.Position) || f.Value.contains(p.Position) {
			found = &f
			break
		}
	}
	dir := ""
	if t != nil {
		dir = t.dir
	}
	s.mu.Unlock()
	x := s.symbols(file)
	at := p.Position
	list, named, ok := x.at(file, at)
	switch {
	case ok && (named.text || named.kind != configSymbol):
		found = nil // what is meant is what it names
	case found != nil && !ok:
		at = found.Label.Start
	}
	declared, where := x.declaration(file, at)
	cue := hoverOf(s.cue.ask(ctx, "textDocument/hover", params))
	text := ""
	switch {
	case found != nil:
		text, where = found.markdown(declared, s.why(ctx, dir, found)), found.Label
	case declared != nil:
		filled := ""
		if role := firstRole(list); role != nil {
			filled = s.role(ctx, file, *role)
		}
		text = declared.markdown(filled)
	}
	if cue != "" && (declared == nil || !sameDoc(cue, declared.doc)) && (found == nil || !sameDoc(cue, found.Doc)) {
		if text != "" {
			text += "\n---\n"
		}
		text += cue
	}
	switch {
	case text == "":
		return nil, nil
	case found == nil && declared == nil:
		return hover{markup{"markdown", text}, nil}, nil
	}
	return hover{markup{"markdown", text}, &where}, nil
}

// why asks for the levels that made the value of a field.
func (s *server) why(ctx context.Context, dir string, f *fact) string {
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := s.child.do(asking, request{Dir: dir, Why: f.Finals[0].Path})
	if err != nil {
		return ""
	}
	return r.Why
}

// hoverOf is the text of CUE's answer.
func hoverOf(answer json.RawMessage) string {
	var h hover
	if json.Unmarshal(answer, &h) != nil {
		return ""
	}
	return h.Contents.Value
}

// sameDoc reports whether CUE's answer is the doc comment and nothing else.
func sameDoc(cue, doc string) bool {
	flat := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	return doc != "" && strings.HasPrefix(flat(cue), flat(doc)+" ([") && strings.Count(cue, "([") == 1
}

// declaration is where the name at a position is declared, and where it is
// written there; nil if it is no name of the model's.
func (x *symbols) declaration(file string, p position) (*place, textRange) {
	list, where, _ := x.at(file, p)
	for _, place := range x.all(list) {
		if place.declared {
			return &place, where.span
		}
	}
	return nil, where.span
}

// markdown is for a name that has no value of its own; filled is what is known of a role.
func (p *place) markdown(filled string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**, %s of %s\n", p.name, p.kind, filepath.Base(filepath.Dir(p.file)))
	if p.doc != "" {
		b.WriteString("\n" + p.doc + "\n")
	}
	if p.expr != "" && p.kind == configSymbol {
		fmt.Fprintf(&b, "\ntype: `%s`\n", p.expr)
	}
	b.WriteString(filled)
	fmt.Fprintf(&b, "\ndeclared in [%s](%s#L%d)\n", filepath.Base(p.file), uriOf(p.file), p.span.Start.Line+1)
	return b.String()
}

// markdown is what is known of a field, beside what the artifact that it
// belongs to declares it to be.
func (f *fact) markdown(declared *place, why string) string {
	var b strings.Builder
	for _, v := range f.Finals {
		fmt.Fprintf(&b, "**%s** = `%s`", f.Name, short(v.JSON))
		if v.By != "" {
			b.WriteString(", " + v.By)
		}
		if v.Roles > 1 {
			fmt.Fprintf(&b, ", in %d roles", v.Roles)
		}
		b.WriteString("  \n")
	}
	doc, kind, written := f.Doc, "", f.Type
	if declared != nil {
		kind = declared.expr
		if doc == "" {
			doc = declared.doc
		}
	}
	if doc != "" {
		b.WriteString("\n" + doc + "\n")
	}
	if kind != "" {
		fmt.Fprintf(&b, "\ntype: `%s`\n", kind)
	}
	if !f.Literal && written != "" && strings.Join(strings.Fields(kind), " ") != written {
		fmt.Fprintf(&b, "\nwritten: `%s`\n", written)
	}
	if len(f.Readers) > 0 {
		fmt.Fprintf(&b, "\nread by: %s\n", strings.Join(f.Readers, ", "))
	}
	if strings.Count(why, "\n") > 1 {
		b.WriteString("\n```text\n" + why + "```\n")
	}
	return b.String()
}
