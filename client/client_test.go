package client_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/client"
	"kumiki.dev/diag"
	_ "kumiki.dev/internal/apart"
)

const token = "kumiki_geheim"

// serve starts a server that speaks a protocol, "" for none, and returns a client of it.
func serve(t *testing.T, protocol string, answer http.HandlerFunc) *client.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if protocol != "" {
			w.Header().Set("Kumiki-Protocol", protocol)
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	c, err := client.New(client.Server{URL: s.URL, Token: token, Agent: "test"})
	require.NoError(t, err)
	return c
}

func says(status int, header, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		name, value, _ := strings.Cut(header, ": ")
		w.Header().Set(name, value)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

const (
	problem = "Content-Type: application/problem+json"
	plain   = "Content-Type: application/json"
)

// TestAnswers: what answers, and how, is told from each other.
func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		protocol string
		answer   http.HandlerFunc
		says     string // "" for no error
	}{
		{"0", says(200, plain, `{"items": []}`), ""},
		{"1", says(200, plain, `{"items": []}`), ""},
		{"2", says(200, plain, `{"items": []}`), ""},
		{"3", says(400, problem, `{"detail": "no"}`), " speaks protocol 3, and this kumiki 1, with managers of one less and one more: take a newer kumiki, or this one's kumikid"},
		{"-1", says(200, plain, `{"items": []}`), " speaks protocol -1, and this kumiki 1, with managers of one less and one more: take a newer kumikid, or that one's kumiki"},
		{"", says(200, "Content-Type: text/html", `<html>`), ": what answers there (200 OK) is no manager: it does not say which protocol it speaks"},
		{"", says(502, "Content-Type: text/html", `<html>`), ": what stands before the manager answers 502 Bad Gateway"},
		{"", says(302, "Location: https://me:geheim@elsewhere.example/", ""), ": it sends on to …@elsewhere.example/, where the token does not go: name that server, if it is the manager"},
		{"1", says(307, "Location: /other", ""), ": it answers 307 Temporary Redirect"},
		{"1", says(403, problem, `{"status": 403, "code": "manager/forbidden", "detail": "eve is a viewer"}`), ": eve is a viewer [manager/forbidden]"},
		{"1", says(500, plain, `{`), ": it answers 500 Internal Server Error"},
		{"1", says(200, plain, `{"items": 3}`), ": GET /v1/deployments is answered with what is not understood: json: cannot unmarshal"},
	}
	for _, test := range tests {
		c := serve(t, test.protocol, test.answer)
		err := c.Check(t.Context())
		if test.says == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.URL()+test.says)
		require.NotContains(t, err.Error(), "geheim")
	}
}

// TestUnanswered: who does not answer, or not in time, is no error of the request.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") // and accepts nothing
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	c, err := client.New(client.Server{URL: "http://" + l.Addr().String(), Token: token})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, c.Check(ctx), context.DeadlineExceeded)
	c, err = client.New(client.Server{URL: "http://127.0.0.1:1", Token: token})
	require.NoError(t, err)
	var lost *client.Unreachable
	require.ErrorAs(t, c.Check(t.Context()), &lost)
	require.ErrorContains(t, lost, "http://127.0.0.1:1 does not answer: dial tcp")
}

// TestServers: what may be named, and where a token goes.
func TestServers(t *testing.T) {
	t.Parallel()
	for text, normal := range map[string]string{
		"https://Kumiki.Example.com:7676/": "https://kumiki.example.com:7676", "http://[::1]:7676": "http://[::1]:7676", "http://localhost:1": "http://localhost:1",
		"unix:///run/k.sock": "unix:/run/k.sock", "unix:/run/k.sock": "unix:/run/k.sock",
	} {
		got, err := client.Normal(text)
		require.NoError(t, err)
		require.Equal(t, normal, got)
		_, err = client.New(client.Server{URL: text, Token: token})
		require.NoError(t, err)
	}
	for text, wrong := range map[string]string{
		"kumiki.example.com:7676": "is no manager", "ftp://host": "is no manager", "": "is no manager", "https://u:geheim@host": "no user or password", "u:geheim@host": "is no manager",
		"https://host/v1": "leave /v1 out", "https://host?x=1": "a manager is a host", "unix:k.sock": "the whole path", "https://ho st": "is no manager",
	} {
		_, err := client.New(client.Server{URL: text})
		require.ErrorContains(t, err, wrong)
		require.NotContains(t, err.Error(), "geheim")
	}
	for _, text := range []string{"http://192.0.2.1", "http://kumiki.example.com", "http://localhost.example.com"} {
		_, err := client.New(client.Server{URL: text, Token: token})
		require.ErrorContains(t, err, "in the clear")
	}
	_, err := client.New(client.Server{URL: "https://host", CA: []byte("none")})
	require.ErrorContains(t, err, "there is no certificate")
}

