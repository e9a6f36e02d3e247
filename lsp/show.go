package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// patience is how long a request waits for what is being compiled.
const patience = 2 * time.Second

// hover tells a field's final value, its type, who decided, and who reads it.
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
	cue := hoverOf(s.cue.ask(ctx, "textDocument/hover", params))
	if found == nil {
		if cue == "" {
			return nil, nil
		}
		return hover{markup{"markdown", cue}, nil}, nil
	}
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	why := ""
	if r, err := s.child.do(asking, request{Dir: dir, Why: found.Finals[0].Path}); err == nil {
		why = r.Why
	}
	text := found.markdown(why)
	if cue != "" {
		text += "\n---\n" + cue
	}
	return hover{markup{"markdown", text}, &found.Label}, nil
}

// hoverOf is the text of CUE's answer.
func hoverOf(answer json.RawMessage) string {
	var h hover
	if json.Unmarshal(answer, &h) != nil {
		return ""
	}
	return h.Contents.Value
}

func (f *fact) markdown(why string) string {
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
	if f.Doc != "" {
		b.WriteString("\n" + f.Doc + "\n")
	}
	if !f.Literal && f.Type != "" {
		fmt.Fprintf(&b, "\nwritten: `%s`\n", f.Type)
	}
	if len(f.Readers) > 0 {
		fmt.Fprintf(&b, "\nread by: %s\n", strings.Join(f.Readers, ", "))
	}
	if strings.Count(why, "\n") > 1 {
		b.WriteString("\n```text\n" + why + "```\n")
	}
	return b.String()
}

// inlayHints show the final value where it is not written.
func (s *server) inlayHints(ctx context.Context, params json.RawMessage) (any, error) {
	s.wait(ctx, patience)
	p, file := s.document(params)
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []inlayHint{}
	_, facts := s.facts(file)
	for _, f := range facts {
		if !f.Literal && f.Value.overlaps(p.Range) {
			out = append(out, inlayHint{f.Value.End, f.hint(), true})
		}
	}
	return out, nil
}

// hint is "= 8080 (service default)".
func (f *fact) hint() string {
	const most = 3
	var values []string
	roles := 0
	for _, v := range f.Finals {
		roles += v.Roles
		if len(values) < most {
			values = append(values, short(v.JSON))
		}
	}
	if len(f.Finals) > most {
		values = append(values, "…")
	}
	out := "= " + strings.Join(values, ", ")
	switch by := f.Finals[0].By; {
	case len(f.Finals) > 1:
		return fmt.Sprintf("%s (%d roles)", out, roles)
	case by != "":
		return out + " (" + by + ")"
	}
	return out
}

// The server has one command, which returns the solution of a deployment. What
// the lenses call is for the client to show, so those are its own commands.
const (
	commandSolution = "kumiki.solution"
	commandShow     = "kumiki.showSolution"
	commandProblems = "kumiki.problems"
	commandTopology = "kumiki.topology"
)

// codeLenses stand above a #Deployment: what is wrong with it, and what it
// becomes.
func (s *server) codeLenses(ctx context.Context, params json.RawMessage) (any, error) {
	s.wait(ctx, patience)
	_, file := s.document(params)
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documents[file]
	if d == nil {
		return []codeLens{}, nil
	}
	at := definesDeployment.FindIndex(d.text)
	t := s.targets[dirOf(file)]
	if at == nil || t == nil || t.last == nil {
		return []codeLens{}, nil
	}
	where := d.span(at[0], at[1])
	lens := func(title, name string) codeLens {
		return codeLens{where, command{title, name, []any{uriOf(file)}}}
	}
	out := []codeLens{}
	missing, others := 0, 0
	for _, p := range t.last.Problems {
		if p.Shown.Code == missingField {
			missing++
		} else {
			others++
		}
	}
	if missing > 0 {
		out = append(out, lens(plural(missing, "missing field"), commandProblems))
	}
	if others > 0 {
		out = append(out, lens(plural(others, "problem"), commandProblems))
	}
	if missing+others == 0 {
		out = append(out, lens("show solution", commandShow), lens("show topology", commandTopology))
	}
	return out, nil
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
