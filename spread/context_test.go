package spread

import (
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"
)

// TestExpressions holds that what expressions leave behind is let go.
func TestExpressions(t *testing.T) {
	t.Parallel()
	e := NewEvaluator(cuecontext.New())
	e.expression(ast.NewBool(true))
	first := e.expressions
	for range expressionsPerContext - 1 {
		e.expression(ast.NewBool(true))
	}
	require.Same(t, first, e.expressions)
	e.expression(ast.NewBool(true))
	require.NotSame(t, first, e.expressions)
}
