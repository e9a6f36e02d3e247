package partial

import (
	"testing"

	"kumiki.dev/spread"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"github.com/stretchr/testify/require"
)

// TestWithout: the trees lack what is gone while something is built of them, and
// have it again afterwards, also where CUE panics.
func TestWithout(t *testing.T) {
	t.Parallel()
	component := &spread.Package{Path: "x/c:component", Name: "component", Files: []*ast.File{parse(t, "c.cue", "package component\n#Artifact: ref: name: \"c\"\n")}}
	file := parse(t, "s.cue", `package service

import c "x/c:component"

#Artifact: description: {
	srv: server: entry: port: 80
	role: {
		a: artifact: c.#Artifact
		b: artifact: c.#Artifact
	}
}
`)
	p := &spread.Package{Path: "x/s:service", Name: "service", Files: []*ast.File{file}, Imports: map[string]*spread.Package{"x/c:component": component}}
	text := func() string {
		b, err := format.Node(file)
		require.NoError(t, err)
		return string(b)
	}
	whole := text()
	s := readSpine(p)
	require.NotNil(t, s)
	roles, ok := s.at("role")
	require.True(t, ok)
	gone := map[*ast.Field]bool{}
	for _, f := range once(roles) {
		gone[f] = true
	}
	require.Len(t, gone, 2)

	s.without(gone, roles, func() {
		require.Equal(t, "package service\n\nimport ()\n\n#Artifact: description: {\n\tsrv: server: entry: port: 80\n}\n", text())
	})
	require.Equal(t, whole, text())
	require.Panics(t, func() { s.without(gone, roles, func() { panic("CUE's") }) })
	require.Equal(t, whole, text())
}
