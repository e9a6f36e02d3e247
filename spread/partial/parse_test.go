package partial

import (
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, name, src string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(name, src, parser.ParseComments)
	require.NoError(t, err)
	return f
}
