package bundle

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/load"
)

// TestCompileAgain: the same bytes have no differences; others are told by field.
func TestCompileAgain(t *testing.T) {
	t.Parallel()
	in := compiler.Input{LoadInput: load.Input{Dir: "../../examples/hello/deploy"}, Comment: "one"}
	sol, problems := compiler.Compile(context.Background(), in)
	require.False(t, problems.HasErrors())
	data, err := Of(context.Background(), in, sol)
	require.NoError(t, err)
	again, err := CompileAgain(context.Background(), data, sol)
	require.NoError(t, err)
	require.Empty(t, again.Problems)
	require.Empty(t, again.Differences)

	other := *sol
	other.Comment, other.Digest = "two", ""
	again, err = CompileAgain(context.Background(), data, &other)
	require.NoError(t, err)
	require.Equal(t, []Difference{{[]string{"comment"}, "two", "one"}}, again.Differences)

	_, err = CompileAgain(context.Background(), data[:len(data)-1], sol)
	require.ErrorContains(t, err, "damaged")
}

// TestChangedMeanwhile: what the sources have become since is not what was compiled.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	in := compiler.Input{LoadInput: load.Input{Dir: "../../examples/hello/deploy"}}
	sol, problems := compiler.Compile(context.Background(), in)
	require.False(t, problems.HasErrors())
	inputs := *sol.Inputs
	inputs.Modules = inputs.Modules[:len(inputs.Modules)-1]
	sol.Inputs = &inputs
	_, err := Of(context.Background(), in, sol)
	require.ErrorContains(t, err, "the sources have changed since they were compiled")
}
