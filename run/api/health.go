package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
	"kumiki.dev/run/telemetry"
)

// healthy answers whether this server has to be started anew.
func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) {
	if err := s.Store.Alive(); err != nil {
		http.Error(w, "store: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// ready answers with a line for each thing that this server needs, and with 503 if one of them
// fails. ?exclude=quota ignores a full store, from which can still be read.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	excluded := r.URL.Query()["exclude"]
	is, err := s.Store.State(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = store.ErrUnavailable
	}
	type check struct {
		name string
		err  error
	}
	checks := []check{{"store", err}}
	if err == nil {
		checks = append(checks, check{"quota", nil})
	}
	if is.Full {
		checks[1].err = store.ErrFull
	}
	var text strings.Builder
	status := http.StatusOK
	for _, c := range checks {
		switch {
		case c.err == nil:
			fmt.Fprintf(&text, "%s: ok\n", c.name)
			continue
		case slices.Contains(excluded, c.name):
			fmt.Fprintf(&text, "%s (excluded): %v\n", c.name, c.err)
			continue
		}
		fmt.Fprintf(&text, "%s: %v\n", c.name, c.err)
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text.String()))
}

// Stored is what metrics tell of the store.
func (s *Server) Stored(ctx context.Context) (telemetry.Stored, error) {
	is, err := s.Store.State(ctx)
	if err != nil {
		return telemetry.Stored{}, err
	}
	pending, _, _, err := s.Store.List(ctx, record.Pending, store.Page{Keys: true})
	return telemetry.Stored{Size: is.Size, Quota: is.Quota, Revision: is.Revision, Full: is.Full, Pending: len(pending)}, err
}

// getMetrics answers as Prometheus reads it.
func (s *Server) getMetrics(context.Context, *struct{}) (*huma.StreamResponse, error) {
	if s.Metrics == nil {
		return nil, answer(errors.New("this server counts nothing"))
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		s.Metrics.Handler().ServeHTTP(w, r)
	}}, nil
}
