package matrix

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
	"kumiki.dev/module/registry"
	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// part is what one worker makes of a group.
type part struct {
	*run
	group  *group
	checks Checks

	session  *compiler.Session
	template *load.Template
	with     registry.Registry
}

// make makes the results.
func (p *part) make() {
	sources, problems := p.sources()
	for result := p.next(p.group); result != nil; result = p.next(p.group) {
		result.Key = p.key(result, sources)
		switch entry := p.Before.entry(result.Cell); {
		case problems.HasErrors():
			result.State, result.Problems = Problem, problems
		case p.unsure(result):
			result.State = Unknown
		case p.lacking(result) != nil:
			result.State = Problem // which the placement tells
		case entry != nil && entry.Key == result.Key && p.Before.has(entry):
			result.State, result.Digest, result.Files = Unchanged, entry.Digest, entry.Files
		case p.Keys:
			result.State = New
			if entry != nil {
				result.State = Changed
			}
		default:
			files := p.compile(result, entry)
			p.finish(result, files)
			continue
		}
		p.finish(result, nil)
	}
}

// sources are what the cells are compiled from: as they were if nothing has changed, else
// they are loaded.
func (p *part) sources() (Sources, diag.List) {
	name := p.group.name()
	p.mu.Lock()
	known, ok := p.out.Sources[name]
	p.mu.Unlock()
	if ok {
		return known, nil
	}
	if before, ok := p.Before.sources(name); ok && p.digests.of(before.Names) == before.Digest {
		p.keepSources(name, before)
		return before, nil
	}
	if problems := p.open(); problems.HasErrors() {
		return Sources{}, problems
	}
	program, problems := p.session.Load(p.input().LoadInput)
	if program == nil || problems.HasErrors() {
		return Sources{}, problems
	}
	found := p.digests.program(program, p.group.template.Name)
	p.keepSources(name, found)
	return found, nil
}

func (p *part) keepSources(name string, s Sources) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out.Sources[name] = s
}

// open begins a session, and finds a published artifact.
func (p *part) open() diag.List {
	if p.session != nil {
		return nil
	}
	p.session, p.template = &compiler.Session{}, &load.Template{Name: p.group.template.Name}
	a := p.group.artifact
	if a.Text == "" {
		return nil
	}
	wrong := func(err error) diag.List {
		p.session = nil
		d := diag.New(diag.ModuleNotFound, a.Pos, "artifact %s: %v", a.Text, err)
		d.Cause = err
		return diag.List{d}
	}
	reg, err := p.Registry()
	if err != nil {
		return wrong(err)
	}
	lock, err := load.ReadLock(p.Tree.Dir)
	if err != nil {
		return wrong(err)
	}
	found, modules, err := registry.Exact(p.ctx, reg, lock, a.Path, a.Version)
	if err != nil {
		return wrong(err)
	}
	p.template.Import, p.template.Modules, p.with = found.Import, map[string]string{}, reg
	for _, v := range modules {
		p.template.Modules[v.Path()] = v.Version()
	}
	return nil
}

// input is what goes for all cells of the part.
func (p *part) input() compiler.Input {
	in := p.Compile
	in.Dir, in.Template, in.Session = filepath.Join(p.Tree.Dir, environment.Templates), p.template, p.session
	if p.with != nil && in.Registry == nil {
		in.Registry = p.with
	}
	return in
}

