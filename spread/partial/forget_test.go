package partial

import (
	"testing"

	"kumiki.dev/spread"

	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/value"
)

// TestForget says when a unit keeps what CUE made of its artifact: only where CUE is
// asked again. Whatever it keeps, CUE's context stays in memory.
func TestForget(t *testing.T) {
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
			u := knownOf(spread.NewUnit(&spread.Package{}, artifact.LookupPath(spread.ArtifactPath)))
			u.learnt, u.residual, u.Bare = true, test.residual, map[string]bool{"scale": true}
			u.forget()
			require.Equal(t, test.keeps, u.Artifact.Exists())
			require.Equal(t, test.keeps, u.Config.Exists())
			require.Equal(t, !test.keeps, u.Partial)
			require.Same(t, u, knownOf(u.Unit))
			require.True(t, u.Bare["scale"])
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
