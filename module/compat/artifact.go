package compat

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
	"kumiki.dev/spread/params"
	"kumiki.dev/value"
)

func (c *comparison) artifacts(was, is map[string]described) {
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	for _, key := range sorting.Ordered(keys) {
		c.artifact = key
		before, had := was[key]
		after, has := is[key]
		switch {
		case !has:
			c.report(Major, before.Node.Pos, "", "the artifact is gone")
		case !had:
			c.report(Minor, after.Node.Pos, "", "the artifact is new")
		default:
			c.compare(before, after)
		}
	}
}

func (c *comparison) compare(was, is described) {
	before := len(c.changes)
	if a, b := was.Node.Ref, is.Node.Ref; a.Kind != b.Kind {
		c.report(Major, is.Node.Pos, "", "it was a %s, is a %s", a.Kind, b.Kind)
	} else if a.Name != b.Name {
		c.report(Major, is.Node.Pos, "ref.name", "it was %q, is %q", a.Name, b.Name)
	}
	own := len(c.changes)
	for _, section := range []string{"parameter", "resource"} {
		path := cue.ParsePath("description.config." + section)
		c.section("config."+section, was.Artifact.LookupPath(path), is.Artifact.LookupPath(path), is.Node.Pos)
	}
	c.params(was.Params, is.Params)
	c.counts(was, is)
	c.beyond(was, is, slices.Clone(c.changes[own:]))
	c.deployed(was, is)
	c.channels(was.Node, is.Node)
	if len(c.changes) == before && !slices.Equal(sources(was.Program), sources(is.Program)) {
		c.report(Patch, is.Node.Pos, "", "its sources differ; what it takes and serves does not")
	}
}

// sources are the digests of all packages that an artifact is made of.
func sources(p *load.Program) []string {
	var out []string
	for _, pkg := range p.Packages {
		out = append(out, pkg.Path+" "+pkg.Digest)
	}
	return out
}

// params compares the parts of the config that the model declares: how many
// instances of each role run, and how many failures are survived.
func (c *comparison) params(was, is []params.Param) {
	before, after := modelParams(was), modelParams(is)
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, path := range sorting.Ordered(all) {
		a, had := before[path]
		b, has := after[path]
		switch {
		case !has && filter.Contains(a.Path, "qos"):
			c.report(Minor, a.Pos, path, "the field is gone: deployments that give it are warned of that")
		case !has:
			c.report(Major, a.Pos, path, "the field is gone: deployments that give it are refused")
		case !had && b.Required:
			c.report(Major, b.Pos, path, "the field is new and has to be given")
		case !had:
			c.report(Minor, b.Pos, path, "the field is new and may be left out")
		default:
			c.necessity(path, field{required: a.Required, def: dataText(a.Default)}, field{required: b.Required, def: dataText(b.Default), pos: b.Pos})
		}
	}
}

func modelParams(all []params.Param) map[string]params.Param {
	out := map[string]params.Param{}
	for _, p := range all {
		if p.Path[0] == "scale" || p.Path[0] == "resilience" {
			out["config."+strings.Join(p.Path, ".")] = p
		}
	}
	return out
}

func dataText(d *value.Data) string {
	if d == nil {
		return ""
	}
	return d.JSON()
}

// channels compares the places where requests arrive and leave.
func (c *comparison) channels(was, is *value.Node) {
	for _, side := range []string{"client", "server", "duplex"} {
		before, after := was.Description.Get("srv", side), is.Description.Get("srv", side)
		for _, f := range before.Each() {
			path := "srv." + side + "." + f.Name
			now := after.Get(f.Name)
			switch {
			case now == nil:
				c.report(Major, f.Value.Pos, path, "the channel is gone")
			case f.Value.JSON() != now.JSON():
				c.report(Major, placeOf(now, is), path, "the channel was %s, is %s", f.Value.JSON(), now.JSON())
			}
		}
		for _, f := range after.Each() {
			if before.Get(f.Name) == nil {
				c.report(Minor, placeOf(f.Value, is), "srv."+side+"."+f.Name, "the channel is new")
			}
		}
	}
}

func placeOf(d *value.Data, n *value.Node) diag.Pos {
	if d.Pos.IsValid() && !value.IsStandIn(d.Pos) && !value.IsModel(d.Pos) {
		return d.Pos
	}
	return n.Pos
}
