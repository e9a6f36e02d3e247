package compiler_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/benchapp"
)

// TestExtremes gives the compiler what is unusual and allowed: it comes out
// as it went in.
func TestExtremes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10<<20)
	tests := []struct {
		name, parameters, want string
	}{
		{"nothing", "", `{}`},
		{"an empty struct and list", "a: {}, b: []", `{"a":{},"b":[]}`},
		{"a large integer", "x: 1" + strings.Repeat("0", 100) + "1", `{"x":1` + strings.Repeat("0", 100) + `1}`},
		{"a power", "x: 1e400", `{"x":1E+400}`},
		{"a small power", "x: 1e-400", `{"x":1E-400}`},
		{"many digits", "x: 0.1234567890123456789012345678901", `{"x":0.1234567890123456789012345678901}`},
		{"trailing zero", "x: 1.0", `{"x":1.0}`},
		{"hexadecimal and multiples", "x: 0xff, y: 4Ki", `{"x":255,"y":4096}`},
		{"null", "x: null", `{"x":null}`},
		{"ten megabytes", `x: "` + long + `"`, `{"x":"` + long + `"}`},
		{"unicode names", `"組木": "木", "\u0001": "\n", "": 1, "é": 2`, "{\"\":1,\"\\u0001\":\"\\n\",\"é\":2,\"組木\":\"木\"}"},
		{"dots, dashes and digits in names", `"a.b-c": "0d": 1`, `{"a.b-c":{"0d":1}}`},
		{"markup", `x: "<&>\u2028"`, `{"x":"\u003c\u0026\u003e\u2028"}`},
		{"names of CUE's", `"#D": 1, "_h": 2, "import": 3, "a?": 4`, `{"#D":1,"_h":2,"a?":4,"import":3}`},
		{"multiple lines", "x: \"\"\"\n\ta\n\tb\n\t\"\"\"", `{"x":"a\nb"}`},
		{"a comprehension", "x: [for i in [1, 2] {i * 2}]", `{"x":[2,4]}`},
		{"three hundred levels", strings.Repeat("x: ", 300) + "1", strings.Repeat(`{"x":`, 300) + "1" + strings.Repeat("}", 300)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			data, problems := compile(t, module(manifest(tt.parameters)), nil)
			require.Empty(t, cut(problems))
			require.Less(t, time.Since(start), compiler.Slower*time.Minute)
			got := compact(t, parameters(t, data))
			if got != tt.want {
				t.Errorf("(-want +got):\n%s", cmp.Diff(cut(tt.want), cut(got)))
			}
		})
	}
}

// cut keeps messages about large values readable.
func cut(s string) string { return s[:min(len(s), 2000)] }

// parameters returns those of the only role of a solution, digit for digit.
func parameters(t *testing.T, data []byte) json.RawMessage {
	t.Helper()
	var s struct {
		Deployments map[string]struct {
			Config struct {
				Parameter json.RawMessage
			}
		}
	}
	require.NoError(t, json.Unmarshal(data, &s))
	return s.Deployments["bad"].Config.Parameter
}

func compact(t *testing.T, data json.RawMessage) string {
	t.Helper()
	var b strings.Builder
	for _, line := range strings.Split(string(data), "\n") {
		b.WriteString(strings.TrimLeft(line, " "))
	}
	return strings.ReplaceAll(b.String(), `": `, `":`)
}

// TestManyRoles compiles five thousand of them.
func TestManyRoles(t *testing.T) {
	t.Parallel()
	start := time.Now()
	data, problems := compile(t, benchapp.Flat(5000, 10).Kumiki(), nil)
	require.Empty(t, cut(problems))
	require.Less(t, time.Since(start), 2*compiler.Slower*time.Minute)
	require.Contains(t, string(data), `"r4999"`)
}

// TestCancelled gives up before the next stage.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	root := t.TempDir()
	require.NoError(t, module(manifest("")).Write(root))
	var in compiler.Input
	in.Dir = filepath.Join(root, "deploy")
	s, problems := compiler.Compile(ctx, in)
	require.Nil(t, s)
	require.Len(t, problems, 1)
	require.Equal(t, diag.Cancelled, problems[0].Code)
	require.Equal(t, "cancelled: context canceled", problems[0].Message)
}

// FuzzCompile compiles any text as the manifest of a fixed module: nothing
// makes the compiler panic or hang.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		manifest(""), manifest("x: 1e400, y: {z: [1, null, true]}"), manifest("x: 'raw', y: int, z: _|_"),
		manifest("x: y, y: x"), manifest("x: y: x"), manifest("x?: 1, y!: 2, #D: 3, _h: 4"),
		manifest("for i in [1] {\"x\\(i)\": i}"), manifest("let x = 1, y: x"), manifest("[string]: int, x: 1"),
		imports + "#Deployment: k.#Deployment & {name: 1, artifact: 2, config: 3}\n",
		imports + "#Deployment: {artifact: c.#Artifact, config: {scale: hsize: -1, resilience: \"x\", resource: v: volume: {}}}\n",
		imports + "#Deployment: k.#Deployment & {name: \"x\", artifact: c.#Artifact & {description: code: any: image: tag: \"y\"}, up: \"z\", meta: a: 1}\n",
		"package deployment\n#Deployment: _\n", "package deployment\n#Deployment: #Deployment\n", "#Deployment: 1", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		root := t.TempDir()
		require.NoError(t, module(text).Write(root))
		var in compiler.Input
		in.Dir = filepath.Join(root, "deploy")
		s, problems := compiler.Compile(context.Background(), in)
		require.Equal(t, s == nil, problems.HasErrors())
		for _, d := range problems {
			require.NotEqual(t, diag.Internal, d.Code, "%s\n%v", d.Message, d.Cause)
		}
		if s != nil {
			data, err := s.Bytes()
			require.NoError(t, err)
			require.True(t, json.Valid(data))
		}
		require.Less(t, time.Since(start), 5*compiler.Slower*time.Second)
	})
}
