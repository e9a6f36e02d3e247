package compiler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
)

// described are ways to say something about a component that depends on its
// config, or seems to.
var described = []string{
	`code: c: mapping: env: A: value: config.parameter.t`,
	`code: c: mapping: env: B: value: "x\(config.parameter.t)y\(config.parameter.n)z"`,
	`code: c: mapping: filesystem: "/a": {data: value: config.parameter, format: "json"}`,
	`code: c: mapping: filesystem: "/b": {data: value: config.parameter.o, format: "json"}`,
	`code: c: mapping: filesystem: "/b": {data: value: {extra: 1}}`,
	`code: c: mapping: filesystem: "/c": {data: value: {z: config.parameter.l, w: 1, i: [{n: config.parameter.n}]}, format: "yaml"}`,
	`code: c: mapping: filesystem: "/d": {data: value: "\(config.parameter.t)\n", format: "text"}`,
	`srv: server: in1: port: config.parameter.n`,
	`size: minbandwidth: config.parameter.n`,
	`let q = config.parameter.t, code: c: mapping: env: C: value: q`,
	`code: c: mapping: env: D: value: code.c.mapping.env.A.value, code: c: mapping: env: A: value: config.parameter.t`,
	`if config.parameter.b {code: c: mapping: env: E: value: "1"}`,
	`_h: "h\(config.parameter.t)", code: c: mapping: env: F: value: _h`,
	`code: c: mapping: env: G: value: config.parameter.t & =~"^."`,
	`code: c: mapping: env: [string]: {value?: !="bad"}`,
	`code: c: mapping: env: A: value: config.parameter.t, code: c: mapping: env: [string]: {value?: !="bad"}`,
	`code: c: mapping: env: A: value: "\(config.parameter.t)", code: c: mapping: env: [string]: {value?: !="bad"}`,
	`code: c: mapping: env: A: value: config.parameter.t, code: c: #good, code: c: #good: mapping: env: A: value: !="bad"`,
	`code: c: mapping: env: H: value: *"h" | string, code: c: mapping: env: H: value: config.parameter.t`,
	`code: c: entrypoint: ["run", config.parameter.t]`,
	`code: c: {#base, #base: {cmd: [config.parameter.t]}}`,
	`for k in config.parameter.l {code: c: mapping: env: "L\(k)": value: config.parameter.t}`,
	`config: parameter: u: "u\(config.parameter.t)", code: c: mapping: env: U: value: config.parameter.u`,
	`probe: c: liveness: {protocol: tcp: port: config.parameter.n, frequency: "low"}`,
	`code: c: mapping: env: J: value: {v: config.parameter.t}.v`,
	`profile: threads: config.parameter.n`,
	`code: c: mapping: filesystem: "/e": {data: value: #twice & {once: config.parameter.t}, format: "json"}`,
	`code: c: mapping: filesystem: "/f": {data: value: l.#twice & {once: config.parameter.t}, format: "json"}`,
	`code: c: l.#container, code: c: mapping: env: K: value: config.parameter.t`,
}

// passed are config fields that a role may or may not be given.
var passed = [][]string{
	{`t: "d"`, `t: "bad"`, `t: ""`, `t: "t\n"`},
	{"n: -1", "n: 0", "n: 1"},
	{"b: true", "b: false"},
	{"o: x: 7", `o: y: "why"`, `o: {y: "z", x: 2}`},
	{"l: []", `l: ["p"]`, `l: ["p", "q"]`},
}

// TestDescribed compares what partial evaluation makes with what CUE does, for
// components whose description shows their config in random ways, in roles that
// give them random configs.
func TestDescribed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		dir := t.TempDir()
		order := rand.New(rand.NewPCG(seed, 0))
		parts := make([]string, 1+order.IntN(3))
		for i := range parts {
			parts[i] = described[order.IntN(len(described))]
		}
		artifact, scale := "c", "hsize: 1"
		if seed%2 == 1 {
			artifact, scale = "m", "detail: leaf: hsize: 1" // by way of a service
		}
		if seed%10 == 9 {
			artifact = "p" // which gives the same to all of its roles
		}
		var roles []string
		for r := range 4 {
			var config []string
			for _, values := range passed {
				if order.IntN(2) == 0 {
					config = append(config, values[order.IntN(len(values))])
				}
			}
			roles = append(roles, fmt.Sprintf("role: r%d: {artifact: %s.#Artifact, config: {scale: %s, parameter: {%s}}}", r, artifact, scale, strings.Join(config, ", ")))
		}
		write(t, dir, fmt.Sprintf(describedApp, strings.Join(parts, "\n"), imported[artifact], strings.Join(roles, "\n")))
		want, wrong := compileDescribed(dir, true)
		got, also := compileDescribed(dir, false)
		if diff := cmp.Diff(want, got) + cmp.Diff(wrong, also); diff != "" {
			t.Fatalf("%s\n%s\n(-CUE +partial):\n%s", strings.Join(parts, "\n"), strings.Join(roles, "\n"), diff)
		}
	}
}

