package compiler

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"kumiki.dev/load"
	"kumiki.dev/solution"
	"kumiki.dev/spread"
)

// Modules lists the modules that a program was loaded from, each with a digest
// over those of its packages that took part. It is the same on every machine.
// The modules that come with kumiki have no digest: a comment that is reworded
// in one of them makes no other solution.
func Modules(p *load.Program) []solution.Input {
	var out []solution.Input
	for _, m := range p.Modules {
		if load.EmbeddedModule(m.Path) {
			out = append(out, solution.Input{Module: m.Path, Version: m.Version})
			continue
		}
		h := sha256.New()
		for _, pkg := range p.Packages { // sorted by path
			if pkg.Module == m {
				fmt.Fprintf(h, "%s %s\n", pkg.Path, pkg.Digest)
			}
		}
		out = append(out, solution.Input{Module: m.Path, Version: m.Version, Digest: sum(h.Sum(nil))})
	}
	return out
}

// valuesDigest is the digest of what the command line and the environment gave; "" for nothing.
func valuesDigest(o spread.Overlay) string {
	if o.Values == nil && len(o.Sets) == 0 && o.Environment == nil && o.Template == nil {
		return ""
	}
	h := sha256.New()
	if o.Environment != nil {
		h.Write(append(o.Environment.AppendJSON(nil), '\n'))
	}
	if o.Template != nil {
		h.Write(append(o.Template.AppendJSON(nil), '\n'))
	}
	h.Write(o.Values.AppendJSON(nil))
	for _, s := range o.Sets {
		said := []any{s.Path, s.Text}
		if s.Replaces {
			said = append(said, "replaces")
		}
		text, err := json.Marshal(said)
		if err != nil {
			panic(err) // strings always encode
		}
		_, _ = io.WriteString(h, "\n"+string(text))
	}
	return sum(h.Sum(nil))
}

func sum(b []byte) string { return fmt.Sprintf("sha256:%x", b) }
