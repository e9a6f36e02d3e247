package graph

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
)

// statement is a line of a Mermaid flowchart as it is written here: texts are in
// quotes, and nothing that they hold ends them.
var statement = regexp.MustCompile(`^(flowchart LR|  +(subgraph \w+ \["[^"]*"\]|end|\w+(\(\["[^"]*"\]\)|\[?\["?[^"]*"?\]|\{\{"[^"]*"\}\}|\(\("[^"]*"\)\))|\w+ -(\.-|-)>\|"[^"]*"\| \w+))$`)

// TestNames: whatever the names in a solution file are, every form is what it
// claims to be.
func TestNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		g := &Graph{Name: name, Edges: []Edge{{Kind: "client", From: "x/role/" + name, To: "x/connect/" + name, Label: name}}}
		g.Boxes = []*Box{{ID: "x" + name, Kind: "service", Artifact: name, Nodes: []*Node{
			{ID: "x/role/" + name, Kind: "role", Name: name, Detail: name},
			{ID: "x/connect/" + name, Kind: "connector", Name: name, Detail: name},
			{ID: "x/in/" + name, Kind: "channel", Name: name, Inward: true},
		}}}
		picture, err := g.SVG()
		require.NoError(t, err)
		for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
		for line := range strings.Lines(string(g.Mermaid())) {
			require.Regexp(t, statement, strings.TrimSuffix(line, "\n"))
		}
		for line := range strings.Lines(string(g.Dot())) {
			texts := strings.Count(line, `"`) - strings.Count(strings.ReplaceAll(line, `\\`, ""), `\"`)
			require.Zero(t, texts%2, "%q", line)
		}
		data, err := g.JSON()
		require.NoError(t, err)
		require.True(t, json.Valid(data))
	})
}
