package plan_test

import (
	order "cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/swarm"
)

// versions are all versions of the solutions of the table: the cases
// themselves and what the edits make of them.
func versions(t *testing.T) map[string][]*solution.Solution {
	t.Helper()
	out := map[string][]*solution.Solution{}
	for _, e := range readEdits(t) {
		text := base(t, e.Base)
		out[e.Base] = append(out[e.Base], edited(t, e, text))
	}
	return out
}

// pairs draws two versions of a solution, either of which may be nothing.
func pairs(t *rapid.T, all map[string][]*solution.Solution) (old, new *solution.Solution) {
	of := append([]*solution.Solution{nil}, all[rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(t, "base")]...)
	i := rapid.IntRange(0, len(of)-1)
	return of[i.Draw(t, "old")], of[i.Draw(t, "new")]
}

// TestNothingChanges: a solution compared with itself has no changes, on any
// target.
func TestNothingChanges(t *testing.T) {
	t.Parallel()
	for _, all := range versions(t) {
		for _, s := range all {
			p := plan.Compare(s, s)
			require.True(t, p.Empty())
			for name := range lowerings {
				objects := lower(t, name, s, targets.Options{})
				require.NoError(t, p.On(name, orchestrators[name], objects, objects))
				require.True(t, p.Empty())
				require.Empty(t, p.Restarts)
			}
		}
	}
}

// TestThereAndBack: what one direction creates the other deletes, and what is
// there before and after is so in both.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	all := versions(t)
	mirror := map[plan.Class]plan.Class{plan.Create: plan.Delete, plan.Delete: plan.Create}
	rapid.Check(t, func(t *rapid.T) {
		old, new := pairs(t, all)
		there, back := plan.Compare(old, new), plan.Compare(new, old)
		got := map[string]plan.Class{}
		for _, e := range back.Entries {
			got[e.String()] = e.Base
		}
		for _, e := range there.Entries {
			want := e.Base
			if other, ok := mirror[want]; ok {
				want = other
			}
			if e.Base == plan.Renamed {
				require.Equal(t, plan.Renamed, got[e.From.String()])
				continue
			}
			require.Equal(t, want, got[e.String()], "%s", e)
		}
		require.Len(t, back.Entries, len(there.Entries))
	})
}

// TestEveryPlaceOnce: every deployment and role of both is in one entry, under
// its new name or, if it has none, its old one.
func TestEveryPlaceOnce(t *testing.T) {
	t.Parallel()
	all := versions(t)
	rapid.Check(t, func(t *rapid.T) {
		old, new := pairs(t, all)
		want := map[string]bool{}
		for _, s := range []*solution.Solution{old, new} {
			if s == nil {
				continue
			}
			for name, d := range s.Deployments {
				want[name] = true
				for role := range d.Artifact.Description.Role {
					want[name+"/"+role] = true
				}
			}
		}
		got := map[string]bool{}
		p := plan.Compare(old, new)
		for _, e := range p.Entries {
			require.False(t, got[e.String()], "%s is there twice", e)
			got[e.String()] = true
			if e.From != nil {
				got[e.From.String()] = true
			}
		}
		require.Equal(t, want, got)
	})
}

// TestLinksHaveNoOrder: in which order links are written says nothing.
func TestLinksHaveNoOrder(t *testing.T) {
	t.Parallel()
	s := read(t, base(t, "platform"))
	other := *s
	other.Links = slices.Clone(s.Links)
	slices.Reverse(other.Links)
	require.True(t, plan.Compare(s, &other).Empty())
}

func key(o targets.Object) string {
	text, _ := json.Marshal(o.Value)
	var value struct{ Metadata struct{ Namespace string } }
	_ = json.Unmarshal(text, &value)
	return value.Metadata.Namespace + "|" + o.Kind + "|" + o.Name
}

func keys(objects []targets.Object) map[string]bool {
	out := map[string]bool{}
	for _, o := range objects {
		out[key(o)] = true
	}
	return out
}