// key is a digest of all that a cell is made of.
func (p *part) key(result *Result, sources Sources) string {
	h := sha256.New()
	env, err := json.Marshal(result.Environment)
	if err != nil {
		panic(err) // it was read from JSON
	}
	fmt.Fprintf(h, "%q %q %q %q %q %q\n%s\n", indexFormat, p.Version, p.Rules, result.Name, result.Artifact, sources.Digest, env)
	h.Write(result.Environment.Config.AppendJSON(nil))
	h.Write(result.Cell.Config.AppendJSON([]byte("\n")))
	fmt.Fprintf(h, "\n%q %t\n", p.Compile.Sets, p.Compile.Strict)
	for _, key := range targets.Keys(result.Labels) {
		fmt.Fprintf(h, "%q=%q\n", key, result.Labels[key])
	}
	for _, f := range p.Compile.Values {
		fmt.Fprintf(h, "%q %x\n", f.Name, sha256.Sum256(f.Data))
	}
	for _, n := range result.Template.Requires {
		if other := p.required(result, n.Name); other != nil {
			fmt.Fprintf(h, "%q %s\n", n.Name, other.Key)
		}
	}
	for _, name := range result.Template.Accepts {
		fmt.Fprintf(h, "%q %t\n", name, p.known[name])
	}
	for _, c := range result.Environment.Clients(result.Template, p.Tree.Templates) {
		fmt.Fprintf(h, "%q %q\n", c.Deployment, solution.Client{Labels: c.Labels})
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// unsure reports whether the cell requires a template that could not be read, or accepts
// clients by labels and such a template may be one.
func (p *part) unsure(result *Result) bool {
	return result.Template.ByLabels.IsValid() && len(p.Tree.UnknownTemplates) > 0 ||
		filter.Any(result.Template.Requires, func(n environment.Named) bool { return filter.Contains(p.Tree.UnknownTemplates, n.Name) })
}

// required is the result of a template in the environment of another.
func (p *part) required(result *Result, template string) *Result {
	return p.byName[result.Environment.Name+" "+template]
}

// lacking is a requirement of a cell that is not in its environment; nil for none.
func (p *part) lacking(result *Result) *environment.Named {
	for i, n := range result.Template.Requires {
		if p.known[n.Name] && p.required(result, n.Name) == nil {
			return &result.Template.Requires[i]
		}
	}
	return nil
}

// compile makes a cell, and the files that it consists of.
func (p *part) compile(result *Result, before *Entry) map[string][]byte {
	for _, n := range result.Template.Requires {
		if other := p.required(result, n.Name); other != nil && (other.State == Problem || other.State == Unknown) {
			p.without(result)
			return nil
		}
	}
	if problems := p.open(); problems.HasErrors() {
		result.State, result.Problems = Problem, problems
		return nil
	}
	if problems := p.unsigned(result); problems != nil {
		result.State, result.Problems = Problem, problems
		return nil
	}
	made, problems := compiler.Run(p.ctx, p.inputOf(result), compiler.EncodeStage)
	result.Problems = problems
	if problems.HasErrors() || made.Encoded == nil {
		result.State = Problem
		return nil
	}
	target := p.Targets[result.Environment.Target]
	objects, lost := target.Lower(made.Solution, result.Environment.Lowering())
	lost = append(lost, p.checks.Objects(result.Environment, made.Solution, objects)...)
	if p.Compile.Strict {
		lost = lost.Strict()
	}
	if result.Problems = append(result.Problems, lost...); lost.HasErrors() {
		result.State = Problem
		return nil
	}
	files, err := p.files(result, made.Encoded, target, objects)
	if err != nil {
		p.fail(err)
		return nil
	}
	result.Digest, result.Files = made.Solution.Digest, sorting.Ordered(files)
	if p.Keep || p.needed[result.Template.Name] {
		result.Solution = made.Solution
	}
	if p.Keep {
		result.Config = made.Tree.Config
	}
	if err := p.compare(result, before, made.Solution, objects, files); err != nil {
		p.fail(err)
	}
	return files
}

// without looks at a cell of which a requirement is not known: what is wrong with it in any
// case is told, and else it is unknown.
func (p *part) without(result *Result) {
	result.State = Unknown
	if problems := p.open(); problems.HasErrors() {
		result.State, result.Problems = Problem, problems
		return
	}
	_, problems := compiler.Run(p.ctx, p.inputOf(result), compiler.EncodeStage)
	for _, d := range problems {
		if d.Severity == diag.Error && !strings.HasPrefix(string(d.Code), "reference/") {
			result.State, result.Problems = Problem, append(result.Problems, d)
		}
	}
}

// unsigned finds a module of a cell that is not signed with a key of its environment.
func (p *part) unsigned(result *Result) diag.List {
	if len(result.Environment.Keys) == 0 || p.Verify == nil {
		return nil
	}
	p.mu.Lock()
	sources := p.out.Sources[p.group.name()]
	p.mu.Unlock()
	var modules []string
	for _, name := range sources.Names {
		if m, ok := strings.CutPrefix(name, ofModule); ok {
			modules = append(modules, m)
		}
	}
	err := p.Verify(p.ctx, result.Environment, modules)
	if err == nil {
		return nil
	}
	d := diag.New(diag.ModuleNotFound, result.Artifact.Pos, "%v", err)
	d.Cause = err
	return diag.List{d.With(result.Environment.Pos, "environment %s takes what is signed with one of its keys", result.Environment.Name)}
}

// inputOf is what goes for one cell.
func (p *part) inputOf(result *Result) compiler.Input {
	in := p.input()
	in.Name, in.Labels, in.Environment, in.Given = result.Name, result.Labels, result.Environment.Config, result.Cell.Config
	in.Check = func(s *solution.Solution) diag.List {
		return append(result.Environment.Check(s), p.checks.Solution(result.Environment, s)...)
	}
	in.Called, in.With = p.called(result), p.others(result)
	in.Clients = result.Environment.Clients(result.Template, p.Tree.Templates)
	return in
}

// files are the solution and its objects, by their names in the tree that is written.
func (p *part) files(result *Result, encoded *solution.Encoded, target Target, objects []targets.Object) (map[string][]byte, error) {
	var b bytes.Buffer
	if _, err := encoded.WriteTo(&b); err != nil {
		return nil, err
	}
	made, err := target.Files(result.Name, objects)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{solutionFile(result.Environment.Name, result.Name): b.Bytes()}
	for name, data := range made {
		files[path.Join("objects", result.Environment.Name, name)] = data
	}
	return files, nil
}

func solutionFile(environment, name string) string {
	return path.Join("solutions", environment, name+".json")
}

// compare says what a change does to what runs: that of the solution, and that of objects
// which are made otherwise.
func (p *part) compare(result *Result, before *Entry, made *solution.Solution, objects []targets.Object, files map[string][]byte) error {
	if before == nil {
		result.State = New
		return nil
	}
	if before.Key != "" && before.Key == result.Key {
		result.State = Unchanged
		return nil
	}
	result.State = Changed
	target, options := p.Before.lowering(before, result.Environment)
	placed := target == result.Environment.Target && equal(options, result.Environment.Lowering())
	alike := before.Digest == result.Digest
	if alike && placed && p.Before.same(before, files) {
		result.State = Unchanged
		return nil
	}
	old, err := p.Before.Solution(before)
	if err != nil || old == nil {
		return err
	}
	change := plan.Compare(old, made)
	if target != result.Environment.Target {
		result.Class, result.Plan = plan.Recreate, change // all of it moves
		return nil
	}
	was, _ := p.Targets[target].Lower(old, options)
	if err := change.On(target, p.Targets[target].Orchestrator, was, objects); err != nil {
		return err
	}
	if result.Class = change.Worst(); result.Class == plan.Unchanged { // but its objects are
		result.Class = ""
	}
	if result.Class == "" && placed && !alike || change.Empty() && p.Before.same(before, files) { // only its sources differ
		result.State, result.Class = Unchanged, ""
		return nil
	}
	if p.Keep {
		result.Plan = change
	}
	return nil
}

// equal reports whether options are the same, where none and an empty list are.
func equal(a, b targets.Options) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// called are the names that the templates of an environment have there: of those that it
// requires, and of those that it accepts, whether they are there or not.
func (p *part) called(result *Result) map[string]string {
	out := map[string]string{result.Template.Name: result.Name}
	for _, name := range result.Template.Accepts {
		if p.known[name] {
			out[name] = result.Environment.SolutionName(name)
		}
	}
	for _, n := range result.Template.Requires {
		if other := p.required(result, n.Name); other != nil {
			out[n.Name] = other.Name
		}
	}
	return out
}

// others are the solutions that a cell requires.
func (p *part) others(result *Result) *compiler.Others {
	others := compiler.NewOthers(nil)
	others.Templates = targets.Keys(p.known)
	for _, n := range result.Template.Requires {
		others.Required = append(others.Required, n.Name)
	}
	var known []*solution.Solution
	for _, n := range result.Template.Requires {
		other := p.required(result, n.Name)
		if other == nil {
			continue
		}
		if sol, err := p.solution(other); err == nil && sol != nil {
			known = append(known, sol)
		}
	}
	others.Kept = func() ([]compiler.Kept, error) {
		var out []compiler.Kept
		for _, sol := range known {
			k := compiler.Kept{Top: sol.Top, Deployments: targets.Keys(sol.Deployments), Read: func() (*solution.Solution, error) { return sol, nil }}
			if up := sol.Deployments[sol.Top].Up; up != nil {
				k.Up = *up
			}
			out = append(out, k)
		}
		return out, nil
	}
	return others
}

// solution is the one of a result: of this run, or as it was written before.
func (p *part) solution(result *Result) (*solution.Solution, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if result.Solution == nil {
		if entry := p.Before.entry(result.Cell); entry != nil && entry.Digest == result.Digest {
			sol, err := p.Before.Solution(entry)
			if err != nil {
				return nil, err
			}
			result.Solution = sol
		}
	}
	return result.Solution, nil
}
