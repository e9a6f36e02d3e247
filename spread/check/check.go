package check

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
	"kumiki.dev/spread/guards"
	"kumiki.dev/value"
)

// Bounds of what is tried. They are counted, so that the same artifact gives
// the same answer on every machine.
const (
	// maxTrials is how many configurations are tried for what depends on them.
	maxTrials = 256
	// maxMendings is how many more are tried altogether because the artifact
	// refuses one, and maxBaseTries those for the first that it takes.
	maxMendings, maxBaseTries = 128, 48
	// maxEvaluated is how many artifacts are evaluated in all of them: after that
	// many, no other configuration is begun.
	maxEvaluated = 2000
)

// Artifact looks at an artifact before there is any deployment of it: whether all
// of it becomes concrete once its config is, whatever the config, and whether
// the configs of its roles match the artifacts that fill them.
//
// What deployers will have to give is stood in for, by values that the artifact
// takes together. Where its form depends on values, those that it names itself are
// tried: every alternative of an enumeration, both booleans, every optional field
// given and left out, one at a time; and for each condition in its sources,
// with those around it, values for which it holds and others for which it does
// not; and for conditions two by two. A configuration that the artifact refuses
// says nothing of the artifact.
//
// The tree is that of the first configuration that the artifact takes, or else of
// the first; it is nil when the artifact cannot be evaluated.
func Artifact(e *spread.Evaluator, p *spread.Package, opts spread.Options) (*value.Tree, diag.List) {
	defer e.Enter(p)()
	c := newChecker(e, p, opts)
	if c.unit == nil {
		return nil, c.found
	}
	c.begin()
	c.tryAll()
	return c.tree(), c.found.Sorted()
}

// Alone is [Artifact] without the tree, for [spread.Options.Alone].
func Alone(e *spread.Evaluator, p *spread.Package, opts spread.Options) diag.List {
	_, problems := Artifact(e, p, opts)
	return problems
}

// checker is the state of one check.
type checker struct {
	eval    *spread.Evaluator
	runs    *spread.Trials
	unit    *spread.Unit
	sources *guards.Sources

	choices []*choice   // sorted by path
	given   *token.File // what their values have positions in
	base    assignment
	needed  assignment // what the artifact has to be given
	// hints are what the sources say of the values of choices, demands what the
	// artifacts of roles take; both by the key of the path.
	hints   map[string][]*guards.Hints
	demands map[string][]cue.Value
	askedBy map[*spread.Package][]asked
	read    map[*spread.Package]*guards.Sources
	first   *value.Node // of the configuration that the tree is of
	// accepted tells that the artifact takes the base.
	accepted bool

	// always are the problems that do not depend on the config, reported those
	// that are among found.
	always   map[string]bool
	reported map[string]bool
	placed   map[string]bool
	found    diag.List

	tried    map[string]bool
	truths   [][]guards.Truth // of the guards, in the configurations that were taken
	trials   int
	mendings int
	work     int
}

// givenFile is where the values of a configuration are that is tried. It is none
// of stand-ins: what follows from those is not reported.
const givenFile = "kumiki:given"

func newChecker(e *spread.Evaluator, p *spread.Package, opts spread.Options) *checker {
	c := &checker{
		eval: e, base: assignment{},
		given: token.NewFile(givenFile, -1, 1<<16),
		hints: map[string][]*guards.Hints{}, demands: map[string][]cue.Value{}, askedBy: map[*spread.Package][]asked{},
		read:   map[*spread.Package]*guards.Sources{},
		always: map[string]bool{}, reported: map[string]bool{}, placed: map[string]bool{}, tried: map[string]bool{},
	}
	opts.Alone = Alone
	var always diag.List
	c.runs, always = spread.NewTrials(e, p, opts)
	c.unit = c.runs.Artifact(p)
	c.keepAlways(always)
	c.sources = c.sourcesOf(p)
	return c
}

// sourcesOf reads what a package's own files say, and those of the definitions
// that they import.
func (c *checker) sourcesOf(p *spread.Package) *guards.Sources {
	if s := c.read[p]; s != nil {
		return s
	}
	libraries := map[string][]*ast.File{}
	for _, path := range sorting.Ordered(p.Imports) {
		imp := p.Imports[path]
		if imp != nil && !imp.IsArtifact() && imp.Name != "kumori" {
			libraries[path] = imp.OwnFiles()
		}
	}
	c.read[p] = guards.Read(p.OwnFiles(), libraries)
	return c.read[p]
}

// tree is what becomes of the first configuration, with stand-ins for values.
func (c *checker) tree() *value.Tree {
	name, _ := c.unit.Artifact.LookupPath(cue.ParsePath("ref.name")).String()
	if strings.TrimSpace(name) == "" {
		name = "artifact" // which is no mistake: the deployment has a name of its own
	}
	return &value.Tree{Name: name, Meta: value.OrEmpty(nil), Root: c.standing(c.first, c.eval.NewCause()), Pos: c.unit.Pos}
}

// standing is a copy of a node in which what was tried stands in for what deployers
// will give: later stages have to know.
func (c *checker) standing(n *value.Node, pos diag.Pos) *value.Node {
	if n == nil {
		return nil
	}
	out := *n
	out.Config, out.Description = c.stood(n.Config, pos), c.stood(n.Description, pos)
	out.Roles = slices.Clone(n.Roles)
	for i, role := range n.Roles {
		changed := *role
		changed.Meta, changed.Node = c.stood(role.Meta, pos), c.standing(role.Node, pos)
		out.Roles[i] = &changed
	}
	return &out
}

func (c *checker) stood(d *value.Data, pos diag.Pos) *value.Data {
	if d == nil {
		return nil
	}
	out := *d
	if fromcue.Token(d.Pos).File() == c.given {
		out.Pos = pos
	}
	out.Fields = slices.Clone(d.Fields)
	for i, f := range d.Fields {
		out.Fields[i].Value = c.stood(f.Value, pos)
	}
	out.Items = slices.Clone(d.Items)
	for i, x := range d.Items {
		out.Items[i] = c.stood(x, pos)
	}
	return &out
}

// keepAlways reports problems that are there whatever the config is.
func (c *checker) keepAlways(l diag.List) {
	for _, d := range l {
		c.always[problemKey(d)] = true
		c.report(d)
	}
}

// report adds a problem that has not been reported yet.
func (c *checker) report(d *diag.Diagnostic) {
	here := string(d.Code) + " " + d.Pos.String() + " "
	if at := here + strings.Join(d.At, "."); !c.reported[at] && !c.reported[here+d.Message] {
		c.reported[at], c.reported[here+d.Message] = true, true
		c.found = append(c.found, d)
	}
}

func problemKey(d *diag.Diagnostic) string {
	return string(d.Code) + " " + d.Pos.String() + " " + strings.Join(d.At, ".") + " " + d.Message
}
