package registry

import (
	"context"
	"fmt"
	"testing"

	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/module"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"
	"pgregory.net/rapid"
)

// world is a registry that has module files only.
type world map[module.Version]*modfile.File

func (w world) ModFile(_ context.Context, v module.Version) (*modfile.File, error) {
	f, ok := w[v]
	if !ok {
		return nil, fmt.Errorf("no %s", v)
	}
	return f, nil
}

func (w world) Fetch(context.Context, module.Version) (module.SourceLoc, error) {
	return module.SourceLoc{}, fmt.Errorf("nothing is to be fetched")
}

func (w world) ModuleVersions(context.Context, string) ([]string, error) { return nil, nil }

// draw makes a world of four modules with three versions each, which ask for
// each other, in circles too.
func draw(t *rapid.T) (world, []module.Version) {
	var all []module.Version
	for _, name := range []string{"a", "b", "c", "d"} {
		for minor := range 3 {
			all = append(all, module.MustNewVersion("example.org/"+name+"@v1", fmt.Sprintf("v1.%d.0", minor)))
		}
	}
	w := world{}
	pick := func(label string) map[string]*modfile.Dep {
		deps := map[string]*modfile.Dep{}
		for _, v := range rapid.SliceOfN(rapid.SampledFrom(all), 0, 3).Draw(t, label) {
			deps[v.Path()] = &modfile.Dep{Version: v.Version()}
		}
		return deps
	}
	for _, v := range all {
		w[v] = &modfile.File{Module: v.Path(), Deps: pick(v.String())}
	}
	direct, err := requirements(&modfile.File{Deps: pick("root")})
	require.NoError(t, err)
	return w, direct
}

// TestSelect compares the selection with what it is by definition: the greatest
// version of each module in the least set that holds what is asked for and all
// that its members ask for.
func TestSelect(t *testing.T) {
	t.Parallel()
	root := module.MustNewVersion("example.com/root@v0", "")
	rapid.Check(t, func(t *rapid.T) {
		w, direct := draw(t)
		set := map[module.Version]bool{}
		for _, v := range direct {
			set[v] = true
		}
		for before := -1; before != len(set); {
			before = len(set)
			for v := range set {
				next, err := requirements(w[v])
				require.NoError(t, err)
				for _, n := range next {
					set[n] = true
				}
			}
		}
		want := map[string]string{}
		for v := range set {
			if semver.Compare(v.Version(), want[v.Path()]) > 0 {
				want[v.Path()] = v.Version()
			}
		}

		g, err := Select(context.Background(), w, root, direct)
		require.NoError(t, err)
		got := map[string]string{}
		for _, v := range g.Selected {
			got[v.Path()] = v.Version()
			chain := g.Why(v.Path())
			require.NotEmpty(t, chain)
			require.Equal(t, root, chain[0])
			require.Equal(t, v.Path(), chain[len(chain)-1].Path())
		}
		require.Equal(t, want, got)
		require.Nil(t, g.Why("example.org/absent"))

		for _, l := range g.lifts(direct) { // what is told is so, and nothing else is
			require.Equal(t, want[l.Asked.Path()], l.Taken.Version())
			require.Contains(t, g.Edges, Edge{l.By, l.Taken})
			delete(want, l.Asked.Path())
		}
		for _, v := range direct {
			if taken, ok := want[v.Path()]; ok {
				require.Equal(t, semver.MajorMinor(v.Version()), semver.MajorMinor(taken))
			}
		}
	})
}
