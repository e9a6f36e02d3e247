package graph_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/graph"
	"kumiki.dev/internal/cases"
	"kumiki.dev/internal/golden"
)

// TestCases compares the graphs of every case's solution with the case.
func TestCases(t *testing.T) {
	golden.Each(t, "../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		s := cases.Solution(t, c)
		g := graph.Of(s)
		c.Check(t, "out/graph.mmd", g.Mermaid())
		c.Check(t, "out/graph.dot", g.Dot())
		picture, err := g.SVG()
		require.NoError(t, err)
		wellFormed(t, picture)
		again, err := graph.Of(s).SVG()
		require.NoError(t, err)
		require.Equal(t, string(picture), string(again), "the same solution gives two pictures")
	})
}

func wellFormed(t *testing.T, picture []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

// TestCompareWithItself: where nothing has changed, nothing is marked.
func TestCompareWithItself(t *testing.T) {
	golden.Each(t, "../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		s := cases.Solution(t, c)
		require.Equal(t, string(graph.Of(s).Mermaid()), string(graph.Compare(s, s).Mermaid()))
	})
}