// TestEncrypted: the server's certificate is that of an authority that was named, or there is
// no answer.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Kumiki-Protocol", "1")
		if r.Header.Get("Authorization") != "Bearer "+token || r.Header.Get("Kumiki-Protocol") != "1" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, `{"items": []}`)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	c, err := client.New(client.Server{URL: s.URL, Token: token})
	require.NoError(t, err)
	require.ErrorContains(t, c.Check(t.Context()), "certificate")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	c, err = client.New(client.Server{URL: s.URL, Token: token, CA: ca})
	require.NoError(t, err)
	require.NoError(t, c.Check(t.Context()))
}

// TestSocket talks over a Unix socket.
func TestSocket(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "k.sock")
	l, err := net.Listen("unix", file)
	require.NoError(t, err)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Kumiki-Protocol", "1")
		_, _ = io.WriteString(w, `{"items": []}`)
	})}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	c, err := client.New(client.Server{URL: "unix:" + file})
	require.NoError(t, err)
	require.NoError(t, c.Check(t.Context()))
}

// TestProblems: the problems of an answer are the compiler's own, with their places.
func TestProblems(t *testing.T) {
	t.Parallel()
	c := serve(t, "1", says(422, problem, `{"code": "manager/compile", "detail": "it does not compile", "problems": [
		{"code": "spread/undeclared-field", "severity": "error", "message": "no", "file": "deploy/d.cue", "line": 3, "column": 7, "related": [{"message": "declared here", "file": "s.cue", "line": 1, "column": 2}, {"message": "nowhere"}]},
		{"code": "lost/bandwidth", "severity": "warning", "message": "lost"}]}`))
	_, err := c.Put(t.Context(), "shop", client.Absent, client.Wanted{}, client.Write{})
	var e *client.Error
	require.ErrorAs(t, err, &e)
	list := e.Diagnostics()
	require.Equal(t, "deploy/d.cue:3:7", list[0].Pos.String())
	require.Equal(t, diag.Code("spread/undeclared-field"), list[0].Code)
	require.Len(t, list[0].Related, 1)
	require.Equal(t, "s.cue:1:2", list[0].Related[0].Pos.String())
	require.Equal(t, diag.Warning, list[1].Severity)
	require.False(t, list[1].Pos.IsValid())
	require.Equal(t, diag.Code("manager/full"), (&client.Error{Code: "manager/full", Detail: "full"}).Diagnostics()[0].Code)
}

