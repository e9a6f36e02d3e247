package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "kumiki.dev/engine"
	_ "kumiki.dev/internal/repeatable"
)

// world is an environment as a target could be, with the record of what was made in it.
// What runs becomes healthy when it is looked at the next time.
type world struct {
	live    map[ID]Seen
	record  []Made
	removed []ID
}

const solution = "shop"

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func (w *world) seen() []Seen {
	out := []Seen{}
	for _, s := range w.live {
		out = append(out, s)
	}
	return out
}

// mature lets everything become healthy, and what is being removed vanish.
func (w *world) mature() {
	for id, s := range w.live {
		s.Health = Healthy
		w.live[id] = s
		if s.Going {
			delete(w.live, id)
		}
	}
}

// remember replaces the record's entry of an object.
func (w *world) remember(m Made) {
	w.record = append(slices.DeleteFunc(w.record, func(o Made) bool { return o.ID == m.ID }), m)
}

// carry carries out actions, at most n that change something, as if it was killed then:
// what is to be made is in the record before, and its hash and answer after.
func (w *world) carry(actions []Action, n int) {
	for _, a := range actions {
		if !a.Verb.Writes() || a.Verb == Remove {
			continue
		}
		w.remember(Made{About: a.About, Begun: true})
	}
	for _, a := range actions {
		if !a.Verb.Writes() {
			continue
		}
		if n--; n < 0 {
			return
		}
		if a.Verb == Remove {
			delete(w.live, a.ID)
			w.removed = append(w.removed, a.ID)
			continue
		}
		w.live[a.ID] = Seen{About: a.About, Solution: solution, Value: grown(a.Give), Health: Progressing}
		w.remember(Made{About: a.About, Hash: Hash(a.Give), Answer: Answer(a.Give, grown(a.Give)).(map[string]any)})
	}
	w.record = slices.DeleteFunc(w.record, func(m Made) bool { _, there := w.live[m.ID]; return !there })
}

// grown returns what a target makes of an object: fields that nobody gave are in it too, and one
// that was given is not.
func grown(given map[string]any) map[string]any {
	out := maps.Clone(given)
	delete(out, "dropped")
	out["default"] = "of the target"
	return out
}

// settle carries out what Decide says until that is nothing.
func (w *world) settle(t require.TestingT, desired Desired) {
	for range 10 {
		actions := Decide(desired, w.record, w.seen(), noon)
		writes := slices.ContainsFunc(actions, func(a Action) bool { return a.Verb.Writes() || a.Verb == Wait })
		if !writes {
			return
		}
		w.carry(actions, len(actions))
		w.mature()
	}
	require.Fail(t, "it never comes to an end")
}

// state returns the world in words.
func (w *world) state() string {
	out := map[string]any{}
	for id, s := range w.live {
		out[id.String()] = []any{s.Solution, s.Value}
	}
	text, _ := json.Marshal(out)
	return string(text)
}

func drawObject(t *rapid.T, i int) Object {
	kinds := []string{"Config", "Workload", "Scaler", "Claim"}
	k := rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")
	o := Object{About: About{ID: ID{Kind: kinds[k], Name: fmt.Sprint("o", i)}, Place: Place{"shop", fmt.Sprint("r", i%3)}, Stage: k}}
	o.Given = map[string]any{"image": rapid.SampledFrom([]string{"a:1", "a:2"}).Draw(t, "image"), "dropped": true}
	switch kinds[k] {
	case "Workload":
		o.Given["replicas"], o.Runs, o.Halts = int64(2), true, true
		o.Halted = maps.Clone(o.Given)
		o.Halted["replicas"] = int64(0)
	case "Scaler":
		o.Halts = true
	case "Claim":
		o.Volume = o.Place.String() + "/" + o.Name
	}
	return o
}

func drawDesired(t *rapid.T) Desired {
	d := Desired{Solution: solution}
	for i := range rapid.IntRange(0, 6).Draw(t, "objects") {
		d.Objects = append(d.Objects, drawObject(t, i))
	}
	if rapid.Bool().Draw(t, "stops") {
		d.Stopped = []string{rapid.SampledFrom([]string{"shop", "shop/r0", "shop/r1"}).Draw(t, "stopped")}
	}
	if rapid.Bool().Draw(t, "data may go") {
		d.Data = []string{"shop"}
	}
	return d
}

