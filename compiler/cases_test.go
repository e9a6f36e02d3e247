package compiler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
)

// TestCases compiles every case and compares what each stage makes of it.
func TestCases(t *testing.T) {
	golden.Each(t, "../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		result, problems := compiler.Run(context.Background(), inputOf(c), compiler.EncodeStage)
		c.Check(t, "out/errors.txt", []byte(text(problems, c.Root)))
		if problems.HasErrors() {
			c.Check(t, "out/spread.json", nil)
			c.Check(t, "out/solution.json", nil)
			return
		}
		tree, err := json.MarshalIndent(result.Tree, "", "  ")
		require.NoError(t, err)
		c.Check(t, "out/spread.json", tree)
		c.Check(t, "out/solution.json", result.Encoded.Bytes())
	})
}

func inputOf(c *golden.Case) compiler.Input {
	in := compiler.Input{Name: c.Setting("name"), Sets: c.Settings["set"], Strict: c.Setting("strict") != ""}
	in.Owner, in.Comment = c.Setting("owner"), c.Setting("comment")
	in.Dir, in.Package = c.Dir(), c.Setting("package")
	for _, m := range c.Settings["modules"] {
		in.Modules = append(in.Modules, filepath.Join(c.Root, m))
	}
	for _, name := range c.Settings["values"] {
		in.Values = append(in.Values, load.ValuesFile{Name: filepath.Join(c.Root, name), Data: c.Section(name)})
	}
	return in
}

// text writes problems as the command line does, with names relative to root.
func text(problems diag.List, root string) string {
	var b strings.Builder
	for _, d := range problems {
		severity := ""
		if d.Severity == diag.Warning {
			severity = "warning: "
		}
		fmt.Fprintf(&b, "%s: %s%s [%s]\n", d.Pos.Position(), severity, d.Message, d.Code)
		for _, r := range d.Related {
			fmt.Fprintf(&b, "    %s: %s\n", r.Pos.Position(), r.Message)
		}
	}
	return strings.ReplaceAll(b.String(), root+string(filepath.Separator), "")
}

// TestOracle compares our solutions with those that the vendor's own tool has
// written for the same manifests: equal value for value, save the order of a
// connector's clients, which theirs does not define, and our own keys.
func TestOracle(t *testing.T) {
	golden.Each(t, "../testdata/cases/kam-kafka.txtar", func(t *testing.T, c *golden.Case) {
		oracle := c.Section("oracle/solution.json")
		require.NotEmpty(t, oracle)
		s, problems := compiler.Compile(context.Background(), inputOf(c))
		require.Empty(t, problems)
		data, err := s.Bytes()
		require.NoError(t, err)
		if diff := cmp.Diff(comparable(t, oracle), comparable(t, data)); diff != "" {
			t.Errorf("(-vendor's +ours):\n%s", diff)
		}
	})
}

func comparable(t *testing.T, solution []byte) map[string]any {
	t.Helper()
	var s map[string]any
	require.NoError(t, json.Unmarshal(solution, &s))
	for _, key := range []string{"layout", "inputs", "digest"} {
		delete(s, key)
	}
	for _, d := range s["deployments"].(map[string]any) {
		connectors, _ := d.(map[string]any)["artifact"].(map[string]any)["description"].(map[string]any)["connector"].(map[string]any)
		for _, c := range connectors {
			clients := c.(map[string]any)["clients"].([]any)
			slices.SortFunc(clients, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return s
}
