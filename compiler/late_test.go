package compiler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/late"
	"kumiki.dev/solution"
)

// A module with a service whose role gets the parameters x (a string) and n (a number), and
// a place, COMPONENT or SERVICE, for what is done with them.
const lateModule = `
-- cue.mod/module.cue --
module: "kumiki.example/late@v1"
language: version: "v0.17.0"
-- app/app.cue --
package component

import "strings"
_join: strings.Join

#Artifact: {
	ref: name: "app"
	description: {
		srv: server: web: port: 8080
		config: {
			parameter: {
				x: string
				n: *7 | (int & >0)
				on: *true | bool
			}
			scale: hsize: *1 | uint
		}
		code: app: {
			image: tag: "ghcr.example/app:1.0.0"
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
	COMPONENT
}
-- top/top.cue --
package service

import a "kumiki.example/late/app@v1:component"

#Artifact: {
	ref: name: "top"
	description: {
		srv: server: entry: port: 80
		config: parameter: {
			x: string
			n: *5 | int
		}
		role: app: {
			artifact: a.#Artifact
			config: parameter: {
				x: description.config.parameter.x
				n: description.config.parameter.n
			}
		}
		connect: entry: {from: self: "entry", to: app: web: _}
	}
	SERVICE
}
-- back/back.cue --
package component

#Artifact: {
	ref: name: "back"
	description: {
		config: scale: hsize: *1 | uint
		code: back: {
			image: tag: "ghcr.example/back:1.0.0"
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
-- other/deployment.cue --
package deployment

import b "kumiki.example/late/back@v1:component"

#Deployment: {name: "other", artifact: b.#Artifact}
`

// lateForms are what artifacts do with values that are not known yet. Those of which it is
// certain that they only pass them on are accepted, and all others refused.
var lateForms = []struct {
	component, service string
	accepted           bool
}{
	{component: `description: code: app: mapping: env: X: value: description.config.parameter.x`, accepted: true},
	{component: `description: code: app: mapping: env: {X: parameter: "x", N: parameter: "n"}`, accepted: true},
	{component: `description: code: app: mapping: filesystem: "/x.json": {format: "json", data: value: description.config.parameter}`, accepted: true},
	{component: `description: code: app: mapping: filesystem: "/x.yaml": {format: "yaml", data: value: {a: {b: description.config.parameter.x}, c: 1}}`, accepted: true},
	{component: `description: code: app: cmd: ["-x", description.config.parameter.x, "-v"]`, accepted: true},
	{component: `let p = description.config.parameter, description: code: app: mapping: env: X: value: p.x`, accepted: true},
	{component: `_p: description.config.parameter, description: code: app: mapping: env: X: value: _p.x`, accepted: true},
	{component: `#p: x: description.config.parameter.x, description: code: app: mapping: env: X: value: #p.x`, accepted: true},
	{component: `description: {if description.config.parameter.on {code: app: mapping: env: X: value: description.config.parameter.x}}`, accepted: true},
	{component: `description: config: parameter: x: =~"^[a-z0-9]+$"`, accepted: true},
	{component: `description: config: parameter: n: <60000 | 70000`, accepted: true},
	{service: `description: role: app: meta: x: description.config.parameter.x`, accepted: true},

	{component: `description: code: app: mapping: env: X: value: "\(description.config.parameter.x)"`},
	{component: `description: code: app: mapping: env: X: value: description.config.parameter.x + "!"`},
	{component: `description: code: app: mapping: env: X: value: strings.ToUpper(description.config.parameter.x)`},
	{component: `description: code: app: mapping: env: X: value: strings.Join([description.config.parameter.x, "b"], ",")`},
	{component: `description: code: app: mapping: env: X: value: *description.config.parameter.x | "b"`},
	{component: `description: code: app: mapping: env: X: value: {a: "1", late1: "2"}[description.config.parameter.x]`},
	{component: `description: code: app: mapping: env: "\(description.config.parameter.x)": value: "1"`},
	{component: `description: {if description.config.parameter.x == "a" {code: app: mapping: env: X: value: "1"}}`},
	{component: `description: {if len(description.config.parameter.x) > 0 {code: app: mapping: env: X: value: "1"}}`},
	{component: `description: {if description.config.parameter.x != "never" {code: app: mapping: env: X: value: description.config.parameter.x}}`},
	{component: `_is: description.config.parameter.x == "a", description: {if _is {code: app: mapping: env: X: value: "1"}}`},
	{component: `_check: true & len(description.config.parameter.x) < 100`},
	{component: `#check: description.config.parameter.n & <100`},
	{component: `let many = description.config.parameter.n, description: {if many > 10 {code: app: cmd: ["many"]}}`},
	{component: `description: config: parameter: {n: int, m: *(n + 1) | int}`},
	{component: `description: config: parameter: {x: string, y: *x | string}`},
	{component: `description: config: parameter: {x: =~"^\(y)", y: *"l" | string}`},
	{component: `description: config: parameter: {x: string, if x == "a" {z: 1}}`},
	{component: `description: srv: server: more: port: description.config.parameter.n`},
	{component: `description: code: app: image: digest: description.config.parameter.x`},
	{component: `description: code: app: mapping: filesystem: "/x": data: value: "a\(description.config.parameter.x)"`},
	{component: `description: code: app: mapping: filesystem: "/\(description.config.parameter.x)": data: value: "a"`},
	{component: `description: code: app: cmd: [for w in ["a", description.config.parameter.x] {w}]`},
	{component: `description: code: app: cmd: [for i in [1, 2, 3] if i < description.config.parameter.n {"w"}]`},
	{component: `description: code: app: mapping: env: P: parameter: "pair", description: config: parameter: {x: string, pair: {x: "1"} }, _y: "\(description.config.parameter.x)"`},
	{service: `description: role: app: config: scale: hsize: description.config.parameter.n`},
	{service: `description: role: app: artifact: description: code: app: mapping: env: X: value: description.config.parameter.x`, accepted: true},
	{service: `description: role: app: artifact: description: code: app: mapping: env: X: value: "1"`, accepted: true},
	{service: `description: {if description.config.parameter.n > 3 {role: two: {artifact: a.#Artifact, config: parameter: x: "1"}}}`},
	{service: `description: role: two: {artifact: a.#Artifact, config: parameter: x: "\(description.config.parameter.x)"}`},
}

