package swarm_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/internal/cases"
	"kumiki.dev/internal/golden"
	"kumiki.dev/targets"
	"kumiki.dev/targets/swarm"
)

// TestCases compares the stack of every case's solution, and what is lost on
// the way to it, with the case.
func TestCases(t *testing.T) {
	golden.Each(t, "../../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		objects, losses := swarm.Lower(cases.Solution(t, c), targets.Options{})
		out := encode(t, objects)
		if losses.HasErrors() {
			out = nil
		}
		c.Check(t, "out/swarm.yaml", out)
		c.Check(t, "out/swarm.losses.txt", lines(losses))
	})
}

func lines(problems diag.List) []byte {
	var b bytes.Buffer
	for _, d := range problems.Sorted() {
		fmt.Fprintf(&b, "%s %s [%s]\n", d.Severity, d.Message, d.Code)
	}
	return b.Bytes()
}

func encode(t require.TestingT, objects []targets.Object) []byte {
	var b bytes.Buffer
	require.NoError(t, swarm.Encode(&b, objects))
	return b.Bytes()
}
