package modsource

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "kumiki.dev/internal/apart"
)

// What goes forward does so in steps that are far shorter than the silence that
// is borne, and in all takes longer: also on a machine that is busy.
const (
	silence = 2 * time.Second
	step    = 150 * time.Millisecond
	steps   = 16
)

// TestTransport ends what does not go forward, and nothing that does.
func TestTransport(t *testing.T) {
	t.Parallel()
	flush := func(w http.ResponseWriter, text string) {
		_, _ = io.WriteString(w, text)
		w.(http.Flusher).Flush()
	}
	tests := map[string]struct {
		path   string
		body   io.Reader
		answer http.HandlerFunc
		want   string // part of the error, "" for none
	}{
		"no answer": {answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, want: "the registry is silent for 2s"},
		"no end": {answer: func(w http.ResponseWriter, r *http.Request) {
			flush(w, "begin")
			<-r.Context().Done()
		}, want: "the registry is silent for 2s"},
		"slow, but steady": {answer: func(w http.ResponseWriter, _ *http.Request) {
			for range steps {
				flush(w, "x")
				time.Sleep(step)
			}
		}},
		"slow to take": {body: &steady{steps}, answer: func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }},
		"much":         {path: "/v2/x/blobs/y", answer: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, maxAnswer+1)) }},
		"too much":     {path: "/v2/x/manifests/y", answer: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, maxAnswer+1)) }, want: "the registry sends more than there is reason to"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(test.answer)
			defer server.Close()
			r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL+test.path, test.body)
			require.NoError(t, err)
			resp, err := patient{&http.Transport{}, silence}.RoundTrip(r)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				require.NoError(t, resp.Body.Close())
			}
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

// steady is a body that takes its time.
type steady struct{ left int }

func (s *steady) Read(p []byte) (int, error) {
	if s.left--; s.left < 0 {
		return 0, io.EOF
	}
	time.Sleep(step)
	return copy(p, "x"), nil
}

// TestCanceled is canceled by who asks, with that as the reason.
func TestCanceled(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, bytes.NewReader([]byte(strings.Repeat("x", 10))))
	require.NoError(t, err)
	resp, err := patient{&http.Transport{}, time.Minute}.RoundTrip(r)
	if err == nil {
		resp.Body.Close()
	}
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