// TestOnce: a change whose answer is lost is sent again, as the same change; what the manager has
// refused is not.
func TestOnce(t *testing.T) {
	t.Parallel()
	var keys []string
	c := serve(t, "1", func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, `"17"`, r.Header.Get("If-Match"))
		require.Equal(t, "90", r.URL.Query().Get("timeoutSeconds"))
		if keys = append(keys, r.Header.Get("Idempotency-Key")); len(keys) < 3 {
			panic(http.ErrAbortHandler) // the connection is ended
		}
		w.Header().Set("ETag", `"18"`)
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"operation": {"id": "a"}}`)
	})
	a, err := c.Patch(t.Context(), "shop", 17, client.Change{}, client.Write{Timeout: 90 * time.Second})
	require.NoError(t, err)
	require.Equal(t, int64(18), a.Revision)
	require.Equal(t, "a", a.Operation.ID)
	require.Len(t, keys, 3)
	require.NotEmpty(t, keys[0])
	require.Equal(t, keys[0], keys[2])

	var asked atomic.Int32
	c = serve(t, "1", func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		require.Equal(t, "*", r.Header.Get("If-Match"))
		says(412, problem, `{"code": "manager/changed", "detail": "changed"}`)(w, r)
	})
	_, err = c.Rollback(t.Context(), "shop", client.Any, 3, client.Allow{}, client.Write{})
	require.ErrorContains(t, err, "manager/changed")
	require.Equal(t, int32(1), asked.Load())
}

// TestPages reads all pages of a list, anew where its revision is forgotten meanwhile, and never
// without an end.
func TestPages(t *testing.T) {
	t.Parallel()
	forgotten := false
	c := serve(t, "1", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("continue") {
		case "":
			_, _ = io.WriteString(w, `{"items": [{"name": "a"}], "revision": 5, "continue": "b"}`)
		case "b":
			if !forgotten {
				forgotten = true
				says(410, problem, `{"code": "manager/compacted", "detail": "list again"}`)(w, r)
				return
			}
			_, _ = io.WriteString(w, `{"items": [{"name": "b"}], "revision": 5}`)
		}
	})
	all, revision, err := c.Deployments(t.Context(), "", "stage in (prod)")
	require.NoError(t, err)
	require.Equal(t, int64(5), revision)
	require.Len(t, all, 2)
	c = serve(t, "1", says(200, plain, `{"items": [], "continue": "x"}`))
	_, _, err = c.Deployments(t.Context(), "", "")
	require.ErrorContains(t, err, "do not end")
}

// TestFollow goes along with an operation over connections that are lost, a watch that has missed
// changes, and a manager that is not there for a while.
func TestFollow(t *testing.T) {
	t.Parallel()
	var gets, watches int
	c := serve(t, "1", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/watch/") {
			gets++
			w.Header().Set("ETag", strconv.Quote(strconv.Itoa(10*gets)))
			if gets == 2 {
				says(503, problem, `{"code": "manager/unavailable", "detail": "later"}`)(w, r)
				return
			}
			_, _ = fmt.Fprintf(w, `{"id": "a", "steps": [{"object": "x"}]}`)
			return
		}
		watches++
		require.Equal(t, strconv.Itoa(10*gets), r.URL.Query().Get("from"))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 10\nevent: begin\ndata: {}\n\n:\n\n")
		switch watches {
		case 1: // lost in the middle of an event
			_, _ = io.WriteString(w, "id: 11\nevent: put\ndata: {\"key\":\"a\",\"rev")
		case 2:
			_, _ = io.WriteString(w, "event: error\ndata: {\"status\": 410, \"code\": \"manager/compacted\", \"detail\": \"list\"}\n\n")
		default:
			_, _ = io.WriteString(w, "id: 41\nevent: put\ndata: {\"key\":\"b\",\"revision\":41,\"value\":{\"done\":true}}\n\n")
			_, _ = io.WriteString(w, "id: 42\nevent: put\ndata: {\"key\":\"a\",\"revision\":42,\"value\":{\"id\":\"a\",\"done\":true,\"steps\":[{\"object\":\"x\"},{\"object\":\"y\"}]}}\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	})
	var steps, lost int
	o, err := c.Follow(t.Context(), "a", func(o client.Operation) { steps = len(o.Steps) }, func(error) { lost++ })
	require.NoError(t, err)
	require.True(t, o.Done)
	require.Equal(t, 2, steps)
	require.Equal(t, 2, lost)
	require.Equal(t, 3, watches)
}

// TestFollowWithoutWatches asks for the end where what stands before the manager has no watches.
func TestFollowWithoutWatches(t *testing.T) {
	t.Parallel()
	c := serve(t, "1", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/v1/watch/"):
			says(404, problem, `{"code": "manager/not-found", "detail": "no"}`)(w, r)
		case r.URL.Query().Get("waitSeconds") == "20":
			_, _ = io.WriteString(w, `{"id": "a", "done": true}`)
		default:
			_, _ = io.WriteString(w, `{"id": "a"}`)
		}
	})
	o, err := c.Follow(t.Context(), "a", func(client.Operation) {}, nil)
	require.NoError(t, err)
	require.True(t, o.Done)

	c = serve(t, "1", says(404, problem, `{"code": "manager/not-found", "detail": "there is no operation"}`))
	_, err = c.Follow(t.Context(), "a", func(client.Operation) {}, nil)
	require.ErrorContains(t, err, "there is no operation")
}

// TestWatch gets each change once, over connections that are lost.
func TestWatch(t *testing.T) {
	t.Parallel()
	c := serve(t, "1", func(w http.ResponseWriter, r *http.Request) {
		from, err := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
		require.NoError(t, err)
		_, _ = fmt.Fprintf(w, "id: %d\nevent: begin\ndata: {}\n\n", from)
		_, _ = fmt.Fprintf(w, "id: %d\nevent: put\ndata: {\"key\":\"k\",\"revision\":%d,\"value\":{}}\n\n", from+1, from+1)
		_, _ = fmt.Fprintf(w, "id: %d\nevent: delete\ndata: {\"key\":\"k\",\"revision\":%d}\n\n", from+2, from+2)
	})
	var seen []int64
	enough := errors.New("enough")
	err := c.Watch(t.Context(), "deployments", 5, "a=b", func(e client.Event) error {
		if seen = append(seen, e.Revision); len(seen) == 6 {
			return enough
		}
		return nil
	}, nil)
	require.ErrorIs(t, err, enough)
	require.Equal(t, []int64{6, 7, 8, 9, 10, 11}, seen)
}

// TestPatience: a manager that says when to come again is asked again then, whatever is asked, and
// one that says after long is not waited for.
func TestPatience(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	after := "1"
	c := serve(t, "1", func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", after)
			says(429, problem, `{"code": "manager/too-many", "detail": "too often"}`)(w, r)
			return
		}
		says(200, plain, `{"digest": "sha256:1"}`)(w, r)
	})
	began := time.Now()
	digest, err := c.Upload(t.Context(), []byte("x"))
	require.NoError(t, err)
	require.Equal(t, "sha256:1", digest)
	require.GreaterOrEqual(t, time.Since(began), time.Second)

	asked.Store(0)
	after = "3600"
	_, err = c.Upload(t.Context(), []byte("x"))
	var e *client.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, time.Hour, e.RetryAfter)
	require.EqualValues(t, 1, asked.Load())
}
