package compiler_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/golden"
)

// TestErrors vets every case of testdata/errors and compares the exact text,
// positions and number of the problems.
func TestErrors(t *testing.T) {
	golden.Each(t, "../testdata/errors/*.txtar", func(t *testing.T, c *golden.Case) {
		oneOfFive(t)
		in := inputOf(c)
		in.Artifacts = true
		_, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
		c.Check(t, "out/errors.txt", []byte(text(problems, c.Root)))
		require.Len(t, problems, wanted(t, c), "one line for each mistake")
	})
}

// wanted is the number of mistakes in a case: one unless its head says
// otherwise.
func wanted(t *testing.T, c *golden.Case) int {
	text := c.Setting("problems")
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}
