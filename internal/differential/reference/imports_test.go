package reference

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIndependent sees to it that the reference shares nothing with what it
// judges but the schema.
func TestIndependent(t *testing.T) {
	for _, name := range sources(t) {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			require.True(t, !strings.HasPrefix(path, "kumiki.dev/") || path == "kumiki.dev/schema", "%s imports %s", name, path)
		}
	}
}
