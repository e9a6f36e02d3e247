package differential

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/internal/differential/reference"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
	"kumiki.dev/spread"
	"kumiki.dev/spread/check"
)

// checked is how many applications are made up whose artifacts are checked.
func checked() uint64 {
	if golden.Update() || Fewer > 1 {
		return 8
	}
	return 60
}

// TestCheck finds nothing wrong with the artifacts of applications that were made
// up without a mistake, and deploy.
func TestCheck(t *testing.T) {
	t.Parallel()
	model := reference.NewModel()
	artifacts := 0
	for seed := range checked() {
		c, app := Made(seed)
		if app.Mistake != "" || app.Holes {
			continue
		}
		dir := t.TempDir()
		out, err := Run(model, c, dir, Settings()[:1])
		require.NoError(t, err)
		if !out.Deployed {
			continue
		}
		for _, p := range artifactsOf(t, dir) {
			artifacts++
			_, problems := check.Artifact(spread.NewEvaluator(cuecontext.New()), p, spread.Options{})
			for _, d := range problems {
				if d.Severity == diag.Error {
					t.Errorf("seed %d: %s: %s\n%s", seed, p.Path, told(diag.List{d}), sourceOf(p))
				}
			}
		}
	}
	require.Greater(t, artifacts, int(checked()/4))
}

// artifactsOf are those that the deployment in a directory is made of.
func artifactsOf(t *testing.T, dir string) (out []*spread.Package) {
	t.Helper()
	program, _ := load.Load(load.Input{Dir: filepath.Join(dir, deploy)})
	require.NotNil(t, program)
	for _, p := range program.Packages {
		if p.IsArtifact() && strings.HasPrefix(p.Files[0].Filename, dir) {
			out = append(out, p)
		}
	}
	return out
}

func sourceOf(p *spread.Package) string {
	var b strings.Builder
	for _, f := range p.Files {
		text, _ := os.ReadFile(f.Filename)
		b.Write(text)
	}
	return b.String()
}

// TestCheckHoles finds a hole that is made in a plain component, under a condition
// that one of its parameters has to meet.
func TestCheckHoles(t *testing.T) {
	t.Parallel()
	holes := []string{`code: main: cmd: [string]`, `code: main: mapping: env: HOLE: value: string`, `code: main: entrypoint: ["a", string]`, `code: side: {image: tag: string, size: {cpu: size: 1, memory: {size: 1, unit: "M"}}}`}
	conditions := map[string]string{
		"string": `== "only-this"`, `*"info" | "debug" | "warn"`: `!= "info"`, "int": "> 41", "uint": "== 17", "bool": "== true",
		"*8080 | uint16": ">= 9000", "*false | bool": "== true", `*"info" | string`: `=~ "^a+b$"`,
	}
	found := 0
	for seed := range 4 * checked() {
		c, _ := Made(seed)
		for name, text := range c.Files {
			param := plainParam.FindStringSubmatch(text)
			if !strings.HasPrefix(name, "w") || param == nil || conditions[param[2]] == "" || c.Kam {
				continue
			}
			hole := holes[found%len(holes)]
			c.Files[name] = strings.Replace(text, "description: {\n", fmt.Sprintf("description: {\nif config.parameter.%s %s {%s}\n", param[1], conditions[param[2]], hole), 1)
			dir := t.TempDir()
			require.NoError(t, c.Write(dir))
			for _, p := range artifactsOf(t, dir) {
				if !strings.HasSuffix(p.Files[0].Filename, filepath.FromSlash(name)) {
					continue
				}
				found++
				_, problems := check.Artifact(spread.NewEvaluator(cuecontext.New()), p, spread.Options{})
				require.True(t, problems.HasErrors(), "seed %d: nothing is found in\n%s", seed, c.Files[name])
			}
		}
	}
	require.Greater(t, found, int(checked()/4))
}

// plainParam is the declaration of a parameter of a plain component.
var plainParam = regexp.MustCompile(`(?m)^\t+(p\d+): (.+)$`)
