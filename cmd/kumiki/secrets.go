package main

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/secretlike"
	"kumiki.dev/load"
	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/value"
)

// secrets are the values of a run that look like secrets. They are hidden in all that is
// printed, but for what is written to streams.raw.
type secrets struct {
	known secretlike.Set
	show  bool // --show-values
}

func (k *secrets) register(root *cobra.Command) {
	root.PersistentFlags().BoolVar(&k.show, "show-values", false, "show values that look like secrets, and are (hidden) otherwise")
}

// begin learns from the command line, and makes every compilation of the command tell
// of the texts in its sources.
func (k *secrets) begin(cmd *cobra.Command, args []string) {
	if k.show {
		return
	}
	for _, arg := range args {
		k.set(arg)
	}
	cmd.SetContext(compiler.WithTexts(cmd.Context(), k.texts()))
}

// texts is who is told of the texts in sources; nil for nobody.
func (k *secrets) texts() load.Texts {
	if k.show {
		return nil
	}
	return k.known.Tell
}

// set learns from PATH=VALUE.
func (k *secrets) set(text string) {
	if path, value, ok := strings.Cut(text, "="); ok && !k.show {
		k.known.Tell(secretlike.Dotted(path), value)
	}
}

// solution learns from a solution that was not compiled here, and returns it.
func (k *secrets) solution(s *solution.Solution) *solution.Solution {
	if s != nil {
		if data, err := s.Bytes(); err == nil {
			k.texts().JSON(data)
		}
	}
	return s
}

// hide puts (hidden) in place of secrets in a text.
func (k *secrets) hide(text string) string {
	if k == nil || k.show {
		return text
	}
	return k.known.Hide(text)
}

// hideMessage is [secrets.hide] for the message of a problem.
func (k *secrets) hideMessage(text string) string {
	if k == nil || k.show {
		return text
	}
	return k.known.HideQuoted(text)
}

// hideAt is [secrets.hide] for a text that is given at a path of fields.
func (k *secrets) hideAt(path []string, text string) string {
	if k == nil || k.show {
		return text
	}
	return k.known.HideAt(path, text)
}

// hideIn hides secrets in data that is at a path.
func (k *secrets) hideIn(path []string, d *value.Data) *value.Data { return d.Texts(path, k.hideAt) }

// hidePlan hides secrets in a plan, and returns it.
func (k *secrets) hidePlan(p *plan.Plan) *plan.Plan {
	p.Hide(func(path, text string) string { return k.hideAt(secretlike.Dotted(path), text) })
	return p
}

// page is standard output without secrets. It is written line by line, since a secret
// may come in several parts.
type page struct {
	w    io.Writer
	k    *secrets
	mu   sync.Mutex
	rest []byte // of a line that has not ended

	place outputFlags   // of --out
	kept  *bytes.Buffer // what goes there; nil for standard output
}

// Write takes a part of the output.
func (p *page) Write(data []byte) (int, error) {
	if p.k.show {
		return p.w.Write(data)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest = append(p.rest, data...)
	end := bytes.LastIndexByte(p.rest, '\n') + 1
	whole := string(p.rest[:end])
	p.rest = append(p.rest[:0], p.rest[end:]...)
	if _, err := io.WriteString(p.w, p.k.hide(whole)); err != nil {
		return 0, err
	}
	return len(data), nil
}

// flush writes what has no end of line.
func (p *page) flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := string(p.rest)
	p.rest = nil
	if rest == "" {
		return nil
	}
	_, err := io.WriteString(p.w, p.k.hide(rest))
	return err
}
