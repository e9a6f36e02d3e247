package compat

import (
	"cmp"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"kumiki.dev/internal/differential/reference"
)

// made are the lines of a component and of a service that deploys it, one of each
// list chosen: what an artifact makes of its config.
var (
	levels = []string{`level: *"info" | "debug"`, `level: *"info" | "debug" | "trace"`, `level: *"debug" | "info"`, `level: string`, `level: "info" | "debug"`}
	maxima = []string{"max: int", "max: *3 | int", "max: *9 | int", "max: int & <5", "max: *3 | int & <100"}
	// more are further parameters of both.
	more = []string{"", "extra?: string", `extra: *"x" | string`, "flag: *false | bool", "flag: *true | bool"}

	// partly are further lines of the component's description.
	partly = []string{
		"", `code: web: cmd: ["--level=\(config.parameter.level)"]`, `code: web: cmd: ["--max", "\(config.parameter.max)"]`,
		`code: web: cmd: ["-m", "\(config.parameter.max + 1)"]`, `code: web: cmd: ["\(config.parameter.max & <5)"]`,
		"let p = config.parameter\ncode: web: mapping: env: MAX: value: \"\\(p.max & <7)\"", "let p = config.parameter\ncode: web: mapping: env: MAX: value: \"\\(p.max)\"",
		"_ok: true & (config.parameter.max < 5)", "_ok: true & (config.parameter.max < 50)", `_limit: "info" & config.parameter.level`,
		"if config.parameter.max > 4 {code: web: image: tag: \"ghcr.example/web:1\"}", "if config.parameter.max > 4 {code: web: cmd: [\"--many\"]}", "if config.parameter.max > 7 {_bad: 1 & 2}",
		"srv: server: admin: port: config.parameter.max", "srv: server: admin: port: 81", "code: web: cmd: [\"a\"]", "code: web: cmd: [\"b\"]",
		"code: web: matchN(1, [{cmd: [string], ...}, {cmd: [string, string], ...}])", "#Few: {cmd: [string], ...}\ncode: web: #Few", "#Few: {cmd?: [...string], ...}\ncode: web: #Few",
		`code: web: cmd: [{"info": "-i", "debug": "-d"}[config.parameter.level]]`, "code: web: cmd: [for x in [1, 2] if x < config.parameter.max {\"\\(x)\"}]",
		"scale: hsize: <=config.parameter.max", "code: web: cmd: [if config.parameter.level == \"debug\" {\"-d\"}]", "D=config: _, code: web: cmd: [\"\\(D.parameter.max & >0)\"]",
		"code: web: mapping: env: MAX: parameter: \"max\"", "code: web: size: memory: size: config.parameter.max", "code: web: size: memory: size: *64 | config.parameter.max",
	}
	scales = []string{"hsize: *1 | uint", "hsize: *1 | uint & <4", "hsize: *2 | uint", "hsize: *1 | uint & <3"}

	// passed are lines of the role's config.
	passed = []string{
		"level: description.config.parameter.level", `level: "info" & description.config.parameter.level`, `level: "info"`, `level: "debug"`, "", `level: "\(description.config.parameter.level)"`,
		`level: string & description.config.parameter.level`, `level: {"info": "debug", "debug": "info"}[description.config.parameter.level]`,
	}
	handed = []string{
		"max: description.config.parameter.max", "max: description.config.parameter.max & <5", "max: description.config.parameter.max + 1", "max: 2", "max: 6", "",
		"if description.config.parameter.max > 5 {max: 1}", "max: *description.config.parameter.max | int",
	}
	whole = []string{"", "", "", "description: role: web: config: parameter: description.config.parameter", "_checked: true & (description.config.parameter.max != 6)", "description: _n: description.config.parameter.max & <8", "#Cap: {n: <6, ...}\n_n: #Cap & {n: description.config.parameter.max}", "description: role: web: meta: n: description.config.parameter.max & <9"}
)

// parts are the lines of a component and of a service that deploys it.
type parts struct {
	level, max, more, line, again, scale string // of the component
	level2, max2, role, handed, whole    string // of the service
	image                                int
}

func (p parts) module(t *testing.T) string {
	t.Helper()
	p.level, p.max, p.scale = cmp.Or(p.level, levels[0]), cmp.Or(p.max, maxima[0]), cmp.Or(p.scale, scales[0])
	p.level2, p.max2 = cmp.Or(p.level2, p.level), cmp.Or(p.max2, p.max)
	p.role, p.handed = cmp.Or(p.role, passed[0]), cmp.Or(p.handed, handed[0])
	return module(t, "web/web.cue", p.component(), "site/site.cue", p.service())
}

func (p parts) component() string {
	return fmt.Sprintf(`package component

#Artifact: {
	ref: name: "web"
	description: {
		srv: server: web: port: 80
		config: {
			parameter: {
				%s
				%s
				%s
			}
			scale: %s
		}
		code: web: {
			image: tag: "ghcr.example/web:%d"
			size: {cpu: {size: 200, unit: "m"}, memory: {size: *64 | number, unit: "M"}}
		}
		%s
		%s
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`, p.level, p.max, p.more, p.scale, p.image, p.line, p.again)
}