// TestPruneSubtracts: what is pruned is what the old solution has and the new
// one, or another that stays, has not, less what is never deleted; in reverse, but
// the services of Swarm first.
func TestPruneSubtracts(t *testing.T) {
	t.Parallel()
	all := versions(t)
	rapid.Check(t, func(t *rapid.T) {
		old, new := pairs(t, all)
		keep, _ := pairs(t, all)
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(lowerings))).Draw(t, "target")
		namespaces := rapid.SampledFrom([]string{"", "one", "two"})
		a := lowered(name, old, namespaces.Draw(t, "from"))
		b := lowered(name, new, namespaces.Draw(t, "to"))
		c := lowered(name, keep, namespaces.Draw(t, "keep"))
		pruned, err := plan.Prune(orchestrators[name], a, b, c, plan.PruneOptions{})
		require.NoError(t, err)
		stays := keys(slices.Concat(b, c))
		var want, got []string
		a = slices.Clone(a)
		slices.Reverse(a)
		slices.SortStableFunc(a, func(x, y targets.Object) int {
			return order.Compare(notService(x), notService(y))
		})
		for _, o := range a {
			if stays[key(o)] || external(o) {
				continue
			}
			want = append(want, key(o))
		}
		for _, o := range pruned {
			require.NotContains(t, []string{"Namespace", "PersistentVolumeClaim"}, o.Kind)
			got = append(got, key(o))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// notService is 0 for the services of Swarm, and 1 for everything else.
func notService(o targets.Object) int {
	if _, ok := o.Value.(*swarm.Service); ok {
		return 0
	}
	return 1
}

func external(o targets.Object) bool {
	text, _ := json.Marshal(o.Value)
	var value struct{ External bool }
	_ = json.Unmarshal(text, &value)
	return value.External
}

func lowered(name string, s *solution.Solution, namespace string) []targets.Object {
	if s == nil {
		return nil
	}
	objects, _ := lowerings[name](s, targets.Options{Namespace: namespace})
	return objects
}

// TestApplyHasNoOrder: whatever order the changes of a plan are made in, the
// old objects become the new ones.
func TestApplyHasNoOrder(t *testing.T) {
	t.Parallel()
	all := versions(t)
	rapid.Check(t, func(t *rapid.T) {
		old, new := pairs(t, all)
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(lowerings))).Draw(t, "target")
		a, b := lowered(name, old, ""), lowered(name, new, "")
		p := plan.Compare(old, new)
		require.NoError(t, p.On(name, orchestrators[name], a, b))
		state, wanted := texts(a), texts(b)
		for _, o := range rapid.Permutation(p.Target.Objects).Draw(t, "order") {
			id := o.Namespace + "|" + o.Kind + "|" + o.Name
			switch o.Action {
			case plan.DeleteObject:
				require.Contains(t, state, id)
				delete(state, id)
			case plan.CreateObject:
				require.NotContains(t, state, id)
				state[id] = wanted[id]
			default:
				require.Contains(t, state, id)
				state[id] = wanted[id]
			}
		}
		if diff := cmp.Diff(wanted, state); diff != "" {
			t.Fatal(diff)
		}
	})
}

func texts(objects []targets.Object) map[string]string {
	out := map[string]string{}
	for _, o := range objects {
		if text, _ := json.Marshal(o.Value); !external(o) {
			out[key(o)] = string(text)
		}
	}
	return out
}

// large is a solution of n roles and more.
func large(t testing.TB, n int) *solution.Solution {
	s := read(t, base(t, "platform"))
	roles := s.Deployments["platform"].Artifact.Description.Role
	for i := range n {
		text, err := json.Marshal(roles[slices.Sorted(maps.Keys(roles))[i%6]])
		require.NoError(t, err)
		r := &solution.Role{}
		require.NoError(t, json.Unmarshal(text, r))
		r.Name = fmt.Sprintf("zzz%d", i)
		roles[r.Name] = r
	}
	return s
}

// BenchmarkPlan compares two solutions of 1,000 roles, a tenth of which have
// changed; with a target, the objects are made too.
func BenchmarkPlan(b *testing.B) {
	old, new := large(b, 1000), large(b, 1000)
	for i := range 100 {
		r := new.Deployments["platform"].Artifact.Description.Role[fmt.Sprintf("zzz%d", i*10)]
		for _, c := range r.Artifact.Description.Code {
			c.Image.Tag += "-next"
		}
	}
	b.Run("model", func(b *testing.B) {
		for b.Loop() {
			plan.Compare(old, new)
		}
	})
	for _, name := range slices.Sorted(maps.Keys(lowerings)) {
		before, after := lower(b, name, old, targets.Options{}), lower(b, name, new, targets.Options{})
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := plan.Compare(old, new).On(name, orchestrators[name], before, after); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
