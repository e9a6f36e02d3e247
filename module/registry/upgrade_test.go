package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/module"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"
	"pgregory.net/rapid"
)

// listed is a world that also says which versions there are.
type listed struct{ world }

func (l listed) ModuleVersions(_ context.Context, path string) ([]string, error) {
	base, major, hasMajor := ast.SplitPackageVersion(path)
	var out []string
	for v := range l.world {
		if v.BasePath() == base && (!hasMajor || semver.Major(v.Version()) == major) {
			out = append(out, v.Version())
		}
	}
	slices.SortFunc(out, semver.Compare)
	return out, nil
}

// TestUpgrade: what is asked for is the greatest that may be taken, nothing is
// older than before, and whatever else is newer is so for a reason.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := world{}
		var all []module.Version
		for _, name := range []string{"a", "b", "c"} {
			for i, v := range []string{"v1.0.0", "v1.0.1", "v1.1.0", "v1.2.0-rc.1", "v2.0.0"} {
				if i == 0 || rapid.Bool().Draw(t, name+v) {
					all = append(all, module.MustNewVersion("example.org/"+name+"@"+semver.Major(v), v))
				}
			}
		}
		deps := func(label string) map[string]*modfile.Dep {
			out := map[string]*modfile.Dep{}
			for _, v := range rapid.SliceOfN(rapid.SampledFrom(all), 0, 2).Draw(t, label) {
				out[v.Path()] = &modfile.Dep{Version: v.Version()}
			}
			return out
		}
		for _, v := range all {
			w[v] = &modfile.File{Module: v.Path(), Deps: deps(v.String())}
		}
		var text strings.Builder
		fmt.Fprint(&text, "module: \"example.org/root@v0\"\nlanguage: version: \"v0.12.0\"\n")
		for path, d := range deps("root") {
			fmt.Fprintf(&text, "deps: %q: v: %q\n", path, d.Version)
		}
		f, err := modfile.Parse([]byte(text.String()), "module.cue")
		require.NoError(t, err)
		m := &Module{Dir: "nowhere", File: f}
		patch := rapid.Bool().Draw(t, "patch")

		ctx := context.Background()
		before, err := m.Graph(ctx, listed{w})
		require.NoError(t, err)
		u, err := m.Upgrade(ctx, listed{w}, nil, patch)
		require.NoError(t, err)
		direct, err := requirements(f)
		require.NoError(t, err)
		taken := map[string]module.Version{}
		for _, v := range u.selected {
			taken[v.Path()] = v
		}
		for _, old := range before.Selected {
			require.LessOrEqual(t, semver.Compare(old.Version(), taken[old.Path()].Version()), 0)
		}
		was := map[string]string{}
		for _, old := range before.Selected {
			was[old.Path()] = old.Version()
		}
		for _, old := range direct {
			for _, v := range all {
				fits := v.Path() == old.Path() && (semver.Prerelease(v.Version()) == "") &&
					(!patch || semver.MajorMinor(v.Version()) == semver.MajorMinor(was[old.Path()]))
				if fits {
					require.GreaterOrEqual(t, semver.Compare(taken[old.Path()].Version(), v.Version()), 0, "%s is there", v)
				}
			}
		}
		for _, move := range u.Moves {
			minor := move.From.Path() != "" && semver.MajorMinor(move.From.Version()) != semver.MajorMinor(move.To.Version())
			if patch && minor {
				require.NotNil(t, move.Why, "%s", move)
			}
		}
	})
}
