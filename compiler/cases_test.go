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
	"kumiki.dev/internal/cases"
	"kumiki.dev/internal/golden"
	"kumiki.dev/solution"
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
		require.Empty(t, solution.Verify(result.Solution))
	})
}

func inputOf(c *golden.Case) compiler.Input { return cases.Input(c) }

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
		oracle := c.Section("out/oracle.json")
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

// TestStyles compiles the shop in both styles of modules: the trees and the solutions are
// the same but for what they were compiled from.
func TestStyles(t *testing.T) {
	t.Parallel()
	native, kam := compiler.Input{}, compiler.Input{}
	native.Dir, kam.Dir = "../examples/shop/deploy", "../examples/shop-kam/deploy"
	want, problems := compiler.Run(context.Background(), native, compiler.EncodeStage)
	require.Empty(t, problems)
	got, problems := compiler.Run(context.Background(), kam, compiler.EncodeStage)
	require.Empty(t, problems)
	for _, pair := range [][2]any{
		{want.Tree, got.Tree},
		{lacking(t, want.Encoded.Bytes(), "inputs", "digest"), lacking(t, got.Encoded.Bytes(), "inputs", "digest")},
	} {
		a, err := json.MarshalIndent(pair[0], "", "  ")
		require.NoError(t, err)
		b, err := json.MarshalIndent(pair[1], "", "  ")
		require.NoError(t, err)
		if diff := cmp.Diff(string(a), string(b)); diff != "" {
			t.Errorf("(-native +kam):\n%s", diff)
		}
	}
}

// lacking is a solution without some keys.
func lacking(t *testing.T, text []byte, keys ...string) map[string]any {
	t.Helper()
	var s map[string]any
	require.NoError(t, json.Unmarshal(text, &s))
	for _, key := range keys {
		delete(s, key)
	}
	return s
}

func comparable(t *testing.T, solution []byte) map[string]any {
	t.Helper()
	s := lacking(t, solution, "layout", "inputs", "digest")
	for _, d := range s["deployments"].(map[string]any) {
		connectors, _ := d.(map[string]any)["artifact"].(map[string]any)["description"].(map[string]any)["connector"].(map[string]any)
		for _, c := range connectors {
			clients := c.(map[string]any)["clients"].([]any)
			slices.SortFunc(clients, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return s
}
