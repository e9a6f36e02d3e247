package policy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
	"kumiki.dev/policy"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
	"kumiki.dev/targets/swarm"
)

// TestCases compiles the deployments of the modules in testdata/policies, and shows which
// of the module's policies they break in an environment, and their objects on both targets.
func TestCases(t *testing.T) {
	golden.Each(t, "testdata/policies/*.txtar", func(t *testing.T, c *golden.Case) {
		all, problems := policy.Load(load.Input{Dir: policy.In(c.Dir())})
		var out strings.Builder
		show := func(of string, problems diag.List) {
			for _, d := range problems {
				fmt.Fprintf(&out, "%s: %s: %s: %s [%s]\n", of, d.Pos, d.Severity, d.Message, d.Code)
				for _, r := range d.Related {
					fmt.Fprintf(&out, "    %s: %s\n", r.Pos, r.Message)
				}
			}
		}
		show("policies", problems)
		set := all.For(place(c))
		sol, problems := compiler.Compile(t.Context(), compiler.Input{LoadInput: load.Input{Dir: c.Dir()}})
		require.False(t, problems.HasErrors(), "%v", problems)
		show("solution", set.Solution(sol))
		for _, target := range []struct {
			name  string
			lower targets.Target
		}{{"kubernetes", kubernetes.Lower}, {"swarm", swarm.Lower}} {
			objects, _ := target.lower(sol, targets.Options{})
			show(target.name, set.Objects(sol, objects))
		}
		c.Check(t, "out/broken.txt", []byte(strings.ReplaceAll(out.String(), c.Root+string(filepath.Separator), "")))
	})
}

// place is the environment of a case, nil for none.
func place(c *golden.Case) *environment.Environment {
	if c.Setting("environment") == "" {
		return nil
	}
	return &environment.Environment{Name: c.Setting("environment"), Labels: labels(c.Setting("labels"))}
}

// labels reads KEY=VALUE,….
func labels(text string) map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			out[key] = value
		}
	}
	return out
}

// TestDigest changes what a policy imports, which changes the rules, and a file beside it.
func TestDigest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	digest := func() string {
		all, problems := policy.Load(load.Input{Dir: filepath.Join(dir, policy.Directory)})
		require.Empty(t, problems)
		return all.Digest
	}
	write("cue.mod/module.cue", "module: \"a.b/c@v0\"\nlanguage: version: \"v0.12.0\"\n")
	write("hubs/hubs.cue", "package hubs\n\nlist: [\"ghcr.io\"]\n")
	write("policies/hubs.cue", "package policy\n\nimport (\n\t\"kumiki.dev/policy\"\n\t\"a.b/c/hubs\"\n)\n\n#Policy: policy.#Hubs & {with: \"hubs\": hubs.list}\n")
	before := digest()
	write("other/other.cue", "package other\n")
	require.Equal(t, before, digest())
	write("hubs/hubs.cue", "package hubs\n\nlist: [\"quay.io\"]\n")
	require.NotEqual(t, before, digest())
}
