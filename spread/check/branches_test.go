package check_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/load"
	"kumiki.dev/spread"
	"kumiki.dev/spread/check"
)

const branchy = `
-- kmodule.cue --
package kmodule
{domain: "example.org", module: "x", version: [1, 0, 0]}
-- web/web.cue --
package component

import "strings"

#shared: {
	name: string
	if name == "you" {short: true}
}

#common: {
	name: string
	if name == "long" {long: true}
}

#Artifact: {
	ref: name: "web"
	description: {
		srv: server: web: port: 8080
		let isLoud = config.parameter.loud
		config: {
			parameter: {
				who:   string
				loud:  *false | bool
				kind:  *"a" | "b"
				if kind == "b" {size: *1 | int}
				names: *[] | [...string]
				extra?: string
				other?: {
					deep: *false | bool
					if deep {deeper: *1 | int}
				}
			}
			scale: hsize: *1 | uint
		}
		code: web: {
			image: tag: "ghcr.example/web:1"
			if isLoud {
				cmd: [for n in config.parameter.names if n != "x" {n}, if n2 {"y"}]
				let n2 = len(config.parameter.names) > 1
				entrypoint: [strings.Join(["a", if n2 {"//b"}], "//")]
			}
			if !isLoud if config.parameter.kind == "b" {user: {userid: 1, groupid: 1}}
			if config.parameter.extra != _|_ {
				mapping: env: EXTRA: value: config.parameter.extra
			}
			_names: #common & {name: config.parameter.who}
			if _names.long != _|_ {
				mapping: env: LONG: value: "yes"
			}
			mapping: env: [X=string]: {
				if X == "LONG" {value: string}
				...
			}
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		config: parameter: who: string
		code: web: mapping: env: SHORT: value: "\((#shared & {name: "x"}).name)"
		size: bandwidth: {size: 10, unit: "M"}
	}
}
-- deploy/deploy.cue --
package deployment

import w ".../web:component"

#Deployment: {name: "x", artifact: w.#Artifact}
`

// TestBranches compares what conditions have been with what they are.
func TestBranches(t *testing.T) {
	t.Parallel()
	files, err := txtar.FS(txtar.Parse([]byte(branchy)))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, files))
	tests := []struct {
		name string
		sets [][]string
		want string
	}{
		{"never", nil, ""},
		{"the defaults", [][]string{{"who=you"}}, `
name == "long": false
kind == "b": false
isLoud: false
!isLoud: true
config.parameter.kind == "b": false
config.parameter.extra != _|_: false
_names.long != _|_: false
X == "LONG": false
`},
		{"all of it", [][]string{
			{"who=you", "loud=true", `names=["x","y"]`, "extra=e"}, {"who=you", "kind=b"}, {"who=long", "other={deep: true}"}, {"who=you", "loud=true"},
		}, `
name == "long": false, true
kind == "b": false, true
deep: true
isLoud: false, true
n != "x": false, true
n2: false, true
n2: false, true
!isLoud: false, true
config.parameter.kind == "b": false, true
config.parameter.extra != _|_: false, true
_names.long != _|_: false, true
X == "LONG": false, true
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			program, problems := load.Load(load.Input{Dir: dir + "/web"})
			require.False(t, problems.HasErrors(), "%v", problems)
			b := check.NewBranches(spread.NewEvaluator(cuecontext.New()), program.Root)
			require.Len(t, b.All, 13)
			for _, sets := range tt.sets {
				in := compiler.Input{LoadInput: compiler.LoadInput{Dir: dir + "/deploy"}}
				for _, s := range sets {
					in.Sets = append(in.Sets, "config.parameter."+s)
				}
				r, problems := compiler.Run(context.Background(), in, compiler.SpreadStage)
				require.False(t, problems.HasErrors(), "%v", problems)
				b.See(r.Tree.Root.Config)
			}
			got := "\n"
			for _, branch := range b.All {
				is := map[[2]bool]string{{false, false}: "", {true, false}: ": true", {false, true}: ": false", {true, true}: ": false, true"}[[2]bool{branch.True, branch.False}]
				if is != "" {
					got += fmt.Sprintln(branch.Condition + is)
				}
			}
			if tt.want == "" {
				tt.want = "\n"
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestBranchesInLists leaves out conditions in lists where one can't be seen from
// beside its list, and no others.
func TestBranchesInLists(t *testing.T) {
	t.Parallel()
	files, err := txtar.FS(txtar.Parse([]byte(strings.NewReplacer(
		`cmd: [for n in config.parameter.names if n != "x" {n}, if n2 {"y"}]`,
		`cmd: X=[for n in config.parameter.names if n != "x" {n}, if len(X) > 7 {"y"}]`,
	).Replace(branchy))))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, files))
	program, problems := load.Load(load.Input{Dir: dir + "/web"})
	require.False(t, problems.HasErrors(), "%v", problems)
	b := check.NewBranches(spread.NewEvaluator(cuecontext.New()), program.Root)
	require.Len(t, b.All, 10)
	for _, branch := range b.All {
		require.NotContains(t, []string{"len(X) > 7", `n != "x"`, "n2"}, branch.Condition)
	}
}
