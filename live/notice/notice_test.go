package notice_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	_ "kumiki.dev/internal/apart"
	"kumiki.dev/live"
	"kumiki.dev/live/notice"
)

var limits = notice.Limits{After: 30 * time.Second, Restarts: 3, Within: 10 * time.Minute}

// role returns web with an instance that was restarted so often.
func role(restarts int, change func(*live.Status)) []live.Status {
	r := live.Status{Place: "shop/web", Object: "Deployment/shop-web", Health: "healthy", Ready: 1, Wanted: 1,
		Instances: []live.Instance{{Name: "web-1", Address: "10.0.0.1", Phase: "Running", Restarts: restarts}}}
	if change != nil {
		change(&r)
	}
	return []live.Status{r}
}

// TestObserve goes through the hours of an instance: what is told each time.
func TestObserve(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	gone := func(r *live.Status) { r.Instances = nil }
	bare := func(r *live.Status) { r.Instances[0].Address = "" }
	failed := func(at string) func(*live.Status) {
		return func(r *live.Status) {
			r.Instances[0].Exits = []live.Exit{{Container: "web", Code: 3, Reason: "Error", At: at}}
		}
	}
	steps := []struct {
		name   string
		at     time.Duration
		roles  []live.Status
		wanted []string
	}{
		{"all is well", 0, role(0, nil), nil},
		{"it ends", time.Second, role(1, failed("1")), []string{"exited: container web of web-1 has ended with exit code 3: Error"}},
		{"that is told once", 2 * time.Second, role(1, failed("1")), nil},
		{"it ends again", 3 * time.Second, role(2, failed("2")), []string{"exited: container web of web-1 has ended with exit code 3: Error"}},
		{"and that was too often", 4 * time.Second, role(3, nil), []string{"restarted-often: web-1 was restarted 3 times within 10m0s"}},
		{"which begins anew", 5 * time.Second, role(5, nil), nil},
		{"and is too long ago", 11 * time.Minute, role(7, nil), nil},
		{"it has no address", 12 * time.Minute, role(7, bare), nil},
		{"for long", 12*time.Minute + 31*time.Second, role(7, bare), []string{"no-address: web-1 runs and has no address"}},
		{"it is gone", 13 * time.Minute, role(0, gone), nil},
		{"for long", 14 * time.Minute, role(0, gone), []string{"missing: 0 of 1 instances are there"}},
		{"still", 15 * time.Minute, role(0, gone), nil},
		{"it is back", 16 * time.Minute, role(0, nil), nil},
		{"it is gone again", 17 * time.Minute, role(0, gone), nil},
		{"for long", 18 * time.Minute, role(0, gone), []string{"missing: 0 of 1 instances are there"}},
		{"but that is meant", 19 * time.Minute, role(0, func(r *live.Status) { r.Instances, r.Stopped = nil, true }), nil},
	}
	state := &notice.State{}
	ids := map[string]bool{}
	for _, step := range steps {
		// What is known is what was written down.
		text, err := json.Marshal(state)
		require.NoError(t, err)
		state = &notice.State{}
		require.NoError(t, json.Unmarshal(text, state))
		state.Observe(start.Add(step.at), "shop", step.roles, limits)
		var got []string
		for _, n := range state.Pending {
			got = append(got, string(n.Kind)+": "+n.Text)
			require.False(t, ids[n.ID], "%s: two notices have one ID", step.name)
			ids[n.ID] = true
		}
		state.Pending = nil
		if diff := cmp.Diff(step.wanted, got); diff != "" {
			t.Errorf("%s at %s:\n%s", step.name, step.at, diff)
		}
	}
	require.Empty(t, state.Since)
	require.Empty(t, state.Told)
}

// TestDeliver: what is refused stays pending, in its order, and goes out signed when the
// receiver is well again.
func TestDeliver(t *testing.T) {
	t.Parallel()
	key := []byte("key")
	ill := true
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if ill {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.Header.Get(notice.HeaderSignature) == notice.Sign(key, r.Header.Get(notice.HeaderTime), body) {
			got = append(got, r.Header.Get(notice.HeaderID))
		}
	}))
	defer server.Close()
	var saved []int
	s := &notice.Sender{URL: server.URL, Key: key, Client: server.Client(), Save: func(s *notice.State) error { saved = append(saved, len(s.Pending)); return nil }}
	state := &notice.State{Pending: []notice.Notice{{ID: "a"}, {ID: "b"}}}
	require.ErrorContains(t, s.Deliver(t.Context(), state), "503")
	require.Len(t, state.Pending, 2)
	require.Empty(t, saved)
	ill = false
	require.NoError(t, s.Deliver(t.Context(), state))
	require.Equal(t, []string{"a", "b"}, got)
	require.Equal(t, []int{1, 0}, saved, "each one that was received is written down before the next is sent")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	state.Pending = []notice.Notice{{ID: "c"}}
	require.ErrorIs(t, s.Deliver(ended, state), context.Canceled)
	require.Len(t, state.Pending, 1)
}
