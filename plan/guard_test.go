package plan_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// messages are those of problems, with their codes.
func messages(problems diag.List) (out []string) {
	for _, d := range problems {
		out = append(out, d.Message+" ["+string(d.Code)+"]")
	}
	return out
}

// TestAllowed: a path allows what it is, or begins with, and nothing else.
func TestAllowed(t *testing.T) {
	t.Parallel()
	p := plan.Compare(read(t, base(t, "example-shop")), nil)
	lost := []string{"shop/db: data is lost: the role is deleted: volume shop-db (data); keep it, or say --allow-data-loss shop/db/shop-db [plan/data-loss]"}
	for _, allowed := range []string{"", "sho", "shop/d", "shop/db/shop", "shop/db/shop-db/x", "shop.entry", "shop/web"} {
		if diff := cmp.Diff(lost, messages(p.Problems(plan.Allowed{Data: []string{allowed}}))); diff != "" {
			t.Errorf("%q: %s", allowed, diff)
		}
	}
	for _, allowed := range []string{"shop", "shop/", "shop/db", "shop/db/shop-db"} {
		require.Empty(t, p.Problems(plan.Allowed{Data: []string{"other", allowed}}), allowed)
	}
}

// named is another solution, whose top belongs to a deployment, and which has
// links.
func named(up string, links ...solution.Link) *solution.Solution {
	d := &solution.Deployment{Name: "client"}
	if up != "" {
		d.Up = &up
	}
	return &solution.Solution{Ref: solution.SolutionRef{Kind: "solution", Name: "client"}, Top: "client", Deployments: map[string]*solution.Deployment{"client": d}, Links: links}
}

func TestDangle(t *testing.T) {
	t.Parallel()
	old := read(t, base(t, "platform"))
	lessChannel := read(t, base(t, "platform"))
	channel := slices.Sorted(maps.Keys(old.Deployments["platform"].Artifact.Description.Srv.Server))[0]
	delete(lessChannel.Deployments["platform"].Artifact.Description.Srv.Server, channel)
	link := solution.Link{Source: "client", SourceChannel: "c", Target: "platform", TargetChannel: channel}
	back := solution.Link{Source: "platform", SourceChannel: "x", Target: "client", TargetChannel: "s"}
	same := named("platform")
	same.Ref = old.Ref
	for _, c := range []struct {
		name   string
		new    *solution.Solution
		others []*solution.Solution
		want   []string
	}{
		{"nobody", nil, nil, nil},
		{"nothing, and a version of the same", nil, []*solution.Solution{nil, same}, nil},
		{"up", nil, []*solution.Solution{named("platform")}, []string{"client of solution client names platform (up)"}},
		{"up of a part", nil, []*solution.Solution{named("platform.open")}, []string{"client of solution client names platform.open (up)"}},
		{"links, either way", nil, []*solution.Solution{named("", link, back)}, []string{"client of solution client names platform (link c)", "client of solution client names platform (link s)"}},
		{"what stays", read(t, base(t, "platform")), []*solution.Solution{named("platform", link)}, nil},
		{"what is not ours", nil, []*solution.Solution{named("elsewhere")}, nil},
		{"a channel", lessChannel, []*solution.Solution{named("platform", link)}, []string{"client of solution client names platform." + channel + " (link c)"}},
	} {
		var got []string
		p := plan.Compare(old, c.new)
		p.Dangling = plan.Dangle(old, c.new, c.others)
		forced := []string{}
		for _, d := range p.Dangling {
			got = append(got, d.String())
			forced = append(forced, d.Removed)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		allowed := []string{"platform"}
		require.Len(t, p.Problems(plan.Allowed{Data: allowed}), len(c.want), c.name)
		require.Empty(t, p.Problems(plan.Allowed{Data: allowed, Gone: forced, Orphans: forced}), c.name)
	}
}

// TestPruneClaims: claims are only listed where they may go, after the workload
// that uses them, one an instance.
func TestPruneClaims(t *testing.T) {
	t.Parallel()
	for _, namespace := range []string{"", "one"} {
		old := lower(t, "kubernetes", read(t, base(t, "platform")), targets.Options{Namespace: namespace})
		for allowed, want := range map[string]int{"": 0, "platform/front": 0, "platform/middle": 2, "platform": 2} {
			pruned, err := plan.Prune(orchestrators["kubernetes"], old, nil, nil, plan.PruneOptions{Data: []string{allowed}})
			require.NoError(t, err)
			claims, workload := 0, false
			for _, o := range pruned {
				workload = workload || o.Kind == "StatefulSet" && o.Name == "platform-middle"
				if o.Kind != "PersistentVolumeClaim" {
					continue
				}
				claims++
				require.True(t, workload)
				require.Equal(t, namespace, strings.Split(key(o), "|")[0])
				require.Regexp(t, `-platform-middle-[01]$`, o.Name)
			}
			require.Equal(t, want, claims, "%q", allowed)
			all, err := plan.Prune(orchestrators["kubernetes"], old, old, nil, plan.PruneOptions{Data: []string{allowed}, Replaced: true})
			require.NoError(t, err)
			require.Empty(t, all)
		}
	}
}

// TestMoved: in another namespace, everything is new, and the data is not there.
func TestMoved(t *testing.T) {
	t.Parallel()
	s := read(t, base(t, "example-shop"))
	p := plan.Compare(s, s)
	require.NoError(t, p.On("kubernetes", orchestrators["kubernetes"], lower(t, "kubernetes", s, targets.Options{Namespace: "one"}), lower(t, "kubernetes", s, targets.Options{Namespace: "two"})))
	require.Equal(t, []string{"shop/api", "shop/db", "shop/web"}, p.Restarts)
	require.Len(t, p.Problems(plan.Allowed{}), 1)
	require.Equal(t, "data-loss", classes(p)["shop/db"])
}
