package spread_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/differential"
	"kumiki.dev/internal/golden"
	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// TestDepends changes one value after the other in the configs of generated artifacts,
// has CUE evaluate them, and looks whether anything has changed that does not depend on
// that value. KUMIKI_DEPENDS_SEED is the first seed, KUMIKI_DEPENDS_N how many there are.
func TestDepends(t *testing.T) {
	t.Parallel()
	first, n := uint64(1), uint64(80)
	for name, to := range map[string]*uint64{"KUMIKI_DEPENDS_SEED": &first, "KUMIKI_DEPENDS_N": &n} {
		if text := os.Getenv(name); text != "" {
			var err error
			*to, err = strconv.ParseUint(text, 10, 64)
			require.NoError(t, err, "%s is a number", name)
		}
	}
	n = max(1, n/fewer)
	if golden.Update() {
		n = 1 // nothing is written
	}
	changed, same, holes, refused := 0, 0, 0, 0
	for seed := first; seed < first+n; seed++ {
		c, _ := differential.Made(seed)
		dir := t.TempDir()
		require.NoError(t, c.Write(dir))
		in := compiler.Input{Sets: c.Sets}
		in.Dir = filepath.Join(dir, "deploy")
		result, problems := compiler.Run(context.Background(), in, compiler.SpreadStage)
		if result.Tree == nil || problems.HasErrors() {
			continue
		}
		seen := map[string]bool{}
		var each func(n *value.Node)
		each = func(n *value.Node) {
			p := spread.PackageOf(n)
			if key := p.Path + n.Config.JSON(); !n.Builtin && !seen[key] && p != result.Program.Root {
				seen[key] = true
				d, slices := spread.Depends(p)
				all := d.Holes("description")
				e := spread.NewEvaluator(cuecontext.New())
				for _, h := range all {
					path := append([]string{"description"}, h.Path...)
					require.Equal(t, h.Set, d.Of(path...), "seed %d: a hole depends on what the value there depends on", seed)
					got, set := slices.Sliced(e, path, n.Config)
					require.Equal(t, h.Set, set)
					want := slices.Value(e, path, n.Config)
					if strings.HasPrefix(want, "error") {
						continue // of fields that the artifact does not declare, among others
					}
					if strings.HasPrefix(got, "error") {
						refused++ // the whole is for CUE then
						continue
					}
					assert.Equal(t, want, got, "seed %d, %s: what is left out makes no difference for %v of %s", seed, p.Path, path, n.Config.JSON())
				}
				holes += len(all)
				a, b := vary(t, seed, p, n, d)
				changed, same = changed+a, same+b
			}
			for _, role := range n.Roles {
				each(role.Node)
			}
		}
		each(result.Tree.Root)
	}
	t.Logf("%d values changed with what they depend on, %d stayed as they were without; %d holes, of whose slices CUE refuses %d", changed, same, holes, refused)
	assert.Less(t, refused*10, max(50, holes))
	if n >= 80 {
		assert.Greater(t, changed, 50)
		assert.Greater(t, holes, 50)
	}
}

// vary changes the values of a node's config. It counts the leaves of the description
// that changed, and those that did not depend on what was changed.
func vary(t *testing.T, seed uint64, p *spread.Package, n *value.Node, d *depends.Sources) (changed, same int) {
	random := rand.New(rand.NewPCG(seed, 0))
	e := spread.NewEvaluator(cuecontext.New())
	before := spread.Fill(e, p, n.Config)
	if before == nil {
		return 0, 0
	}
	sets := map[string]depends.Set{}
	n.Config.Walk(nil, func(path []string, x *value.Data) bool {
		path = slices.Clone(path)
		other := altered(random, x)
		if other == nil || slices.ContainsFunc(path, func(s string) bool { _, ok := value.Index(s); return ok }) {
			return true
		}
		after := spread.Fill(e, p, n.Config.With(path, other))
		if after == nil {
			return true
		}
		// What depends on a default that another field has by reference changes with that.
		var touched [][]string
		after.Config.Walk(nil, func(at []string, y *value.Data) bool {
			if old := before.Config.Get(at...); old == nil || len(y.Members()) == 0 && old.JSON() != y.JSON() {
				touched = append(touched, slices.Clone(at))
			}
			return true
		})
		a, b := leavesOf(before), leavesOf(after)
		for at := range a {
			if _, ok := b[at]; !ok {
				b[at] = leaf{path: a[at].path, text: "(nothing)"}
			}
		}
		for at, x := range b {
			if a[at].text == x.text {
				if set := setOf(sets, d, at, x.path); !slices.ContainsFunc(touched, func(p []string) bool { return set.Has(p) }) {
					same++
				}
				continue
			}
			changed++
			set := setOf(sets, d, at, x.path)
			assert.True(t, slices.ContainsFunc(touched, func(p []string) bool { return set.Has(p) }), "seed %d, %s: %v changed from %q to %q with %v, but depends on %v", seed, p.Path, x.path, a[at].text, x.text, touched, set)
		}
		return true
	})
	return changed, same
}

func setOf(sets map[string]depends.Set, d *depends.Sources, key string, path []string) depends.Set {
	s, ok := sets[key]
	if !ok {
		s = d.Of(path...)
		sets[key] = s
	}
	return s
}

type leaf struct {
	path []string // from the artifact
	text string
}

// leavesOf are the leaves of a node's description, a list counting as one.
func leavesOf(n *value.Node) map[string]leaf {
	out := map[string]leaf{}
	n.Description.Walk(nil, func(path []string, x *value.Data) bool {
		path = append([]string{"description"}, path...)
		if slices.ContainsFunc(path, func(s string) bool { _, ok := value.Index(s); return ok }) {
			return true
		}
		if len(x.Members()) == 0 || x.Kind == value.List {
			out[fmt.Sprint(path)] = leaf{path, x.JSON()}
		}
		return true
	})
	return out
}

// altered is another value of the kind, nil if there is none.
func altered(random *rand.Rand, x *value.Data) *value.Data {
	out := *x
	switch x.Kind {
	case value.String:
		out.Text += string(rune('a' + random.IntN(26)))
	case value.Int:
		n, err := strconv.Atoi(x.Text)
		if err != nil {
			return nil
		}
		out.Text = strconv.Itoa(n + 1 + random.IntN(3))
	case value.Bool:
		out.Text = strconv.FormatBool(x.Text == "false")
	default:
		return nil
	}
	return &out
}