// disturb does to the world what others do: edits, removals, new versions of the solution
// that are killed in the middle.
func (w *world) disturb(t *rapid.T) {
	ids := slices.SortedFunc(maps.Keys(w.live), func(a, b ID) int { return len(a.String()) - len(b.String()) })
	slices.SortFunc(ids, func(a, b ID) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
	switch n := rapid.IntRange(0, 4).Draw(t, "event"); {
	case n == 4 || len(ids) == 0:
		other := drawDesired(t)
		w.carry(Decide(other, w.record, w.seen(), noon), rapid.IntRange(0, 4).Draw(t, "killed after"))
	case n == 3:
		w.mature()
	default:
		id := rapid.SampledFrom(ids).Draw(t, "which")
		s := w.live[id]
		switch n {
		case 0:
			delete(w.live, id)
			return
		case 1:
			s.Value = maps.Clone(s.Value)
			s.Value["image"] = "evil:1"
		case 2:
			s.Health = Failed
		}
		w.live[id] = s
	}
}

func newWorld() *world { return &world{live: map[ID]Seen{}} }

// TestTwiceIsOnce: when all is done, there is nothing more to do.
func TestTwiceIsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, desired := newWorld(), drawDesired(t)
		for range rapid.IntRange(0, 5).Draw(t, "events") {
			w.disturb(t)
		}
		w.mature()
		w.settle(t, desired)
		for _, a := range Decide(desired, w.record, w.seen(), noon) {
			require.Contains(t, []Verb{Keep, Residue, Leave}, a.Verb, "%v", a)
		}
	})
}

// TestAnyOrderEndsAlike: whatever happened before, the end is that of a world in which
// nothing had, but for data that may not go.
func TestAnyOrderEndsAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		desired := drawDesired(t)
		desired.Data = []string{"shop"}
		fresh := newWorld()
		fresh.settle(t, desired)
		w := newWorld()
		for range rapid.IntRange(0, 8).Draw(t, "events") {
			w.disturb(t)
		}
		w.mature()
		w.settle(t, desired)
		require.Equal(t, fresh.state(), w.state())
	})
}

// TestOnlyWhatWasMadeIsRemoved: neither what is somebody else's nor what no record has, and
// no data that may not go.
func TestOnlyWhatWasMadeIsRemoved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		for range rapid.IntRange(0, 5).Draw(t, "events") {
			w.disturb(t)
		}
		for i := range 3 { // of nobody's, of another solution's, and of ours in no record
			o := drawObject(t, 100+i)
			w.live[o.ID] = Seen{About: o.About, Solution: []string{"", "other", solution}[i], Value: grown(o.Given)}
		}
		made := map[ID]bool{}
		for _, m := range w.record {
			made[m.ID] = true
		}
		data := rapid.Bool().Draw(t, "data")
		desired := Desired{Solution: solution}
		if data {
			desired.Data = []string{"shop"}
		}
		w.removed = nil
		w.settle(t, desired)
		for _, id := range w.removed {
			require.True(t, made[id], "%v is in no record", id)
			require.True(t, data || id.Kind != "Claim", "%v holds data", id)
		}
		require.GreaterOrEqual(t, len(w.live), 3)
	})
}

// TestAStopStays: however often it is asked again and whatever others do, nothing runs in
// a place that was stopped.
func TestAStopStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, desired := newWorld(), drawDesired(t)
		desired.Stopped = []string{"shop/r0"}
		for range rapid.IntRange(0, 5).Draw(t, "events") {
			w.disturb(t)
		}
		w.mature()
		w.settle(t, desired)
		for id, s := range w.live {
			if s.Place.String() != "shop/r0" || !slices.ContainsFunc(desired.Objects, func(o Object) bool { return o.ID == id }) {
				continue
			}
			require.NotEqual(t, "Scaler", id.Kind)
			if id.Kind == "Workload" {
				require.EqualValues(t, 0, s.Value["replicas"])
			}
		}
	})
}
