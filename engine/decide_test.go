package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "kumiki.dev/engine"
)

func workload() Object {
	return Object{
		About: About{ID: ID{Kind: "Deployment", Name: "shop-front"}, Place: Place{"shop", "front"}, Stage: 2, Runs: true},
		Given: map[string]any{"image": "a:1", "replicas": int64(2)},
	}
}

// TestDecide has one line for each thing that can be found.
func TestDecide(t *testing.T) {
	t.Parallel()
	o := workload()
	claim := About{ID: ID{Kind: "Claim", Name: "data"}, Place: Place{"shop", "db"}, Volume: "shop/db/data"}
	made := Made{About: o.About, Hash: Hash(o.Given), Answer: o.Given}
	live := Seen{About: o.About, Solution: "shop", Value: map[string]any{"image": "a:1", "replicas": int64(2), "default": true}, Health: Healthy, Since: noon}
	edit := func(f func(*Seen)) []Seen {
		s := live
		f(&s)
		return []Seen{s}
	}
	old := made
	old.Hash = "another"
	gone := Seen{About: claim, Solution: "shop"}
	tests := []struct {
		name    string
		desired Desired
		made    []Made
		seen    []Seen
		want    []Verb
	}{
		{"as it is to be", Desired{}, []Made{made}, []Seen{live}, nil},
		{"new", Desired{}, nil, nil, []Verb{Create}},
		{"missing", Desired{}, []Made{made}, nil, []Verb{Create}},
		{"in no record", Desired{}, nil, []Seen{live}, []Verb{Adopt}},
		{"begun", Desired{}, []Made{{About: o.About, Begun: true}}, []Seen{live}, []Verb{Resume}},
		{"listed by name alone", Desired{}, []Made{{About: o.About}}, []Seen{live}, []Verb{Adopt}},
		{"another version", Desired{}, []Made{old}, []Seen{live}, []Verb{Change}},
		{"edited", Desired{}, []Made{made}, edit(func(s *Seen) { s.Value = map[string]any{"image": "evil:1", "replicas": int64(2)} }), []Verb{Repair}},
		{"scaled by who may", Desired{}, []Made{made}, edit(func(s *Seen) {
			s.Value = map[string]any{"image": "a:1", "replicas": int64(4)}
			s.Excused = map[string]string{"replicas": "an autoscaler"}
		}), []Verb{Excuse}},
		{"somebody else's", Desired{}, nil, edit(func(s *Seen) { s.Solution = "" }), []Verb{Refuse}},
		{"taken over", Desired{Adopt: true}, nil, edit(func(s *Seen) { s.Solution = "" }), []Verb{Adopt}},
		{"cannot change", Desired{}, []Made{old}, edit(func(s *Seen) { s.Fixed = true }), []Verb{Replace}},
		{"being removed", Desired{}, []Made{made}, edit(func(s *Seen) { s.Going = true }), []Verb{Wait}},
		{"not ready yet", Desired{Patience: time.Minute}, []Made{made}, edit(func(s *Seen) { s.Health = Progressing }), []Verb{Wait}},
		{"not ready for too long", Desired{Patience: time.Minute}, []Made{made}, edit(func(s *Seen) { s.Health, s.Since = Progressing, noon.Add(-time.Hour) }), []Verb{Tell}},
		{"failed", Desired{}, []Made{made}, edit(func(s *Seen) { s.Health = Failed }), []Verb{Tell}},
		{"not desired, with data", Desired{}, []Made{made, {About: claim}}, []Seen{live, gone}, []Verb{Keep}},
		{"not desired, with data that may go", Desired{Data: []string{"shop/db"}}, []Made{made, {About: claim}}, []Seen{live, gone}, []Verb{Remove}},
		{"not desired, another's now", Desired{Data: []string{"shop"}}, []Made{made, {About: claim}}, []Seen{live, {About: claim, Solution: "other"}}, []Verb{Leave}},
		{"not desired, while others are new", Desired{Data: []string{"shop"}}, []Made{{About: claim}}, []Seen{gone}, []Verb{Create}},
		{"nobody knows it", Desired{}, []Made{made}, []Seen{live, gone}, []Verb{Residue}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.desired.Solution, tt.desired.Objects = "shop", []Object{o}
			var got []Verb
			for _, a := range Decide(tt.desired, tt.made, tt.seen, noon) {
				got = append(got, a.Verb)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// TestStoppedIsNotScaled: what is stopped is, also where an autoscaler has the say in how many
// instances there are.
func TestStoppedIsNotScaled(t *testing.T) {
	t.Parallel()
	o := workload()
	o.Halts, o.Halted = true, map[string]any{"image": "a:1", "replicas": int64(0)}
	seen := Seen{About: o.About, Solution: "shop", Value: map[string]any{"image": "a:1", "replicas": int64(4)}, Excused: map[string]string{"replicas": "an autoscaler"}}
	made := Made{About: o.About, Hash: Hash(o.Given), Answer: o.Given}
	actions := Decide(Desired{Solution: "shop", Objects: []Object{o}, Stopped: []string{"shop/front"}}, []Made{made}, []Seen{seen}, noon)
	require.Len(t, actions, 1)
	require.Equal(t, Change, actions[0].Verb)
	require.Equal(t, o.Halted, actions[0].Give)

	o.Given = map[string]any{"image": "a:2", "replicas": int64(2)}
	actions = Decide(Desired{Solution: "shop", Objects: []Object{o}}, []Made{made}, []Seen{seen}, noon)
	require.Equal(t, map[string]any{"image": "a:2"}, actions[0].Give, "how many there are is not given")
}

// TestRemovedInReverse: what others need goes last.
func TestRemovedInReverse(t *testing.T) {
	t.Parallel()
	var made []Made
	var seen []Seen
	for i, name := range []string{"a", "b", "c"} {
		about := About{ID: ID{Kind: "K", Name: name}, Stage: i}
		made, seen = append(made, Made{About: about}), append(seen, Seen{About: about, Solution: "shop"})
	}
	var got []string
	for _, a := range Decide(Desired{Solution: "shop"}, made, seen, noon) {
		got = append(got, a.Name)
	}
	require.Equal(t, []string{"c", "b", "a"}, got)
}

type (
	m = map[string]any
	l = []any
)

// TestCompare: all fields that were given, whoever reads the numbers and in whatever order
// lists are; nothing else.
func TestCompare(t *testing.T) {
	t.Parallel()
	given := m{"spec": m{
		"replicas":   int64(2),
		"containers": l{m{"name": "c", "image": "a:1", "env": l{m{"name": "A", "value": "1"}}, "ports": l{m{"containerPort": int64(80)}}}},
		"args":       l{"x", "y"},
		"selector":   m{},
	}}
	live := m{"spec": m{
		"replicas": float64(2), "default": true,
		"containers": l{
			m{"name": "proxy", "image": "p:1"},
			m{"name": "c", "image": "a:1", "pull": "Always", "env": l{m{"name": "A", "value": "1"}}, "ports": l{m{"containerPort": int64(80), "protocol": "TCP"}}},
		},
		"args": l{"x", "y"},
	}}
	require.Equal(t, []Difference{{Path: "spec.containers[proxy]", Live: m{"name": "proxy", "image": "p:1"}}}, Compare(given, live))
	require.Empty(t, Compare(Answer(given, live), live), "what the target made of it is no difference")

	edited := m{"spec": m{
		"replicas":   int64(3),
		"containers": l{m{"name": "c", "image": "a:2", "env": l{m{"name": "A", "value": "1"}, m{"name": "B", "value": "2"}}, "ports": l{m{"containerPort": int64(80), "protocol": "UDP"}}}},
		"args":       l{"x"},
	}}
	var paths []string
	for _, d := range Compare(given, edited) {
		paths = append(paths, d.Path)
	}
	require.Equal(t, []string{
		"spec.args", "spec.containers[c].env[B]", "spec.containers[c].image", "spec.containers[c].ports[80]", "spec.containers[c].ports[80/UDP]", "spec.replicas",
	}, paths)
}

// TestDropped: what a target does not take is neither in the answer nor a difference.
func TestDropped(t *testing.T) {
	t.Parallel()
	given, live := m{"a": int64(1), "b": m{"c": "x", "d": "y"}}, m{"a": int64(1), "b": m{"c": "x"}}
	answer := Answer(given, live)
	require.Empty(t, Compare(answer, live))
	require.Equal(t, []Difference{{Path: "b.d", Made: "y"}}, Compare(given, answer))
	none := Answer(m{"env": l{}}, m{})
	require.Empty(t, Compare(none, m{}))
	require.Equal(t, []Difference{{Path: "env[A]", Live: m{"name": "A"}}}, Compare(none, m{"env": l{m{"name": "A"}}}), "that there are none was given")
}
