package compiler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
)

var plainParts = []string{
	`config: parameter: t: description.config.parameter.t`,
	`config: parameter: t: "text"`,
	`config: parameter: t: "a\nb\u00e9\t\"q\""`,
	`config: parameter: t: "<\(description.config.parameter.t)>"`,
	`config: parameter: t: "\(description.config.parameter.n)/\(description.config.resilience)"`,
	`config: parameter: t: description.config.parameter.o.y`,
	`config: parameter: n: description.config.parameter.n`,
	`config: parameter: n: 7`,
	`config: parameter: n: -7`,
	`config: parameter: b: false`,
	`config: parameter: o: description.config.parameter.o`,
	`config: parameter: o: {x: 3, y: description.config.parameter.t}`,
	`config: parameter: o: x: 4`,
	`config: parameter: o: {}`,
	`config: parameter: l: description.config.parameter.l`,
	`config: resource: {}`,
	`config: scale: hsize: 3`,
	`config: resilience: 1`,
	`config: resilience: 0x2`,
	`config: resilience: 2 - 1`,
	`config: parameter: t: _h`,
	`config: parameter: {let x = "l", t: x}`,
}

var oddParts = []string{
	`config: parameter: t: #"ra"w"#`,
	`config: parameter: t: """
		lines
		"""`,
	`config: parameter: t: "\(description.config.parameter.o)"`,
	`config: parameter: t: "\(description.config.parameter.b)"`,
	`config: parameter: "t": (description.config.parameter.t)`,
	`config: parameter: t: hidden`,
	`config: parameter: t: description.config.parameter.absent`,
	`config: parameter: t: config.parameter.o.y`,
	`config: parameter: {t: "a", t: "a"}`,
	`config: parameter: {t: "a", t: "b"}`,
	`config: parameter: t?: "a"`,
	`config: parameter: t!: "a"`,
	`config: parameter: _t: "a"`,
	`config: parameter: {let x = "l", t: x}`,
	`config: parameter: {t: "a"} @note(x)`,
	`config: parameter: n: 0x10`,
	`config: parameter: n: 1_000`,
	`config: parameter: n: 1.5`,
	`config: parameter: n: 99999999999999999999`,
	`config: parameter: n: null`,
	`config: parameter: n: 1 + 1`,
	`config: parameter: n: "wrong"`,
	`config: parameter: l: ["z"]`,
	`config: parameter: l: [description.config.parameter.t]`,
	`config: parameter: description.config.parameter`,
	`config: parameter: misspelt: 1`,
	`config: resource: v: description.config.resource.v`,
	`config: resource: v: volume: "id"`,
	`config: scale: hsize: 0b11`,
	`config: scale: hsize: -3`,
	`config: scale: hsize: description.config.parameter.n`,
	`config: scale: {}`,
	`config: {
		resilience: 2
		scale: hsize: 3
	}`,
	`config: resilience: -1`,
	`config: resilience: "x"`,
	`config: resilience: 1.5`,
	`config: resilience: description.config.parameter.n`,
	`config: resilience: 1 + 1`,
	`config: resilience: _`,
	`config: resilience: description.config.resilience`,
	`config: {}`,
	`meta: fact: 1`,
	`name: "other"`,
	`extra: 1`,
	`up: null`,
	`if description.config.parameter.b {config: parameter: t: "if"}`,
	`#more`,
}

// besideRoles are things that a service may say beside its roles, which may be about
// them.
var besideRoles = []string{
	``, ``, ``, ``,
	`description: role: [string]: config: parameter: t: "all"`,
	`description: role: [=~"r[01]"]: config: parameter: n: 5`,
	`description: role: r0: config: parameter: n: 6`,
	`description: role: {r1: {artifact: c.#Artifact, config: parameter: n: 8}}`,
	`description: role: {for n in ["r7", "r8"] {(n): artifact: c.#Artifact}}`,
	`description: {if description.config.parameter.b {role: r0: config: parameter: l: ["if"]}}`,
	`description: #more, #more: role: r2: config: parameter: n: 9`,
	`description: let p = description.config.parameter, description: role: r9: {artifact: c.#Artifact, config: parameter: t: p.t}`,
	`description: srv: server: in: port: role.r0.config.parameter.n`,
	`description: role: r0: artifact: ref: name: "c"`,
	`description: config: parameter: t: "fixed"`,
	`description: connect: x: {from: self: "in", to: r0: in0: _}, description: srv: server: in: port: 80`,
	`description: unknown: 1`,
	`#more: config: parameter: n: 11`,
}

