package compiler

import (
	"strings"

	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/solution"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// declared is a link as it is written: in a deployment, or in a file of package link.
type declared struct {
	from, to solution.End
	meta     *value.Data
	pos      diag.Pos // of the link
	at       declaredAt
	path     []string // of the link in the deployment, nil for a file's own
	aside    bool     // in a directory of links, which may be those of others
}

// declaredAt are the places of a link's parts.
type declaredAt struct{ client, channel, server, offered diag.Pos }

// declared are the links of the deployment, as far as they are whole: those that it has
// itself, those beside it and those in the directories of links.
func (c *compilation) declared() ([]declared, diag.List) {
	var out []declared
	for _, f := range c.result.Base.Links.Each() {
		l := readLink(f.Value)
		l.path = []string{"links", f.Name}
		l.from.Deployment = c.renamed(l.from.Deployment)
		out = append(out, l)
	}
	beside, problems := c.linkFiles(c.in.Dir, false)
	out = append(out, beside...)
	for _, dir := range c.in.Links {
		if sameDirectory(dir, c.in.Dir) {
			continue
		}
		more, found := c.linkFiles(dir, true)
		out, problems = append(out, more...), append(problems, found...)
	}
	return filter.Out(out, declared.holed), problems
}

// renamed is the name of a deployment of the manifest's under the name that the command
// line gives it.
func (c *compilation) renamed(deployment string) string {
	base := c.result.Base
	if rest, ok := strings.CutPrefix(deployment, base.Written); ok && (rest == "" || rest[0] == '.') {
		return base.Name + rest
	}
	return deployment
}

// holed reports whether something in the link stands in for what is wrong with it.
func (l declared) holed() bool {
	return l.from.Deployment == "" || l.from.Channel == "" || l.to.Deployment == "" || l.to.Channel == "" || l.meta.HasStandIn()
}

// readLink reads a link that the model has checked.
func readLink(d *value.Data) declared {
	end := func(side string) (solution.End, diag.Pos, diag.Pos) {
		deployment, channel := d.Get(side, "deployment"), d.Get(side, "channel")
		return solution.End{Channel: textOf(channel), Deployment: textOf(deployment)}, written(d, deployment), written(d, channel)
	}
	l := declared{meta: d.Get("meta"), pos: written(d, d.Get("to"), d.Get("to", "deployment"))}
	l.from, l.at.client, l.at.channel = end("from")
	l.to, l.at.server, l.at.offered = end("to")
	return l
}

// textOf is a text, "" for one that stands in for what is wrong.
func textOf(d *value.Data) string {
	if d.HasStandIn() {
		return ""
	}
	return d.Str()
}

// written is the first place of some data that is in a source of the user's.
func written(whole *value.Data, parts ...*value.Data) diag.Pos {
	for _, d := range append(parts, whole, whole.Get("to", "channel")) {
		if d != nil && d.Pos.IsValid() && !value.IsModel(d.Pos) {
			return d.Pos
		}
	}
	return diag.NoPos
}

// linkFiles are the links in the files of a directory.
func (c *compilation) linkFiles(dir string, aside bool) ([]declared, diag.List) {
	in := c.in.LoadInput
	in.Dir, in.Package = dir, ""
	packages, problems := load.Links(in)
	if len(packages) == 0 {
		return nil, problems
	}
	var out []declared
	eval := spread.NewEvaluator(cuecontext.New())
	for _, p := range packages {
		if p.Broken {
			continue
		}
		l, found := readLinkFile(eval, p)
		problems = append(problems, found...)
		if len(found) == 0 {
			l.aside = aside
			out = append(out, l)
		}
	}
	return out, problems
}

// readLinkFile reads the one link of a file.
func readLinkFile(eval *spread.Evaluator, p *spread.Package) (declared, diag.List) {
	d, problems := spread.LinkOf(eval, p)
	if problems != nil {
		return declared{}, problems
	}
	l := readLink(d)
	return l, nil
}

// own reports whether a link is to come from the deployment that is compiled, or one that
// it is made of.
func (l declared) own(s *solution.Solution) bool {
	return l.path != nil || s.Deployments[l.from.Deployment] != nil || strings.HasPrefix(l.from.Deployment, s.Top+".")
}
