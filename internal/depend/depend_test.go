// Package depend keeps the project's dependencies where they are expected:
// what each package imports, and what the binary is made of.
package depend

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
)

const module = "kumiki.dev"

// goPackage is what `go list` says of a package.
type goPackage struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Module     *struct{ Path, Version string }
}

func list(t *testing.T, args ...string) []goPackage {
	t.Helper()
	readSources(t)
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Standard,Imports,Module"}, args...)...)
	cmd.Dir = "../.."
	// One platform and no network: the answer is the same wherever it is asked.
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOPROXY=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	var packages []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
}

// readSources tells go test what the answer depends on, so that it does not
// repeat an old one.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		switch base := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(base, ".") && base != "..":
			return fs.SkipDir
		case base == "go.mod" || strings.HasSuffix(base, ".go"):
			_, err := os.ReadFile(name)
			return err
		}
		return nil
	})
	require.NoError(t, err)
}

// check compares lines with a committed file, or makes the file say them.
func check(t *testing.T, file string, got string) {
	t.Helper()
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("dependencies changed; if they have to, run UPDATE_GOLDEN=1 go test ./internal/depend (-want +got):\n%s", diff)
	}
}

// TestImports compares what every package of ours imports, the standard
// library and tests aside, with imports.txt.
func TestImports(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, p := range list(t, "./...") {
		var imports []string
		for _, imported := range slices.Sorted(slices.Values(p.Imports)) {
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
				imports = append(imports, "\t"+imported+"\n")
			}
		}
		if len(imports) > 0 {
			b.WriteString(strings.TrimPrefix(p.ImportPath, module+"/") + "\n" + strings.Join(imports, ""))
		}
	}
	check(t, "imports.txt", b.String())
}

// TestBinary compares the modules that the binary is built from with
// binary.txt.
func TestBinary(t *testing.T) {
	t.Parallel()
	modules := map[string]int{}
	for _, p := range list(t, "-deps", "./cmd/kumiki") {
		if p.Module != nil && p.Module.Path != module {
			modules[p.Module.Path+" "+p.Module.Version]++
		}
	}
	var lines []string
	for m := range modules {
		lines = append(lines, m+"\n")
	}
	slices.Sort(lines)
	check(t, "binary.txt", strings.Join(lines, ""))
}

// rules say which packages may import what; patterns are those of path.Match,
// and a pattern ending in "/..." takes everything below it too.
var rules = []struct {
	imported string
	by       []string
}{
	// One place reads manifests, one loads, and one speaks to the terminal.
	{"cuelang.org/go/cue/load", []string{"load", "internal/differential/reference"}},
	{"github.com/spf13/cobra", []string{"cmd/..."}},
	{"github.com/hashicorp/go-multierror", []string{"cmd/..."}},
	{"k8s.io/...", []string{"targets/kubernetes/...", "environment", "live/kubernetes"}},
	{"github.com/fluxcd/...", []string{"live/kubernetes"}},
	{"github.com/moby/...", []string{"live/swarm"}},
	// A target knows the solution only.
	{"cuelang.org/...", []string{"cmd/...", "compiler", "assist/...", "environment", "internal/...", "late", "load", "lsp", "module/...", "policy", "report", "schema/...", "spread/..."}},
	{module + "/spread/partial", []string{"compiler"}}, // the recursion does without it
	// What tools ask about an artifact is beside the recursion, too.
	{module + "/spread/check", []string{"compiler", "module/compat", "module/moduletest", "spread/params"}},
	{module + "/spread/params", []string{"assist", "cmd/...", "compiler", "module/compat", "module/doc"}},
	{module + "/spread", []string{"cmd/...", "compiler", "assist", "environment", "internal/differential", "late", "load", "lsp", "module/...", "policy", "spread/check", "spread/params", "spread/partial"}},
	{module + "/spread/rewrite", []string{"spread"}},
	{module + "/spread/source", []string{"spread", "spread/rewrite"}}, // all others know its packages as those of a spread
	{module + "/spread/wording", []string{"policy", "spread/..."}},    // it knows no program
	{module + "/targets", []string{"cmd/...", "environment", "examples/library", "late", "live/...", "matrix", "plan", "policy", "query", "targets/..."}},
	{module + "/targets/yamlwriter", []string{"targets/..."}},
	{module + "/targets/kubernetes/...", []string{"cmd/...", "examples/library", "live/kubernetes"}},
	{module + "/targets/swarm/...", []string{"cmd/...", "live/swarm"}},
	{module + "/capacity", []string{"cmd/...", "targets/kubernetes/scheduling", "targets/swarm/scheduling"}},
	// Stages get what an environment has as values.
	{module + "/environment", []string{"cmd/...", "matrix", "policy"}},
	{module + "/policy", []string{"cmd/..."}},
	{module + "/matrix", []string{"cmd/..."}},
	// What compares and keeps solutions knows nothing of what follows from them.
	{module + "/plan", []string{"cmd/...", "examples/library", "live/application", "matrix"}},
	{module + "/history", []string{"assist/complete", "cmd/...", "internal/storebench"}},
	{module + "/late", []string{"cmd/..."}},
	// What decides knows no target, and only what carries it out talks to one.
	{module + "/engine", []string{"cmd/...", "live/..."}},
	{module + "/live/...", []string{"cmd/...", "live/..."}},
	{module + "/client", []string{"cmd/..."}},
	// No stage imports a later one.
	{module + "/load", []string{"assist/complete", "cmd/...", "compiler", "environment", "internal/cases", "internal/differential", "internal/storebench", "lsp", "matrix", "module/...", "policy"}},
	{module + "/compiler", []string{"cmd/...", "examples/library", "assist", "internal/bench", "internal/cases", "internal/differential", "internal/storebench", "lsp", "matrix", "module/..."}},
	{module + "/query", []string{"cmd/..."}},
	{module + "/graph", []string{"cmd/...", "module/doc"}},
	{module + "/graph/layered", []string{"graph"}}, // it knows nothing of solutions
	// What looks at whole modules is for people at a terminal, not for a stage.
	{module + "/internal/modsource", []string{"load", "module/..."}},
	{module + "/module/...", []string{"cmd/...", "internal/storebench", "matrix", "module/..."}},
	// What kumiki is compared with is for tests, and so are the cases.
	{module + "/internal/cases", nil},
	{module + "/internal/differential/...", []string{"internal/differential/..."}},
	{module + "/cmd/...", nil},
}

// TestRules holds for every package, new ones too: unlike imports.txt, it is
// not brought up to date by a flag.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		for _, imported := range p.Imports {
			for _, r := range rules {
				if matches(r.imported, imported) && !slices.ContainsFunc(r.by, func(by string) bool { return matches(by, name) }) {
					t.Errorf("%s imports %s, which only %s may", name, imported, strings.Join(r.by, ", "))
				}
			}
		}
	}
}

// TestClient: who talks to a manager needs nothing but the standard library.
func TestClient(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "-deps", "./client") {
		if !p.Standard && p.ImportPath != module+"/client" && p.ImportPath != module+"/diag" {
			t.Errorf("%s is among the dependencies", p.ImportPath)
		}
	}
}

// TestWithoutCUE: what comes after the spread is plain Go, however far one looks.
func TestWithoutCUE(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "-deps", "./diag", "./value", "./solution", "./plan", "./targets/...", "./engine", "./live/...") {
		if strings.HasPrefix(p.ImportPath, "cuelang.org/go/") {
			t.Errorf("%s is among the dependencies", p.ImportPath)
		}
	}
}

func matches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == prefix || strings.HasPrefix(name, prefix+"/")
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}