// TestPlainRoles compares what is read from sources with what CUE makes of them,
// for services that say random things of their roles.
func TestPlainRoles(t *testing.T) {
	t.Parallel()
	plain := 0
	for seed := range uint64(120) {
		dir := t.TempDir()
		order := rand.New(rand.NewPCG(seed, 1))
		roles := make([]string, 1+order.IntN(4))
		for r := range roles {
			var parts []string
			for range order.IntN(4) {
				from := plainParts
				if order.IntN(8) == 0 {
					from = oddParts
				}
				parts = append(parts, from[order.IntN(len(from))])
			}
			if order.IntN(2) == 0 { // as it is usually written
				parts = append(parts, "config: {parameter: {\n}}")
			}
			parts = append(parts, "artifact: c.#Artifact")
			roles[r] = fmt.Sprintf("role: r%d: {\n%s\n}", r, strings.Join(merged(parts), "\n"))
		}
		service := strings.Join(roles, "\n")
		more := besideRoles[order.IntN(len(besideRoles))]
		write(t, dir, fmt.Sprintf(plainApp, service, more))
		want, wrong, _ := compilePlain(dir, true)
		got, also, instantiated := compilePlain(dir, false)
		if diff := cmp.Diff(want, got) + cmp.Diff(wrong, also); diff != "" {
			t.Fatalf("%d: %s\n%s\n(-CUE +partial):\n%s", seed, service, more, diff)
		}
		if instantiated && len(wrong) == 0 {
			plain++
		}
	}
	require.Greater(t, plain, 5, "most are to be found wrong or to need CUE, but not all")
}

// merged writes the parts of a config as one struct, as most people do.
func merged(parts []string) []string {
	var out, config []string
	for _, p := range parts {
		if rest, ok := strings.CutPrefix(p, "config: "); ok && !strings.Contains(p, "@") && strings.Contains(rest, ": ") {
			config = append(config, rest)
			continue
		}
		out = append(out, p)
	}
	sections := map[string][]string{}
	var names []string
	for _, c := range config {
		name, rest, _ := strings.Cut(c, ": ")
		if sections[name] == nil {
			names = append(names, name)
		}
		sections[name] = append(sections[name], rest)
	}
	var text strings.Builder
	for _, name := range names {
		values := sections[name]
		inner := true
		for _, v := range values {
			inner = inner && strings.Contains(v, ": ") && !strings.HasPrefix(v, "{")
		}
		if inner {
			fmt.Fprintf(&text, "\t%s: {\n\t%s\n}\n", name, strings.Join(values, "\n\t"))
			continue
		}
		for _, v := range values {
			fmt.Fprintf(&text, "\t%s: %s\n", name, v)
		}
	}
	if text.Len() > 0 {
		out = append(out, "config: {\n"+text.String()+"}")
	}
	return out
}

// compilePlain compiles what is in dir: the leaves of the tree and the solution,
// or the problems, and whether all was done without CUE.
func compilePlain(dir string, noPartial bool) (made, problems []string, instantiated bool) {
	in := compiler.Input{NoPartial: noPartial}
	in.Dir = filepath.Join(dir, "deploy")
	result, found := compiler.Run(context.Background(), in, compiler.ExtractStage)
	for _, d := range found {
		problems = append(problems, fmt.Sprint(d))
	}
	if result.Tree != nil && !found.HasErrors() {
		made = leaves(result.Tree)
		for _, r := range result.Tree.Root.Roles {
			made = append(made, fmt.Sprint(r.Name, " ", r.Pos.Position(), " ", r.Meta.Pos.Position(), r.Meta.JSON()))
			for _, v := range r.Node.Description.Get("code", "c", "mapping", "env").Each() {
				made = append(made, fmt.Sprint(v.Name, " ", v.Value.Pos.Position()))
			}
		}
		instantiated = result.Tree.Work.Evaluated == 0
	}
	if result.Solution != nil && !found.HasErrors() {
		text, err := result.Solution.Bytes()
		made = append(made, string(text), fmt.Sprint(err))
	}
	return made, problems, instantiated
}

const plainApp = `
-- cue.mod/module.cue --
module: "plain.example/app@v0"
language: version: "v0.12.0"
-- c/c.cue --
package component
import k "kumori.systems/kumori:kumori"
#Artifact: k.#Component & {
	ref: name: "c"
	description: {
		config: {
			parameter: {
				t: *"d" | string
				n: *5 | int
				b: *true | bool
				o: {x: *1 | int, y: *"yy" | string}
				l: *["a"] | [...string]
			}
			scale: hsize: *1 | uint
		}
		srv: server: in0: port: 80
		code: c: {image: tag: "i:1", size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}
		size: bandwidth: {size: 9, unit: "M"}
	}
}
-- s/s.cue --
package service
import (
	k "kumori.systems/kumori:kumori"
	c "plain.example/app/c:component"
)
#more: {...}
#Artifact: k.#Service & {ref: name: "s", description: {
	config: {
		parameter: {
			t: *"s" | string
			n: *6 | int
			b: *true | bool
			o: {x: *1 | int, y: *"yy" | string}
			l: *["a"] | [...string]
		}
		resource: v: k.#Volume
	}
	_h: config.parameter.t
	%s
}}
#Artifact: {
	ref: name: "s"
	%s
}
-- deploy/d.cue --
package deployment
import s "plain.example/app/s:service"
#Deployment: {name: "d", artifact: s.#Artifact, config: {parameter: t: "top", resource: v: volume: "disk"}}
`
