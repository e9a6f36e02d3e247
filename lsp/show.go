package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

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
// the lenses call is for the client to show or to write, so those are its own
// commands.
const (
	commandSolution = "kumiki.solution"
	commandCompile  = "kumiki.compile"
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
	out := []codeLens{}
	d, t := s.documents[file], s.targets[dirOf(file)]
	if d == nil || t == nil || t.last == nil {
		return out, nil
	}
	at := definesDeployment().FindIndex(d.text)
	if at == nil {
		return out, nil
	}
	lens := func(title, name string) {
		out = append(out, codeLens{d.span(at[0], at[1]), command{title, name, []any{uriOf(file)}}})
	}
	missing, errors, warnings := t.last.count()
	for _, c := range []struct {
		n    int
		what string
	}{{missing, "missing field"}, {errors, "problem"}, {warnings, "warning"}} {
		if c.n > 0 {
			lens(plural(c.n, c.what), commandProblems)
		}
	}
	if missing+errors == 0 {
		lens("compile", commandCompile)
		lens("show solution", commandShow)
		lens("show topology", commandTopology)
	}
	return out, nil
}

// count tells how many fields are missing, and how many other errors and
// warnings there are.
func (r *result) count() (missing, errors, warnings int) {
	for _, p := range r.Problems {
		switch {
		case p.Shown.Severity == severityWarning:
			warnings++
		case p.Shown.Code == missingField:
			missing++
		default:
			errors++
		}
	}
	return missing, errors, warnings
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