func (p parts) service() string {
	return fmt.Sprintf(`package service

import w "kumiki.example/web/web:component"

#Artifact: {
	ref: name: "site"
	description: {
		config: parameter: {
			%s
			%s
			%s
		}
		role: web: {
			artifact: w.#Artifact
			config: parameter: {
				%s
				%s
			}
		}
		srv: server: entry: port: 80
		connect: entry: {from: self: "entry", to: web: web: _}
	}
	%s
}
`, p.level2, p.max2, p.more, p.role, p.handed, p.whole)
}

func drawParts(t *rapid.T) parts {
	pick := func(of []string, name string) string { return rapid.SampledFrom(of).Draw(t, name) }
	return parts{
		pick(levels, "level"), pick(maxima, "max"), pick(more, "more"), pick(partly, "line"), pick(partly, "again"), pick(scales, "scale"),
		pick(levels, "level2"), pick(maxima, "max2"), pick(passed, "role"), pick(handed, "handed"), pick(whole, "whole"), rapid.IntRange(1, 3).Draw(t, "image"),
	}
}

// mutate changes one or two of the lines.
func (p parts) mutate(t *rapid.T) parts {
	q := drawParts(t)
	out := p
	texts := []*string{&out.level, &out.max, &out.more, &out.line, &out.again, &out.scale, &out.level2, &out.max2, &out.role, &out.handed, &out.whole}
	other := []string{q.level, q.max, q.more, q.line, q.again, q.scale, q.level2, q.max2, q.role, q.handed, q.whole}
	for range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "changes") {
		if i := rapid.IntRange(0, len(texts)).Draw(t, "which"); i < len(texts) {
			*texts[i] = other[i]
		} else {
			out.image = q.image
		}
	}
	return out
}

const moduleFile = "module: \"kumiki.example/web@v1\"\nlanguage: version: \"v0.12.0\"\n"

// deploys asks plain CUE, level by level, whether a config is taken.
func deploys(m reference.Model, p parts, which, config string) (taken, refused bool) {
	files := map[string]string{
		"cue.mod/module.cue": moduleFile, "web/web.cue": p.component(), "site/site.cue": p.service(),
		"prod/deployment.cue": "package deployment\n\nimport a \"kumiki.example/web/" + which + "\"\n\n#Deployment: {\n\tname: \"prod\"\n\tartifact: a.#Artifact\n\tconfig: {" + config + "}\n}\n",
	}
	r := reference.Spread(m, reference.App{Files: files, Dir: "prod"})
	return r.Deployment != nil && !r.Undecided, len(r.Refusals) > 0
}

// TestStepsAreSound makes pairs of a component and a service: where no step is
// major, whatever config the old artifacts take, by plain CUE, the new ones take.
func TestStepsAreSound(t *testing.T) {
	t.Parallel()
	steps, left := map[Step]int{}, 40 // more where they are asked for: -rapid.checks=400
	if asked := flag.Lookup("rapid.checks").Value.String(); asked != "100" {
		left = 1 << 20
	}
	m := reference.NewModel()
	rapid.Check(t, func(rt *rapid.T) {
		if left--; left < 0 {
			return
		}
		before := drawParts(rt)
		after := before.mutate(rt)
		old, now := module(t, "web/web.cue", before.component(), "site/site.cue", before.service()), module(t, "web/web.cue", after.component(), "site/site.cue", after.service())
		r, problems := Compare(t.Context(), Side{Dir: old}, Side{Dir: now})
		if problems.HasErrors() {
			return
		}
		steps[r.Step]++
		if r.Step == Major {
			return
		}
		for range 4 {
			which, config := drawGiven(rt)
			if taken, _ := deploys(m, before, which, config); !taken {
				continue
			}
			if _, refused := deploys(m, after, which, config); refused {
				rt.Fatalf("%s: %s is taken by\n%s%s\nand refused by\n%s%s\n%s: %v", which, config, before.component(), before.service(), after.component(), after.service(), r.Step, r.Changes)
			}
		}
	})
	t.Log(steps)
	require.NotEmpty(t, steps)
}

// drawGiven draws an artifact and a config for it.
func drawGiven(t *rapid.T) (which, config string) {
	var out []string
	for _, of := range [][]string{
		{"", `level: "info"`, `level: "debug"`, `level: "trace"`}, {"max: 1", "max: 4", "max: 6", "max: 8", "max: 99", "max: -1", ""}, {"", "", `extra: "y"`, "flag: true", "flag: false"},
	} {
		if s := rapid.SampledFrom(of).Draw(t, "given"); s != "" {
			out = append(out, s)
		}
	}
	config = "parameter: {" + strings.Join(out, ", ") + "}"
	hsize := rapid.SampledFrom([]string{"", "1", "3", "9"}).Draw(t, "hsize")
	which = rapid.SampledFrom([]string{"web:component", "site:service"}).Draw(t, "artifact")
	if hsize != "" && which == "web:component" {
		config += ", scale: hsize: " + hsize
	} else if which == "site:service" {
		config += ", scale: detail: web: hsize: " + max(hsize, "1")
	}
	return which, config
}
