package swarm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

// goes starts a command that goes on, and returns a function that waits for a text in what it
// prints from there on.
func (a *applied) goes(args ...string) (says func(text string)) {
	a.t.Helper()
	out := &lines{}
	cmd := a.command(args...)
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(a.t, cmd.Start())
	a.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	from := 0
	return func(text string) {
		a.t.Helper()
		require.Eventually(a.t, func() bool {
			at := strings.Index(out.String()[from:], text)
			if at >= 0 {
				from += at + len(text)
			}
			return at >= 0
		}, time.Minute, 20*time.Millisecond, "%q in:\n%s", text, out)
	}
}

// told: what becomes of roles is told by status --watch, by logs --follow and by notify while
// it happens.
func (a *applied) told() {
	a.run(a.small()...)
	var mu sync.Mutex
	var notices []map[string]any
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		notice := map[string]any{}
		mu.Lock()
		defer mu.Unlock()
		if err == nil && json.Unmarshal(text, &notice) == nil {
			notices = append(notices, notice)
		}
	}))
	a.t.Cleanup(receiver.Close)
	has := func(reason string) {
		a.t.Helper()
		require.Eventually(a.t, func() bool {
			mu.Lock()
			defer mu.Unlock()
			for _, n := range notices {
				text, _ := json.Marshal(n)
				if strings.Contains(string(text), `"`+reason+`"`) && strings.Contains(string(text), `"small/web"`) {
					return true
				}
			}
			return false
		}, time.Minute, 50*time.Millisecond, "%s in %v", reason, notices)
	}
	status, logs := a.goes("status", "small", "--watch"), a.goes("logs", "small", "--follow")
	a.goes("notify", "small", "--to", receiver.URL, "--state", filepath.Join(a.t.TempDir(), "state"), "--after", "1s", "--every", "200ms", "--restarts", "2")
	status("small/web  1/1    healthy")
	logs("small_small-web.1 small_small-web: serving")
	for range 3 {
		was := a.task("small_small-web")
		a.docker("kill", was)
		require.Eventually(a.t, func() bool { return a.task("small_small-web") != was }, time.Minute, 100*time.Millisecond)
	}
	status("small/web  0/1")
	status("small/web  1/1  healthy")
	has("exited")
	has("restarted-often")
	a.run("delete", "small", "--yes")
}

// goesBack: with --rollback-on-failure a version that never starts is taken back to the one
// before, which runs again.
func (a *applied) goesBack() {
	a.run(a.small()...)
	made := a.specs("small")
	out := a.fails(6, append(a.small(second, "config.parameter.image=none:1"), "--rollback-on-failure", "--timeout", "60s")...)
	require.Contains(a.t, out, "its image none:1 cannot be had there")
	require.Contains(a.t, out, "small goes back to what ran before")
	require.Equal(a.t, made, a.specs("small"))
	require.Equal(a.t, "small: no drift\n", a.run("drift", "small"))
	require.Contains(a.t, a.run("status", "small"), "small/web  1/1    healthy")
	a.run("delete", "small", "--yes")
	require.Empty(a.t, a.ours("small"))
}
