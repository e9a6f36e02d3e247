package spread

import (
	"io/fs"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"

	model "kumiki.dev/schema"
	"kumiki.dev/spread/syntax"
)

// TestDeploymentFields holds the fields of a deployment to the model.
func TestDeploymentFields(t *testing.T) {
	text, err := fs.ReadFile(model.Files(), "kumori.systems/kumori/deployment.cue")
	require.NoError(t, err)
	f, err := parser.ParseFile("deployment.cue", text)
	require.NoError(t, err)
	deployment := (&Package{Files: []*ast.File{f}}).Definitions("#Deployment")
	require.Len(t, deployment, 1)
	var names []string
	for _, d := range deployment[0].Value.(*ast.StructLit).Elts {
		names = append(names, syntax.LabelName(d.(*ast.Field).Label))
	}
	require.ElementsMatch(t, names, deploymentFields)
}