// TestLate: what is certain to be passed on only is the same when it is filled as when it is
// known from the start; what is not is refused where it is written.
func TestLate(t *testing.T) {
	t.Parallel()
	for _, form := range lateForms {
		t.Run(form.component+form.service, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			module := strings.NewReplacer("COMPONENT", form.component, "SERVICE", form.service).Replace(lateModule)
			for _, f := range txtar.Parse([]byte(module)).Files {
				writeFile(t, filepath.Join(dir, f.Name), f.Data)
			}
			s, problems := compileLate(t, dir, `{$from: "other", field: "ConfigMap/o.data.x"}`, `{$from: "other", field: "ConfigMap/o.data.n"}`)
			if !form.accepted {
				require.True(t, problems.HasErrors(), "accepted")
				for _, d := range problems {
					require.Contains(t, []diag.Code{diag.LateUsed, diag.LateType}, d.Code, d.Message)
					require.True(t, d.Pos.IsValid(), d.Message)
				}
				return
			}
			require.Empty(t, problems)
			require.Empty(t, solution.Verify(s))
			for _, x := range []string{"a", "late1", "zz9"} {
				for _, n := range []int{1, 20011, 500} {
					filled := filledWith(t, s, x, n)
					want, problems := compileLate(t, dir, fmt.Sprintf("%q", x), fmt.Sprint(n))
					require.Empty(t, problems)
					require.Empty(t, cmp.Diff(asJSON(t, want.Deployments), asJSON(t, filled.Deployments)))
					require.Empty(t, filled.Late)
				}
			}
		})
	}
}

func compileLate(t *testing.T, dir, x, n string) (*solution.Solution, diag.List) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "deploy/deployment.cue"), fmt.Appendf(nil, "package deployment\n\nimport s \"kumiki.example/late/top@v1:service\"\n\n#Deployment: {\n\tname: \"top\"\n\tartifact: s.#Artifact\n\tconfig: parameter: {x: %s, n: %s}\n}\n", x, n))
	in := compiler.Input{With: compiler.NewOthers([]string{filepath.Join(dir, "other")})}
	in.Dir = filepath.Join(dir, "deploy")
	return compiler.Compile(context.Background(), in)
}

// filledWith fills a solution with what a ConfigMap has.
func filledWith(t *testing.T, s *solution.Solution, x string, n int) *solution.Solution {
	t.Helper()
	live, err := json.Marshal(map[string]any{"kind": "ConfigMap", "metadata": map[string]any{"name": "o"}, "data": map[string]any{"x": x, "n": n}})
	require.NoError(t, err)
	objects, err := late.Read(live)
	require.NoError(t, err)
	filled, problems := late.Fill(s, objects, late.Options{})
	require.Empty(t, problems)
	return filled
}