// compileDescribed compiles what is in dir: the leaves of the tree, or the problems.
func compileDescribed(dir string, noPartial bool) (tree, problems []string) {
	in := compiler.Input{NoMemo: true, NoPartial: noPartial}
	in.Dir = filepath.Join(dir, "deploy")
	result, found := compiler.Run(context.Background(), in, compiler.ExtractStage)
	for _, d := range found {
		problems = append(problems, fmt.Sprint(d))
	}
	if result.Tree != nil && !found.HasErrors() { // stand-ins are numbered as they come
		for _, leaf := range leaves(result.Tree) {
			tree = append(tree, columns.ReplaceAllString(leaf, "$1"))
		}
	}
	return tree, problems
}

// columns are those of places: CUE puts a value that it makes of others at a field or at
// what is written for it, by what else is said there.
var columns = regexp.MustCompile(`(\.cue:\d+):\d+`)

// imported are the import specs of the artifacts that roles have.
var imported = map[string]string{"c": `c "described.example/app/c:component"`, "m": `m "described.example/app/m:service"`, "p": `p "described.example/app/p:service"`}

const describedApp = `
-- cue.mod/module.cue --
module: "described.example/app@v0"
language: version: "v0.12.0"
-- c/c.cue --
package component
import (
	k "kumori.systems/kumori:kumori"
	l "described.example/app/l:lib"
)
#twice: l.#twice & {both: "\(once)\(once)", once: *"o" | string}
#Artifact: k.#Component
#Artifact: {
	ref: name: "c"
	description: {
		config: parameter: {
			t: *"d" | string
			n: *5 | int
			b: *true | bool
			o: {x: *1 | int, y: *"yy" | string}
			l: *["a"] | [...string]
		}
		srv: server: in0: port: 80
		code: c: {image: tag: "i:1", size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}
		size: bandwidth: {size: 9, unit: "M"}
		%s
	}
}
-- l/l.cue --
package lib
#twice: {once: *"o" | string, both: "\(once)\(once)"}
#container: {mapping: env: {K: value: string, L: value: mapping.env.K.value}, ...}
-- p/p.cue --
package service
import (
	k "kumori.systems/kumori:kumori"
	c "described.example/app/c:component"
)
#Artifact: k.#Service & {ref: name: "p", description: {
	config: parameter: {t: *"p" | string, n: *6 | int, b: *true | bool, o: {...}, l: *["a"] | [...string]}
	role: [string]: config: parameter: t: description.config.parameter.t
	role: leaf: artifact: c.#Artifact
}}
-- m/m.cue --
package service
import (
	k "kumori.systems/kumori:kumori"
	c "described.example/app/c:component"
)
#Artifact: k.#Service & {ref: name: "m", description: {
	config: parameter: {
		t: *"m" | string
		n: *6 | int
		b: *true | bool
		o: {x: *1 | int, y: *"yy" | string}
		l: *["a"] | [...string]
	}
	role: leaf: {artifact: c.#Artifact, config: parameter: {
		t: description.config.parameter.t
		n: description.config.parameter.n
		b: description.config.parameter.b
		o: description.config.parameter.o
		l: description.config.parameter.l
	}}
}}
-- s/s.cue --
package service
import (
	k "kumori.systems/kumori:kumori"
	%s
)
#Artifact: k.#Service & {ref: name: "s", description: {
	config: parameter: {}
	%s
}}
-- deploy/d.cue --
package deployment
import s "described.example/app/s:service"
#Deployment: {name: "d", artifact: s.#Artifact, config: {}}
`

// write unpacks an archive below dir.
func write(t require.TestingT, dir, archive string) {
	for _, f := range txtar.Parse([]byte(archive)).Files {
		writeFile(t, filepath.Join(dir, f.Name), f.Data)
	}
}

func writeFile(t require.TestingT, file string, data []byte) {
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, data, 0o644))
}
