// Package compat says which step of a semantic version a change of a module
// needs. It does not trust what authors remember to have changed: that every
// config which the old version takes is taken by the new one is proved by CUE's
// subsumption, and what is not comes with a witness.
//
//	report, problems := compat.Compare(ctx, compat.Side{Dir: "old"}, compat.Side{Dir: "new"})
//
// Whatever can't be proved counts as incompatible, and the report says so.
package compat

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
)

// Step is the part of a semantic version that has to grow.
type Step int

// The steps, the least first.
const (
	None Step = iota
	Patch
	Minor
	Major
)

func (s Step) String() string { return [...]string{"none", "patch", "minor", "major"}[s] }

// MarshalText makes JSON of a step its name.
func (s Step) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Change is a difference between the two versions that somebody may notice.
type Change struct {
	// Step is what the change needs.
	Step Step `json:"step"`
	// Artifact is the artifact's package within the module: "shop:service".
	Artifact string `json:"artifact"`
	// Path is the place in the artifact: "config.parameter.size",
	// "srv.server.web"; "" for the artifact as a whole.
	Path string `json:"path,omitempty"`
	// Message says what changed.
	Message string `json:"message"`
	// Witness is a value that the old version takes and the new one refuses, in
	// CUE; "" if there is none to show.
	Witness string `json:"witness,omitempty"`
	// Pos is the place in the new version, else in the old one.
	Pos diag.Pos `json:"-"`

	wider bool // a field takes more, and that is all
}

// Report is what Compare found.
type Report struct {
	// Old and New are the modules with their versions: "example.com/shop 1.2.0".
	Old string `json:"old"`
	New string `json:"new"`
	// Step is the greatest of all changes.
	Step Step `json:"step"`
	// Changes are sorted, the greatest step first.
	Changes []Change `json:"changes"`
}

// Side is one of the two versions.
type Side struct {
	// Dir is a directory of the module.
	Dir string
	// Modules are directories with dependencies, as in [load.Input].
	Modules []string
	// Texts is told of texts, as in [load.Input].
	Texts load.Texts
}

// Compare compares the artifacts of two modules. What lies in examples or in a
// directory that ends in _test is nothing that others use. The report is nil if
// one of them has errors.
func Compare(ctx context.Context, before, after Side) (*Report, diag.List) {
	oldSurvey, problems := load.Look(before.Dir)
	newSurvey, more := load.Look(after.Dir)
	if problems = append(problems, more...); problems.HasErrors() {
		return nil, problems
	}
	c := &comparison{ctx: cuecontext.New()}
	was, is := c.describe(ctx, oldSurvey, before), c.describe(ctx, newSurvey, after)
	if problems = append(problems, c.problems...); problems.HasErrors() {
		return nil, problems.Sorted()
	}
	c.artifacts(was, is)
	sorting.By(c.changes, func(a, b Change) int {
		return cmp.Or(-cmp.Compare(a.Step, b.Step), strings.Compare(a.Artifact, b.Artifact), strings.Compare(a.Path, b.Path))
	})
	r := &Report{Old: title(oldSurvey), New: title(newSurvey), Changes: c.changes}
	if r.Changes == nil {
		r.Changes = []Change{}
	}
	for _, change := range c.changes {
		r.Step = max(r.Step, change.Step)
	}
	return r, problems.Sorted()
}

func title(s *load.Survey) string { return s.Module.Path + " " + s.Version }

// comparison is one Compare.
type comparison struct {
	ctx      *cue.Context
	problems diag.List
	changes  []Change
	artifact string // the one that is being compared
	inner    bool   // it is deployed by another one
}

// described is an artifact with the place in its module.
type described struct {
	key string
	*compiler.Description
}

func (c *comparison) describe(ctx context.Context, s *load.Survey, side Side) map[string]described {
	out := map[string]described{}
	for _, p := range s.Artifacts() {
		if private(p.Dir) {
			continue
		}
		in := load.Input{Dir: filepath.Join(s.Dir, filepath.FromSlash(p.Dir)), Package: p.Name, Modules: side.Modules, Texts: side.Texts}
		d, problems := compiler.Describe(ctx, c.ctx, in)
		for _, problem := range problems {
			if problem.Severity == diag.Error {
				c.problems = append(c.problems, problem)
			}
		}
		if d != nil && d.Node != nil {
			key := p.Dir + ":" + p.Name
			out[key] = described{key, d}
		}
	}
	return out
}

// private reports whether a directory holds deployments for tests.
func private(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	return first == "examples" || strings.HasSuffix(dir, "_test") || strings.Contains(dir, "_test/")
}

// report records a change of the artifact that is being compared.
func (c *comparison) report(step Step, pos diag.Pos, path, format string, args ...any) *Change {
	c.changes = append(c.changes, Change{Step: step, Artifact: c.artifact, Path: path, Message: fmt.Sprintf(format, args...), Pos: pos})
	return &c.changes[len(c.changes)-1]
}
