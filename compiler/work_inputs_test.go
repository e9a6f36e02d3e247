package compiler_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/golden"
)

// TestWorkOfForms, TestWorkOfCases and TestWorkOfGenerated compare what compiling each
// input takes with what it took when that was last looked at. A shortcut that is not
// taken any more changes no result: it is seen here.
func TestWorkOfForms(t *testing.T) { checkWork(t, "forms", inputsOfForms(t)) }

func TestWorkOfCases(t *testing.T) {
	inputs := casesIn(t, "cases")
	for name, in := range deploymentsIn(t, "../examples") {
		inputs["examples/"+name] = in
	}
	checkWork(t, "cases", inputs)
}

func TestWorkOfGenerated(t *testing.T) { checkWork(t, "generated", generated(t, 300)) }

// checkWork compares with a file in testdata/work.
func checkWork(t *testing.T, kind string, inputs map[string]switchable) {
	t.Parallel()
	if compiler.Slower > 1 {
		t.Skip("what is counted is the same without the race detector")
	}
	file := filepath.Join("../testdata/work", kind+".txt")
	known := workKnown(t, file)
	got := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		t.Run(name, func(t *testing.T) {
			if work := workOf(inputs[name]); work != "" {
				got[name] = work
			}
			if !golden.Update() {
				require.Equal(t, known[name], got[name], "look whether this should be so, then run UPDATE_GOLDEN=1 go test ./compiler -run TestWorkOf")
			}
		})
	}
	if golden.Update() {
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(got)) {
			fmt.Fprintf(&text, "%s: %s\n", name, got[name])
		}
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
		return
	}
	for name := range known {
		require.Contains(t, inputs, name)
	}
}

// workKnown is what compiling took, by the names of inputs.
func workKnown(t *testing.T, file string) map[string]string {
	text, err := os.ReadFile(file)
	require.True(t, err == nil || golden.Update(), "%v", err)
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, work, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		known[name] = work
	}
	return known
}

// workOf is what compiling an input takes: how often CUE evaluates an artifact, nodes
// that are made by partial evaluation and by the memo, and the syntax that CUE gets;
// "" for one that is refused.
func workOf(in switchable) string {
	if in.others != nil {
		in.With = compiler.NewOthers(in.others)
	}
	result, problems := compiler.Run(context.Background(), in.Input, compiler.ExtractStage)
	if problems.HasErrors() {
		return ""
	}
	w := result.Tree.Work
	return fmt.Sprintf("%d evaluated, %d instantiated, %d sliced, %d remembered, %d compiled", w.Evaluated, w.Instantiated, w.Sliced, w.Remembered, w.Compiled)
}

// inputsOfForms are the forms of [TestForms].
func inputsOfForms(t *testing.T) map[string]switchable {
	all := map[string]switchable{}
	for _, form := range forms {
		dir, in := t.TempDir(), switchable{}
		write(t, dir, formed(form.files))
		in.Dir = filepath.Join(dir, "deploy")
		all[form.name] = in
	}
	return all
}
