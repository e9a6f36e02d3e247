package spread

import (
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/value"
)

// TestLetGo says when a unit keeps what CUE made of its artifact: only where CUE is
// asked again. Whatever it keeps, CUE's context stays in memory.
func TestLetGo(t *testing.T) {
	artifact := cuecontext.New().CompileString("#Artifact: description: config: parameter: {n: int, m: int}")
	known := func(*value.Data) bool { return true }
	part := func(check func(*value.Data) bool) *schema { return &schema{value: artifact, check: check} }
	struc := func(fields ...schemaField) *schema { return &schema{value: artifact, fields: fields} }
	for name, test := range map[string]struct {
		residual *residual
		keeps    bool
	}{
		"nothing is known":     {nil, true},
		"all is known":         {&residual{schema: map[string]*schema{"parameter": struc(schemaField{schema: part(known)}, schemaField{})}}, false},
		"a type is for CUE":    {&residual{schema: map[string]*schema{"parameter": struc(schemaField{schema: part(known)}, schemaField{schema: part(nil)})}}, true},
		"a section is for CUE": {&residual{schema: map[string]*schema{"parameter": part(nil)}}, true},
		"what is shown is":     {&residual{described: []describedAt{{}, {asks: true}}}, true},
		"what is shown is not": {&residual{described: []describedAt{{}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUnit(&Package{}, artifact.LookupPath(artifactPath))
			u.residual, u.bare = test.residual, map[string]bool{"scale": true}
			u.letGo()
			require.Equal(t, test.keeps, u.artifact.Exists())
			require.Equal(t, test.keeps, u.config.Exists())
			require.Equal(t, !test.keeps, u.partial)
			require.Equal(t, !test.keeps, u.learnt)
			require.True(t, u.bare["scale"])
			require.Equal(t, test.residual, u.residual)
			if test.residual == nil {
				return
			}
			for _, s := range test.residual.schema {
				require.Equal(t, test.keeps, s.value.Exists())
				for _, f := range s.fields {
					require.True(t, f.schema == nil || f.schema.value.Exists() == test.keeps)
				}
			}
		})
	}
}

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
