package compiler_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
)

// parameterTypes are types of a parameter, each with bounds or alternatives that
// some of parameterValues are just within.
var parameterTypes = []string{
	`string`, `bool`, `int`, `uint`, `>5`, `>=5`, `<5`, `<=5`, `int & >=1 & <=5`, `*5 | (int & >4)`, `uint & <6`,
	`"a" | "b"`, `*"a" | string`, `"b" | *"a"`, `5 | 6`, `"a" | 5`, `true`, `"a"`, `*null | string`, `=~"^a"`, `{x: int}`,
}

var parameterValues = []string{`-1`, `0`, `4`, `5`, `6`, `5.0`, `"a"`, `"b"`, `"5"`, `true`, `null`, `{x: 5}`}

// TestTypes compares what is made of each value of a parameter with what CUE alone
// makes of it: of those that its type takes, and of the others.
func TestTypes(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprintf("taken %v", taken), func(t *testing.T) {
			t.Parallel()
			app := typedApp(taken)
			require.Contains(t, app, "c3.#Artifact, config: parameter: n: "+map[bool]string{false: "-1", true: "0"}[taken]+"}")
			dir := t.TempDir()
			write(t, dir, app)
			in := compiler.Input{}
			in.Dir = filepath.Join(dir, "deploy")
			if diff := partialDiffers(in); diff != "" {
				t.Errorf("(-CUE +partial):\n%s", diff)
			}
		})
	}
}

// typedApp has a component for each type, which shows its parameter in a file, and
// a role for each value that a type takes, or that it does not.
func typedApp(taken bool) string {
	var app, imports, roles strings.Builder
	ctx := cuecontext.New()
	for i, typ := range parameterTypes {
		fmt.Fprintf(&imports, "c%d \"types.example/app/c%d:component\"\n", i, i)
		fmt.Fprintf(&app, "-- c%d/c.cue --\n%s", i, strings.ReplaceAll(typedComponent, "«type»", typ))
		for j, value := range parameterValues {
			if taken == (ctx.CompileString(fmt.Sprintf("(%s) & (%s)", typ, value)).Validate(cue.Concrete(true)) == nil) {
				fmt.Fprintf(&roles, "role: r%dv%d: {artifact: c%d.#Artifact, config: parameter: n: %s}\n", i, j, i, value)
			}
		}
	}
	return `
-- cue.mod/module.cue --
module: "types.example/app@v0"
language: version: "v0.12.0"
-- s/s.cue --
package service
import (
k "kumori.systems/kumori:kumori"
` + imports.String() + `)
#Artifact: k.#Service & {ref: name: "s", description: {
` + roles.String() + `}}
-- deploy/d.cue --
package deployment
import s "types.example/app/s:service"
#Deployment: {name: "d", artifact: s.#Artifact}
` + app.String()
}

const typedComponent = `package component
import k "kumori.systems/kumori:kumori"
#Artifact: k.#Component & {
	ref: name: "c"
	description: {
		config: {
			parameter: n: «type»
			scale: hsize: *1 | uint
		}
		code: c: {
			image: tag: "i:1"
			size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}
			mapping: filesystem: "/n": {data: value: config.parameter.n, format: "json"}
		}
		size: bandwidth: {size: 9, unit: "M"}
	}
}
`
