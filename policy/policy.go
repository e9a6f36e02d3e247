// Package policy holds the rules that those who run environments set for what is deployed
// there.
//
// In come the files of a directory, a solution, and the objects that a target makes of it.
// Out come problems, at the positions where the deployer can mend them. A rule is a CUE
// constraint, which is unified with each role, object or solution that it is about.
package policy

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// Directory is where the policies of a module are: the directory of this name at its root.
const Directory = "policies"

// Set is a set of policies; the zero value is empty. It must not be used by several
// goroutines at a time.
type Set struct {
	policies []*policy
	ctx      *cue.Context
	// Digest is of the sources of all policies that were loaded, and of all that these
	// import. The same digest means the same rules.
	Digest string
}

// policy is one of them.
type policy struct {
	name         string // that of its file
	environments environment.Selector
	severity     diag.Severity
	message      string
	about        string // role, solution or object
	value        cue.Value
	pos          diag.Pos
	at           diag.Pos // of the selector
}

// Load loads the policies in a directory, of which each is in a file by itself. One that
// is wrong is left out.
func Load(in load.Input) (*Set, diag.List) {
	packages, problems := load.Policies(in)
	s := &Set{ctx: cuecontext.New(), Digest: digest(packages)}
	e := spread.NewEvaluator(s.ctx)
	for _, p := range packages {
		if p.Broken {
			continue
		}
		v, pos, more := spread.Policy(e, p)
		if problems = append(problems, more...); more.HasErrors() {
			continue
		}
		read, more := decode(v, pos, path.Base(strings.TrimSuffix(p.Path, ":"+p.Name)))
		problems = append(problems, more...)
		s.policies = append(s.policies, read...)
	}
	return s, problems.Sorted()
}

// digest is of the sources of packages and of all that they import.
func digest(packages []*spread.Package) string {
	sums := map[string]string{}
	var add func(p *spread.Package)
	add = func(p *spread.Package) {
		if _, done := sums[p.Path]; done {
			return
		}
		sums[p.Path] = p.Digest
		for _, imported := range p.Imports {
			add(imported)
		}
	}
	for _, p := range packages {
		add(p)
	}
	h := sha256.New()
	for _, path := range sorting.Ordered(sums) {
		fmt.Fprintf(h, "%q %s\n", path, sums[path])
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// In returns the directory of the policies for the deployment in dir, "" for none: that
// at the root of its module.
func In(dir string) string { return load.AtRoot(dir, Directory) }

// decode reads a policy that spread.Policy has validated. It returns one for each of role,
// solution and object that the file constrains.
func decode(v cue.Value, pos diag.Pos, name string) (out []*policy, problems diag.List) {
	var p struct {
		Environments, Severity, Message string
	}
	if err := v.Decode(&p); err != nil { // the model has seen to it
		return nil, diag.List{diag.New(diag.Internal, pos, "a policy cannot be read: %v", err)}
	}
	selector, err := environment.ParseSelector(p.Environments)
	if err != nil {
		at := v.LookupPath(cue.ParsePath("environments"))
		return nil, diag.List{diag.New(diag.PolicySelector, fromcue.Pos(at), "environments: %q selects nothing (%v): write labels as kubectl does, stage=prod,region in (eu, us)", p.Environments, err)}
	}
	at := pos
	if where := fromcue.Pos(v.LookupPath(cue.ParsePath("environments"))); where.IsValid() && !value.IsModel(where) {
		at = where
	}
	severity := diag.Error
	if p.Severity == "warning" {
		severity = diag.Warning
	}
	for _, about := range []string{"role", "solution", "object"} {
		if rule := v.LookupPath(cue.ParsePath(about)); rule.Exists() {
			out = append(out, &policy{name, selector, severity, p.Message, about, v, pos, at})
		}
	}
	if out == nil {
		problems = append(problems, diag.New(diag.PolicyEmpty, pos, "policy %s says nothing of a role, the solution or an object: write role: config: …, solution: … or object: …", name))
	}
	return out, problems
}

// Unused returns a warning of each policy whose selector misses all of the environments, or
// asks for a label that none of them has where another one may be meant: such a policy holds
// nowhere, and nobody notices.
func (s *Set) Unused(environments []*environment.Environment) (problems diag.List) {
	told := map[diag.Pos]bool{}
	for _, p := range s.policies {
		if told[p.at] {
			continue
		}
		told[p.at] = true
		wrong := p.environments.Misspelt(environments)
		for _, text := range wrong {
			problems = append(problems, diag.Warn(diag.PolicySelector, p.at, "policy %s holds by %s", p.name, text))
		}
		if len(wrong) == 0 && len(environments) > 0 && !filter.Any(environments, p.environments.Matches) {
			problems = append(problems, diag.Warn(diag.PolicySelector, p.at, "policy %s holds in no environment: %q selects none of those that are there", p.name, p.environments))
		}
	}
	return problems
}

// For returns the policies that select an environment. Without an environment (nil), these
// are the policies that select every one.
func (s *Set) For(e *environment.Environment) *Set {
	out := &Set{ctx: s.ctx, Digest: s.Digest}
	for _, p := range s.policies {
		if e != nil && p.environments.Matches(e) || e == nil && p.environments.Everywhere() {
			out.policies = append(out.policies, p)
		}
	}
	return out
}
