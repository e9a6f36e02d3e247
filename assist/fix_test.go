package assist_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/assist"
	"kumiki.dev/compiler"
	"kumiki.dev/internal/golden"
)

// mended are the cases whose mistakes of form a fix mends.
var mended = []string{
	"class-section-component", "class-section-service", "class-section-role", "class-section-deployment",
	"class-role-is-artifact", "class-role-is-artifact-config", "class-import-role", "class-import-role-short",
	"class-import-field", "class-import-deployment", "class-artifact-import", "class-artifact-field",
	"class-artifact-text", "class-artifact-text-deployment", "class-syntax-hash", "class-syntax-hash-end",
	"class-syntax-equals-nested", "class-syntax-equals-known", "class-module-key", "class-import-near",
}

// TestFixesMend applies the fixes of mistakes of form, and finds nothing wrong
// any more.
func TestFixesMend(t *testing.T) {
	for _, name := range mended {
		golden.Each(t, "../testdata/errors/"+name+".txtar", func(t *testing.T, c *golden.Case) {
			in := compiler.Input{LoadInput: compiler.LoadInput{Dir: c.Dir()}}
			_, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
			require.NotEmpty(t, problems)
			changes, err := assist.Fixes(problems, c.Root)
			require.NoError(t, err)
			require.NotEmpty(t, changes)
			for _, change := range changes {
				require.NoError(t, os.WriteFile(change.File, change.New, 0o644))
			}
			_, problems = compiler.Run(context.Background(), in, compiler.ExtractStage)
			require.Empty(t, problems)
		})
	}
}
