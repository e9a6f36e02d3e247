package spread

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

// TestStubbable says when a stub may stand for an artifact: only if the
// package does nothing with it but fill a role.
func TestStubbable(t *testing.T) {
	component := &Package{Path: "x/c:component", Name: "component", Files: []*ast.File{parse(t, "c.cue", "package component\n#Artifact: ref: name: \"c\"\n#Port: 80\n")}}
	named := component.With([]*ast.File{parse(t, "c.cue", "package component\n#Artifact: ref: name: \"c\"\n#Port: 80\n#Name: #Artifact.ref.name\n")})
	tests := []struct {
		name, src string
		want      Stub
	}{
		{"a role's artifact", "#Artifact: description: role: r: artifact: c.#Artifact", StubOfArtifact},
		{"in a condition", "#Artifact: description: {if config.x {role: r: artifact: c.#Artifact}}", StubOfArtifact},
		{"in a comprehension", "#Artifact: description: role: {for n in [\"a\"] {(n): artifact: c.#Artifact}}", StubOfArtifact},
		{"another definition is read", "#Artifact: description: {role: r: artifact: c.#Artifact, p: c.#Port}", StubBeside},
		{"refined where it is used", "#Artifact: description: role: r: artifact: c.#Artifact & {ref: name: \"d\"}", NoStub},
		{"refined elsewhere", "#Artifact: description: role: r: artifact: c.#Artifact\n#Artifact: description: role: r: artifact: {ref: name: \"d\"}", NoStub},
		{"read through the role", "#Artifact: description: {role: r: artifact: c.#Artifact, n: role.r.artifact.ref.name}", NoStub},
		{"read by index", "#Artifact: description: {role: r: artifact: c.#Artifact, n: role.r[\"artifact\"]}", NoStub},
		{"under another name", "#Art: c.#Artifact\n#Artifact: description: role: r: artifact: #Art", NoStub},
		{"a choice", "#Artifact: description: role: r: artifact: *c.#Artifact | {}", NoStub},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &Package{
				Path: "x/s:service", Name: "service",
				Files:   []*ast.File{parse(t, "s.cue", "package service\nimport c \"x/c:component\"\n"+tt.src)},
				Imports: map[string]*Package{"x/c:component": component},
			}
			require.Equal(t, tt.want, stubbable(p)[component])
			if tt.want == StubBeside {
				p.Imports["x/c:component"] = named
				require.Equal(t, NoStub, stubbable(p)[named], "something else in the package refers to the artifact")
			}
		})
	}
}

// TestMeets says which paths may be the same; "" is a label that nobody knows.
func TestMeets(t *testing.T) {
	for _, test := range []struct {
		a, b []string
		want bool
	}{
		{nil, nil, true},
		{[]string{"role"}, nil, true},
		{[]string{"role", "a", "artifact"}, []string{"role", "a"}, true},
		{[]string{"role", "a"}, []string{"role", "b"}, false},
		{[]string{"role", "a"}, []string{"rule", "a"}, false},
		{[]string{"role", ""}, []string{"role", "b"}, true},
		{[]string{"role", "a"}, []string{"role", "", "artifact"}, true},
		{[]string{"", "a"}, []string{"role", "b"}, false},
		{[]string{"", ""}, []string{"role", "b"}, true},
	} {
		require.Equal(t, test.want, meets(test.a, test.b), "%q and %q", test.a, test.b)
		require.Equal(t, test.want, meets(test.b, test.a), "%q and %q", test.b, test.a)
	}
}
