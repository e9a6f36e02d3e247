package solution

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"reflect"
	"slices"

	"kumiki.dev/internal/jsonfields"
	"kumiki.dev/value"
)

// Encoded is a solution in its canonical form, with the digest of what it holds.
type Encoded struct {
	// Digest is "sha256:…" over all but itself.
	Digest string

	// parts are the bytes in pieces: equal services share theirs.
	parts [][]byte
	spans map[string]span
}

// span says where the parts of a deployment's artifact and config begin and end.
type span struct{ artifact, config [2]int }

// Kept returns a deployment's bytes, for a later run.
func (e *Encoded) Kept(deployment string) *value.Kept {
	at := e.spans[deployment]
	join := func(at [2]int) []byte { return bytes.Join(e.parts[at[0]:at[1]], nil) }
	return &value.Kept{Artifact: join(at.artifact), Config: join(at.config)}
}

// WriteTo implements [io.WriterTo].
func (e *Encoded) WriteTo(w io.Writer) (size int64, err error) {
	for _, p := range e.parts {
		n, err := w.Write(p)
		if size += int64(n); err != nil {
			return size, err
		}
	}
	return size, nil
}

// Bytes are those of all parts.
func (e *Encoded) Bytes() []byte { return bytes.Join(e.parts, nil) }

// Encode makes the canonical form, whatever digest the solution says it has.
func (s *Solution) Encode() (*Encoded, error) {
	out := &Encoded{spans: map[string]span{}}
	h := sha256.New()
	e := newEncoder(func(p []byte) {
		h.Write(p)
		out.parts = append(out.parts, p)
	})
	e.retain, e.spans = 1, out.spans
	before := 0
	err := e.solution(s, func() { before = len(out.parts) })
	out.Digest = digestOf(h)
	line := fmt.Appendf(nil, ",\n  \"digest\": %q", out.Digest)
	out.parts = slices.Insert(out.parts, before, line)
	return out, err
}

// Bytes returns the canonical JSON of the solution, with the digest that it says
// it has, if any.
func (s *Solution) Bytes() ([]byte, error) {
	var b bytes.Buffer
	e := newEncoder(func(p []byte) { b.Write(p) })
	err := e.solution(s, func() {
		if s.Digest != "" {
			e.member("digest", s.Digest)
		}
	})
	return b.Bytes(), err
}

// ContentDigest returns the digest of everything but the digest itself.
func (s *Solution) ContentDigest() (string, error) {
	h := sha256.New()
	err := newEncoder(func(p []byte) { h.Write(p) }).solution(s, func() {})
	return digestOf(h), err
}

func digestOf(h hash.Hash) string { return fmt.Sprintf("sha256:%x", h.Sum(nil)) }

// solution writes the canonical form without a digest: JSON with sorted keys, two
// spaces of indentation, a newline at the end, characters escaped as Go's encoder
// does by default. The same solution gives the same bytes everywhere. The fields of
// every type are declared in the order of their keys, and maps are written sorted.
//
// It calls digest between two parts, where that belongs.
func (e *encoder) solution(s *Solution, digest func()) error {
	e.shared = shared(s)
	e.open('{')
	e.member("comment", s.Comment)
	e.member("cspec", s.Cspec)
	e.member("deployments", s.Deployments)
	e.cut()
	digest()
	if s.External != nil {
		e.member("external", s.External)
	}
	if s.Inputs != nil {
		e.member("inputs", s.Inputs)
	}
	if len(s.Labels) > 0 {
		e.member("labels", s.Labels)
	}
	if len(s.Late) > 0 {
		e.member("late", s.Late)
	}
	if s.Layout != nil {
		e.member("layout", s.Layout)
	}
	e.member("links", s.Links)
	if len(s.ObjectLabels) > 0 {
		e.member("objectLabels", s.ObjectLabels)
	}
	if len(s.Objects) > 0 {
		e.member("objects", s.Objects)
	}
	e.member("ref", s.Ref)
	if s.SLA != nil {
		e.member("sla", s.SLA)
	}
	e.member("top", s.Top)
	e.end('}')
	e.buf = append(e.buf, '\n')
	e.cut()
	if e.err != nil {
		return fmt.Errorf("solution %s: %w", s.Top, e.err)
	}
	return nil
}

func newEncoder(part func([]byte)) *encoder {
	return &encoder{part: part, fields: jsonfields.Table{}, written: map[spot][][]byte{}}
}

// deployment writes a deployment, or what an earlier run has made of it.
func (e *encoder) deployment(d *Deployment) {
	if d == nil {
		e.any(nil)
		return
	}
	var at span
	e.open('{')
	e.key("artifact")
	at.artifact = e.span(func() {
		if d.kept != nil {
			e.pass(d.kept.Artifact)
			return
		}
		e.artifact(d.Artifact)
	})
	e.key("config")
	at.config = e.span(func() {
		if d.kept != nil {
			e.pass(d.kept.Config)
			return
		}
		e.any(d.Config)
	})
	if e.spans != nil {
		e.spans[d.Name] = at
	}
	e.member("meta", d.Meta)
	e.member("name", d.Name)
	e.member("up", d.Up)
	e.end('}')
}

// span are the parts that f writes.
func (e *encoder) span(f func()) (at [2]int) {
	e.cut()
	at[0] = e.parts
	f()
	e.cut()
	at[1] = e.parts
	return at
}

// artifact writes an artifact, one that comes several times only once.
func (e *encoder) artifact(a *Artifact) {
	if a == nil {
		e.any(nil)
		return
	}
	if !e.shared[a] {
		e.value(reflect.ValueOf(a).Elem())
		return
	}
	at := spot{a, e.depth}
	if known := e.written[at]; known != nil {
		e.pass(known...)
		return
	}
	take := e.part
	var made [][]byte
	e.cut()
	e.part = func(p []byte) {
		made = append(made, p)
		take(p)
	}
	e.retain++
	e.value(reflect.ValueOf(a).Elem())
	e.cut()
	e.retain--
	e.part = take
	e.written[at] = made
}

// shared are the artifacts that come several times.
func shared(s *Solution) map[*Artifact]bool {
	several := map[*Artifact]bool{}
	count := func(a *Artifact) {
		_, again := several[a]
		several[a] = again
	}
	for _, d := range s.Deployments {
		if d == nil || d.Artifact == nil {
			continue
		}
		count(d.Artifact)
		for _, r := range d.Artifact.Description.Role {
			if r != nil && r.Artifact != nil {
				count(r.Artifact)
			}
		}
	}
	return several
}

// strict decodes JSON into v; a key that v does not have is an error.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	return dec.Decode(v)
}
