package live_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/engine"
	. "kumiki.dev/live"
)

// nobody is a target that knows of nobody who has changed anything.
type nobody struct{ Target }

func (nobody) Reveal(engine.Seen, []engine.Difference) {}

// TestMonitor: each object is compared with the record alone, what is found is told once, and
// what a run is about to do is known.
func TestMonitor(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	web := engine.About{ID: engine.ID{Kind: "Deployment", Name: "shop-web"}, Place: engine.Place{Deployment: "shop", Role: "web"}, Version: "apps/v1", Runs: true}
	db := engine.About{ID: engine.ID{Kind: "Service", Name: "shop-db"}, Version: "v1"}
	record := func(begun bool) *Record {
		return &Record{Solution: "shop", Revision: "1", Objects: []engine.Made{
			{About: web, Hash: "x", Answer: map[string]any{"replicas": int64(2)}, Begun: begun}, {About: db, Hash: "y", Answer: map[string]any{"port": int64(80)}},
		}}
	}
	see := func(about engine.About, value map[string]any) engine.Seen {
		return engine.Seen{About: about, Solution: "shop", Value: value, Health: engine.Healthy}
	}
	v := NewMonitor(nobody{})
	v.Take(record(false), noon)
	require.Equal(t, []engine.About{web, db}, v.Kinds())
	solution, made := v.Known(web.ID, "shop")
	require.Equal(t, "shop", solution)
	require.Equal(t, web, made.About)

	_, news := v.See(see(web, map[string]any{"replicas": int64(2), "default": true}))
	require.False(t, news, "it is as it was made")
	missing := v.Missing("")
	require.Len(t, missing, 1, "nobody has told of the Service")
	require.Equal(t, "missing: Service/shop-db: it is missing", missing[0].Findings[0].Lines()[0])
	require.Empty(t, v.Missing(""), "it was told")
	require.True(t, v.Repairable("shop"))
	found, news := v.See(see(db, map[string]any{"port": int64(80)}))
	require.True(t, news)
	require.Empty(t, found.Findings)
	require.False(t, v.Repairable("shop"))

	found, news = v.See(see(web, map[string]any{"replicas": int64(5)}))
	require.True(t, news)
	require.Equal(t, []string{"changed: Deployment/shop-web (shop/web)", "  replicas: 5, was 2"}, found.Findings[0].Lines())
	_, news = v.See(see(web, map[string]any{"replicas": int64(5)}))
	require.False(t, news, "it was told")
	gone, news := v.See(see(web, nil))
	require.True(t, news)
	require.Equal(t, "missing", gone.Findings[0].Kind)

	stranger := engine.About{ID: engine.ID{Kind: "Service", Name: "shop-old"}}
	found, news = v.See(see(stranger, map[string]any{}))
	require.True(t, news)
	require.Equal(t, "residue", found.Findings[0].Kind)
	found, news = v.See(see(stranger, nil))
	require.True(t, news)
	require.Empty(t, found.Findings)
	_, news = v.See(engine.Seen{About: web, Solution: "other", Value: map[string]any{}})
	require.False(t, news, "nobody watches it")

	require.False(t, v.UnderWay("shop", noon, time.Minute))
	v.Take(record(true), noon)
	require.True(t, v.UnderWay("shop", noon, time.Minute))
	require.False(t, v.Repairable("shop"), "apply or delete goes on with it")
	v.Take(record(true), noon.Add(time.Minute))
	require.False(t, v.UnderWay("shop", noon.Add(time.Minute), time.Minute), "it was broken off")
	v.Drop("shop")
	require.Empty(t, v.Kinds())
}
