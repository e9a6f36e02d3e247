package compiler_test

import (
	"context"
	"testing"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/golden"
)

// TestErrors vets every case of testdata/errors and compares the exact text,
// positions and number of the problems.
func TestErrors(t *testing.T) {
	golden.Each(t, "../testdata/errors/*.txtar", func(t *testing.T, c *golden.Case) {
		in := inputOf(c)
		in.Artifacts = true
		_, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
		c.Check(t, "out/errors.txt", []byte(text(problems, c.Root)))
	})
}
