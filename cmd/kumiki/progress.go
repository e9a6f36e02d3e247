package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"kumiki.dev/spread"
)

const (
	// patient is how long a command may take before anybody wonders, glance how often it
	// is said again what it does.
	patient = time.Second
	glance  = 150 * time.Millisecond
	// widest is what is written of a line, so that no terminal breaks it.
	widest = 78
	// erase takes the line away that the cursor is in.
	erase = "\r\x1b[K"
)

// progress is the line at the end of a terminal that says what a command does. It is
// there only while nothing else is written.
type progress struct {
	evaluated *spread.Progress
	asked     atomic.Pointer[string] // of a registry, nil for nothing
	told      atomic.Pointer[string] // by the command, nil for nothing
	shown     bool                   // under the console's lock
	asks      bool                   // a person: nothing takes the question away; under the console's lock
	stop      chan struct{}
}

// begin shows what a command does from the time on when it takes long, if somebody sits
// at a terminal and wants to be told.
func (p *progress) begin(c *console, cmd *cobra.Command, evaluated *spread.Progress) {
	if c.quiet || !c.isTerminal() || hasOwnLimit(cmd) || isDocument(cmd) || cmd.Name() == "watch" || strings.HasPrefix(cmd.Name(), "__") {
		return
	}
	stop := make(chan struct{})
	p.evaluated, p.stop = evaluated, stop
	// Registries are asked deep in CUE's libraries, all of which send by this.
	http.DefaultTransport = telling{http.DefaultTransport, p}
	go func() {
		wait := time.NewTimer(patient)
		defer wait.Stop()
		for {
			select {
			case <-stop:
				return
			case <-wait.C:
				c.glance(p.line())
				wait.Reset(glance)
			}
		}
	}()
}

// tell says what goes on, where a command knows better than what it evaluates.
func (p *progress) tell(text string) { p.told.Store(&text) }

// isDocument reports whether somebody asks for an output that is for programs.
func isDocument(cmd *cobra.Command) bool {
	form := cmd.Flags().Lookup("output")
	return form != nil && form.Changed && (form.Value.String() == "json" || documents[form.Value.String()] != nil)
}

// line is what goes on at the moment.
func (p *progress) line() string {
	text := "working"
	if at, _ := p.evaluated.At(); at != "" {
		text = "evaluating " + at
	} else if doing := p.evaluated.Stage(); doing != "" {
		text = doing
	}
	if n := p.evaluated.Count(); n > 1 {
		text += fmt.Sprintf(", %d evaluated", n)
	}
	if told := p.told.Load(); told != nil {
		text = *told
	}
	if asked := p.asked.Load(); asked != nil {
		text = *asked
	}
	if share := p.evaluated.Share(); share != "" {
		text = share + ", " + text
	}
	return strings.TrimSuffix(text, ", working")
}

// glance writes what goes on over what went on before.
func (c *console) glance(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.progress.stop == nil || c.progress.asks {
		return
	}
	runes := []rune(c.safe(c.secrets.hide(text)))
	if len(runes) > widest {
		runes = append(runes[:widest-1], '…')
	}
	c.progress.shown = true
	_, _ = fmt.Fprint(c.Writer, erase, string(runes))
}

// wipe takes away what says what goes on; the caller has the lock.
func (c *console) wipe() {
	if c.progress.shown {
		c.progress.shown = false
		_, _ = fmt.Fprint(c.Writer, erase)
	}
}

// ask writes a question, which stays until what is returned is called.
func (s streams) ask(format string, args ...any) (answered func()) {
	c, ok := s.err.(*console)
	set := func(asks bool) {
		if ok {
			c.mu.Lock()
			c.progress.asks = asks
			c.mu.Unlock()
		}
	}
	set(true)
	fmt.Fprintf(s.err, format, args...)
	return func() { set(false) }
}

// quietly takes away what says what goes on, for good.
func (c *console) quietly() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.progress.stop != nil {
		close(c.progress.stop)
		c.progress.stop = nil
	}
	c.wipe()
}

// isTerminal reports whether standard error is a terminal that can go back in a line.
func (c *console) isTerminal() bool {
	f, ok := c.Writer.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	return term.IsTerminal(int(f.Fd()))
}

// telling sends requests, and tells which one it waits for.
type telling struct {
	next http.RoundTripper
	to   *progress
}

// RoundTrip implements [http.RoundTripper].
func (t telling) RoundTrip(r *http.Request) (*http.Response, error) {
	text := "asking " + r.URL.Host
	if _, path, ok := strings.Cut(r.URL.Path, "/v2/"); ok && path != "" {
		for _, kind := range []string{"/manifests/", "/blobs/", "/tags/"} {
			path, _, _ = strings.Cut(path, kind)
		}
		text = "fetching " + path + " from " + r.URL.Host
	}
	t.to.asked.Store(&text)
	defer t.to.asked.CompareAndSwap(&text, nil)
	return t.next.RoundTrip(r)
}

// clearing writes to standard output, and takes away what says what goes on first: both
// may be the same terminal.
type clearing struct {
	f *os.File // not embedded: its other methods would not take it away
	c *console
}

// Write writes.
func (w clearing) Write(data []byte) (int, error) {
	w.c.mu.Lock()
	w.c.wipe()
	w.c.mu.Unlock()
	return w.f.Write(data)
}
