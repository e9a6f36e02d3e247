package spread

import (
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"github.com/stretchr/testify/require"
)

// TestPlainRole says which roles are read from the sources, and that these are the
// same when CUE has not seen those roles.
func TestPlainRole(t *testing.T) {
	const plain = "role: r: {artifact: c.#Artifact, config: parameter: x: 1}"
	tests := []struct {
		name, description string
		want              int
	}{
		{"values", plain, 1},
		{"references and texts", `role: r: {artifact: c.#Artifact, config: {parameter: {x: description.config.parameter.x, y: "\(description.config.parameter.x)!"}, scale: hsize: 2}}`, 1},
		{"in two structs", plain + ", role: s: {artifact: c.#Artifact, config: parameter: {}}", 2},
		{"one of two", plain + ", role: s: artifact: c.#Artifact", 1},
		{"given twice", plain + ", role: r: config: parameter: x: 1", 0},
		{"a field twice", "role: r: {artifact: c.#Artifact, config: parameter: {x: 1, x: 1}}", 0},
		{"an expression", "role: r: {artifact: c.#Artifact, config: parameter: x: 1 + 1}", 0},
		{"a reference to elsewhere", "role: r: {artifact: c.#Artifact, config: parameter: {x: 1, y: x}}", 0},
		{"an id of a resource", `role: r: {artifact: c.#Artifact, config: resource: x: volume: "v"}`, 0},
		{"refined", "role: r: {artifact: c.#Artifact & {ref: name: \"n\"}, config: parameter: x: 1}", 0},
		{"a pattern", plain + ", role: [string]: config: parameter: y: 1", 0},
		{"a condition", plain + ", if config.parameter.x {role: r: config: parameter: y: 1}", 0},
		{"an embedding", plain + ", #more", 0},
		{"a let", plain + ", let z = 1, size: z", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			model := &Package{Path: "kumori.systems/kumori:kumori", Name: "kumori"}
			c := &Package{Path: "c:component", Name: "component", Files: []*ast.File{parse(t, "c.cue", "package component\n#Artifact: {}")}}
			p := &Package{Path: "s:service", Name: "service", Imports: map[string]*Package{"c:component": c, "kumori.systems/kumori:kumori": model}, Files: []*ast.File{
				parse(t, "s.cue", "package service\nimport c \"c:component\"\nimport k \"kumori.systems/kumori:kumori\"\n#Artifact: k.#Service & {description: {config: parameter: x: string, "+test.description+"}}"),
			}}
			src := readLean(p, map[*Package]bool{c: true})
			if src == nil {
				require.Zero(t, test.want)
				return
			}
			require.Len(t, src.plain, test.want)
			before, err := format.Node(p.Files[0])
			require.NoError(t, err)
			src.spine.without(src.aside, src.from, func() {
				seen, err := format.Node(p.Files[0])
				require.NoError(t, err)
				require.Equal(t, len(src.aside) == 0, string(seen) == string(before))
			})
			after, err := format.Node(p.Files[0])
			require.NoError(t, err)
			require.Equal(t, string(before), string(after))
		})
	}
}
