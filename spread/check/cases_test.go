package check_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
	"kumiki.dev/spread"
	"kumiki.dev/spread/check"
	"kumiki.dev/value"
)

// wrongToo are cases of which only mistakes of the deployment are reported, and
// whose artifacts have some as well.
var wrongToo = map[string]string{
	"multi-references": "a name in the deployment that nothing has keeps it from being spread",
}

// TestCheckCases says nothing of the artifacts of any case and example where
// nothing is wrong, or only the deployment is.
func TestCheckCases(t *testing.T) {
	t.Parallel()
	var known sync.Map
	t.Cleanup(func() {
		n := 0
		known.Range(func(any, any) bool { n++; return true })
		require.Greater(t, n, 50, "artifacts are checked")
	})
	for _, pattern := range []string{"cases", "compared", "errors"} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			golden.Each(t, "../../testdata/"+pattern+"/*.txtar", func(t *testing.T, c *golden.Case) {
				_, isWrong := wrongToo[filepath.Base(t.Name())]
				if !isWrong && onlyDeploymentWrong(c) {
					checkArtifacts(t, c, &known)
				}
			})
		})
	}
}

// onlyDeploymentWrong reports whether all errors of a case are in the directory of
// its deployment.
func onlyDeploymentWrong(c *golden.Case) bool {
	if pattern := c.Setting("mistakes"); pattern != "" && pattern != "0" {
		return false // in testdata/compared, where they are is not written down
	}
	for line := range strings.Lines(string(c.Section("out/errors.txt"))) {
		isPlace := !strings.HasPrefix(line, " ") && !strings.Contains(line, ": warning: ")
		if isPlace && !strings.HasPrefix(line, c.Setting("dir")+"/") {
			return false
		}
	}
	return true
}

// checkArtifacts finds no error in any artifact of a deployment. Those that are
// known are left out: many cases have the same.
func checkArtifacts(t *testing.T, c *golden.Case, known *sync.Map) {
	t.Helper()
	in := load.Input{Dir: c.Dir(), Package: c.Setting("package")}
	for _, m := range c.Settings["modules"] {
		in.Modules = append(in.Modules, filepath.Join(c.Root, m))
	}
	program, _ := load.Load(in)
	if program == nil || !program.Deployment {
		return
	}
	for _, p := range program.Packages {
		if !p.IsArtifact() || p.Missing || p.Broken || p.Name == "kumori" || value.IsModel(fromcue.Pos(p.Files[0])) {
			continue
		}
		if _, again := known.LoadOrStore(digests(p), true); again {
			continue
		}
		_, problems := check.Artifact(spread.NewEvaluator(cuecontext.New()), p, spread.Options{})
		require.False(t, problems.HasErrors(), "%s: %s", p.Path, show(problems))
	}
}

// digests stands for all sources of a package and of what it imports.
func digests(p *spread.Package) string {
	out := p.Path + " " + p.Digest
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		if imp := p.Imports[path]; imp != nil {
			out += " " + digests(imp)
		}
	}
	return out
}
