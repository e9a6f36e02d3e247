package modsource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"cuelang.org/go/mod/modzip"
)

const (
	// patience is how long a registry may be silent.
	patience = time.Minute
	// maxAnswer bounds what a registry says, maxArchive what it keeps: as much as
	// CUE takes for the archive of a module.
	maxAnswer  = 16 << 20
	maxArchive = modzip.MaxZipFile
)

// ErrSilent says that a registry neither answered nor took anything for long.
var ErrSilent = errors.New("the registry is silent")

// Transport sends requests to registries. They end when nothing goes forward,
// however long they take while something does, and when there is more to read
// than a registry has reason to say.
func Transport() http.RoundTripper { return patient{http.DefaultTransport, patience} }

type patient struct {
	next    http.RoundTripper
	silence time.Duration
}

// RoundTrip implements [http.RoundTripper].
func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	watch := &watch{p.silence, time.AfterFunc(p.silence, func() { cancel(fmt.Errorf("%w for %s", ErrSilent, p.silence)) }), ctx}
	r = r.Clone(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &watched{ReadCloser: r.Body, watch: watch, left: -1}
	}
	resp, err := p.next.RoundTrip(r)
	if err != nil {
		watch.timer.Stop()
		err = watch.reason(err)
		cancel(nil)
		return nil, err
	}
	watch.goesOn()
	resp.Body = &watched{ReadCloser: resp.Body, watch: watch, left: limit(r), end: func() {
		watch.timer.Stop()
		cancel(nil)
	}}
	return resp, nil
}

// limit is how many bytes the answer to a request may have.
func limit(r *http.Request) int64 {
	if strings.Contains(r.URL.Path, "/blobs/") {
		return maxArchive
	}
	return maxAnswer
}

// watch ends a request in which nothing goes forward.
type watch struct {
	silence time.Duration
	timer   *time.Timer
	ctx     context.Context
}

func (w *watch) goesOn() {
	if w.timer.Stop() { // else it is over
		w.timer.Reset(w.silence)
	}
}

// reason is why something failed: that it was ended here comes first.
func (w *watch) reason(err error) error {
	if cause := context.Cause(w.ctx); errors.Is(cause, ErrSilent) {
		return cause
	}
	return err
}

// watched is a body that is watched.
type watched struct {
	io.ReadCloser
	watch *watch
	left  int64 // how much may be read, -1 for any number of bytes
	end   func()
}

// Read implements [io.Reader].
func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.watch.goesOn()
	if err != nil && err != io.EOF {
		err = b.watch.reason(err)
	}
	if b.left >= 0 {
		if b.left -= int64(n); b.left < 0 {
			return 0, errors.New("the registry sends more than there is reason to")
		}
	}
	return n, err
}

// Close implements [io.Closer].
func (b *watched) Close() error {
	if b.end != nil {
		b.end()
	}
	return b.ReadCloser.Close()
}
