package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
)

// evaluate brings one dirty target after another up to date, until the context
// ends.
func (s *server) evaluate(ctx context.Context) {
	for {
		t, r := s.next(ctx)
		if t == nil {
			return
		}
		compiling, cancel := context.WithCancel(ctx)
		s.mu.Lock()
		if t.dirty { // edited since it was chosen
			s.mu.Unlock()
			cancel()
			continue
		}
		t.cancel = cancel
		s.mu.Unlock()
		out, err := s.child.do(compiling, r)
		cancel()
		s.take(t, out, err)
	}
}

// next waits for a dirty target and a pause of the typing, and returns what to
// ask the worker; nil when the context has ended.
func (s *server) next(ctx context.Context) (*target, request) {
	for {
		s.mu.Lock()
		wait := time.Until(s.due)
		if wait <= 0 {
			s.retarget()
			if t := s.first(); t != nil {
				t.dirty = false
				r := s.request(t)
				s.mu.Unlock()
				return t, r
			}
			s.publish()
			s.settle()
		}
		s.mu.Unlock()
		var pause <-chan time.Time
		if wait > 0 {
			pause = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return nil, request{}
		case <-s.woken:
		case <-pause:
		}
	}
}

// settle tells those who wait that all is known, and the client that it may ask
// anew. It holds s.mu.
func (s *server) settle() {
	select {
	case <-s.settled:
		return
	default:
		close(s.settled)
	}
	can := s.client.Capabilities.Workspace
	for method, ok := range map[string]bool{
		"workspace/inlayHint/refresh": can.InlayHint.RefreshSupport,
		"workspace/codeLens/refresh":  can.CodeLens.RefreshSupport,
	} {
		if ok {
			// Not waited for: it is answered when the client has time.
			_, _ = s.conn.DispatchCall(context.Background(), method, nil)
		}
	}
}

// first is the dirty target that the user most likely looks at. It holds s.mu.
func (s *server) first() *target {
	var dirty []*target
	for _, t := range s.targets {
		if t.dirty {
			dirty = append(dirty, t)
		}
	}
	if len(dirty) == 0 {
		return nil
	}
	distance := func(t *target) int {
		switch {
		case t.dir == filepath.Dir(s.recent):
			return 0
		case t.reaches(s.recent):
			return 1
		}
		return 2
	}
	return slices.MinFunc(dirty, func(a, b *target) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), strings.Compare(a.dir, b.dir))
	})
}

// request is what to ask about a target. It holds s.mu.
func (s *server) request(t *target) request {
	r := request{Dir: t.dir, Overlay: map[string][]byte{}, Open: sorting.Ordered(s.documents), Modules: s.modules()}
	t.asked = map[string]*lines{}
	for file, d := range s.documents {
		r.Overlay[file] = d.text
		t.asked[file] = d.lines
	}
	return r
}

// modules are the directories that the client wants dependencies looked for in.
func (s *server) modules() []string {
	var out []string
	for _, m := range s.client.Options.Modules {
		if !filepath.IsAbs(m) && len(s.folders) > 0 {
			m = filepath.Join(s.folders[0], filepath.FromSlash(m))
		}
		out = append(out, m)
	}
	return out
}

// take keeps a result, unless it is about what is no more.
func (s *server) take(t *target, out *result, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.cancel = nil
	if t.dirty || s.targets[t.dir] != t || errors.Is(err, context.Canceled) {
		return
	}
	if err != nil {
		out = &result{Problems: []problem{{
			File: firstSource(t.dir, s.texts()),
			Shown: diagnostic{
				Severity: severityError, Code: string(diag.Cancelled), Source: "kumiki",
				Message: "the directory could not be vetted: " + err.Error(),
			},
		}}}
	}
	t.last = out
	if out.Good {
		t.good, t.texts = out, t.asked
	}
	s.publish()
}

func (s *server) texts() map[string][]byte {
	out := map[string][]byte{}
	for file, d := range s.documents {
		out[file] = d.text
	}
	return out
}

// problems are those of a file, of all targets, each once. It holds s.mu.
func (s *server) problems() map[string][]problem {
	out := map[string][]problem{}
	for _, dir := range sorting.Ordered(s.targets) {
		if last := s.targets[dir].last; last != nil {
			for _, p := range last.Problems {
				out[p.File] = append(out[p.File], p)
			}
		}
	}
	for file, list := range out {
		out[file] = sorting.Distinct(list, func(a, b problem) int { return compare(a.Shown, b.Shown) })
	}
	return out
}

func compare(a, b diagnostic) int {
	return cmp.Or(
		cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
		cmp.Compare(a.Range.Start.Character, b.Range.Start.Character),
		strings.Compare(a.Code, b.Code),
		strings.Compare(a.Message, b.Message),
	)
}

// publish sends what is new about each file. It holds s.mu.
func (s *server) publish() {
	if s.client.Options.Diagnostics == "pull" {
		return
	}
	all := map[string]publishDiagnosticsParams{}
	for uri := range s.published {
		all[uri] = publishDiagnosticsParams{URI: uri, Diagnostics: []diagnostic{}}
	}
	for file, list := range s.problems() {
		for _, uri := range s.uris(file) {
			all[uri] = publishDiagnosticsParams{URI: uri, Diagnostics: s.shown(list)}
		}
	}
	for _, d := range s.documents {
		for _, uri := range d.uris {
			if p, ok := all[uri]; ok {
				p.Version = &d.version
				all[uri] = p
			}
		}
	}
	for _, uri := range sorting.Ordered(all) {
		p := all[uri]
		data, err := json.Marshal(p.Diagnostics)
		if err != nil || s.published[uri] == string(data) {
			continue
		}
		if s.published[uri] = string(data); len(p.Diagnostics) == 0 {
			delete(s.published, uri)
		}
		_ = s.conn.Notify(context.Background(), "textDocument/publishDiagnostics", p)
	}
}

// wait returns when all changes are taken into account, or it has taken too long.
func (s *server) wait(ctx context.Context, most time.Duration) {
	s.mu.Lock()
	settled := s.settled
	s.mu.Unlock()
	select {
	case <-settled:
	case <-ctx.Done():
	case <-time.After(most):
	}
}

// pull answers with the problems of a document when they are known.
func (s *server) pull(ctx context.Context, params json.RawMessage) (any, error) {
	s.wait(ctx, s.options.Limits.time()+patience)
	_, file := s.document(params)
	s.mu.Lock()
	defer s.mu.Unlock()
	return documentReport{Kind: "full", Items: s.shown(s.problems()[file])}, nil
}
