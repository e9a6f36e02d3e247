package compat

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/format"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
	"kumiki.dev/spread/check"
	"kumiki.dev/spread/params"
)

// counts compares what the artifact itself says of its scale and resilience.
func (c *comparison) counts(was, is described) {
	before, after := modelParams(was.Params), modelParams(is.Params)
	for _, path := range sorting.Ordered(before) {
		p, has := after[path]
		if !has {
			continue
		}
		at := cue.MakePath(cue.Str("description").Optional(), cue.Str("config").Optional())
		for _, name := range p.Path {
			at = cue.MakePath(append(at.Selectors(), cue.Str(name).Optional())...)
		}
		a, b := was.Artifact.LookupPath(at), is.Artifact.LookupPath(at)
		if b.Exists() {
			if !a.Exists() {
				a = c.ctx.CompileString("uint")
			}
			c.values(path, c.alone(a), c.alone(b), p.Pos)
		}
	}
}

// alone is a value without what it comes from: CUE compares the same type with a
// default and without, in the same definition, as two.
func (c *comparison) alone(v cue.Value) cue.Value {
	text, err := format.Node(v.Syntax(cue.Raw()))
	if err != nil {
		return v
	}
	if out := c.ctx.CompileBytes(text); out.Err() == nil {
		return out
	}
	return v
}

// deployed compares the artifacts of other modules that the roles of a service
// deploy in both versions: what they refuse, the service refuses for what it hands
// down to them. Artifacts of the module itself have lines of their own.
func (c *comparison) deployed(was, is described) {
	if c.inner { // all of them are compared for the one that deploys them
		return
	}
	before := foreignArtifacts(was.Program.Packages)
	after := foreignArtifacts(is.Program.Packages)
	for _, key := range sorting.Ordered(after) {
		a, had := before[key]
		b := after[key]
		if !had || packageText(a, map[*spread.Package]bool{}) == packageText(b, map[*spread.Package]bool{}) {
			continue
		}
		inner := &comparison{ctx: c.ctx, artifact: key, inner: true}
		old, ok := c.describeWithin(was, a)
		now, again := c.describeWithin(is, b)
		if !ok || !again {
			c.report(Major, is.Node.Pos, "", "nothing proves that all it took is still taken: %s, which it deploys, can't be compared", key)
			continue
		}
		inner.compare(old, now)
		for _, change := range inner.changes {
			if change.Step == Major {
				c.report(Major, is.Node.Pos, "", "nothing proves that all it took is still taken: of %s, which it deploys, %s: %s", key, orArtifact(change.Path), change.Message)
				break
			}
		}
	}
}

func orArtifact(path string) string {
	if path == "" {
		return "the artifact"
	}
	return path
}

func foreignArtifacts(all []*spread.Package) map[string]*spread.Package {
	out := map[string]*spread.Package{}
	for _, p := range all {
		if p.IsArtifact() && !p.Missing && p.Module != nil && !p.Module.Main && !strings.HasPrefix(p.Module.Path, "kumori.systems/") {
			out[packageKey(p)] = p
		}
	}
	return out
}

// describeWithin describes an artifact as another one deploys it.
func (c *comparison) describeWithin(by described, p *spread.Package) (described, bool) {
	program := *by.Program
	program.Root = p
	e := spread.NewEvaluator(c.ctx)
	tree, problems := check.Artifact(e, p, spread.Options{})
	if tree == nil || tree.Root == nil || problems.HasErrors() {
		return described{}, false
	}
	list, problems := params.Of(e, p)
	d := &compiler.Description{Program: &program, Artifact: e.Value(p).LookupPath(cue.MakePath(cue.Def("Artifact"))), Node: tree.Root, Params: list}
	return described{packageKey(p), d}, !problems.HasErrors()
}
