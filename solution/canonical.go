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

	"kumiki.dev/spread"
)

// Encoded is a solution in its canonical form, with the digest of what it holds.
type Encoded struct {
	// Digest is "sha256:…" over all but itself.
	Digest string

	// parts are the bytes in pieces: equal services share theirs.
	parts [][]byte
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
	h := sha256.New()
	var before, after [][]byte
	to := &before
	err := s.encode(func(p []byte) { h.Write(p); *to = append(*to, p) }, 1, func(*encoder) { to = &after })
	if err != nil {
		return nil, err
	}
	digest := digestOf(h)
	line := fmt.Appendf(nil, ",\n  \"digest\": %q", digest)
	return &Encoded{digest, slices.Concat(before, [][]byte{line}, after)}, nil
}

// Bytes returns the canonical JSON of the solution, with the digest that it says
// it has, if any.
func (s *Solution) Bytes() ([]byte, error) {
	var b bytes.Buffer
	err := s.encode(func(p []byte) { b.Write(p) }, 0, func(e *encoder) {
		if s.Digest != "" {
			e.member("digest", s.Digest)
		}
	})
	return b.Bytes(), err
}

// ContentDigest returns the digest of everything but the digest itself.
func (s *Solution) ContentDigest() (string, error) {
	h := sha256.New()
	if err := s.encode(func(p []byte) { h.Write(p) }, 0, func(*encoder) {}); err != nil {
		return "", err
	}
	return digestOf(h), nil
}

func digestOf(h hash.Hash) string { return fmt.Sprintf("sha256:%x", h.Sum(nil)) }

// encode hands on the canonical form in parts, which whoever takes them may keep
// if retain is 1: JSON with sorted keys, two spaces of indentation, a newline at the
// end, characters escaped as Go's encoder does by default. The same solution gives
// the same bytes everywhere. The fields of every type are declared in the order of
// their keys, and maps are written sorted.
//
// It calls digest where that belongs, between two parts.
func (s *Solution) encode(part func([]byte), retain int, digest func(*encoder)) error {
	e := newEncoder(part, retain)
	e.shared = shared(s)
	e.open('{')
	e.member("comment", s.Comment)
	e.member("cspec", s.Cspec)
	e.member("deployments", s.Deployments)
	e.cut()
	digest(e)
	if s.Inputs != nil {
		e.member("inputs", s.Inputs)
	}
	if s.Layout != nil {
		e.member("layout", s.Layout)
	}
	e.member("links", s.Links)
	e.member("ref", s.Ref)
	e.member("top", s.Top)
	e.end('}')
	e.buf = append(e.buf, '\n')
	e.cut()
	if e.err != nil {
		return fmt.Errorf("solution %s: %w", s.Top, e.err)
	}
	return nil
}

func newEncoder(part func([]byte), retain int) *encoder {
	return &encoder{part: part, retain: retain, fields: map[reflect.Type][]field{}, written: map[spot][][]byte{}}
}

// deployment writes a deployment, or what an earlier run has made of it.
func (e *encoder) deployment(d *Deployment) {
	if d == nil {
		e.any(nil)
		return
	}
	e.open('{')
	e.key("artifact")
	if d.kept != nil {
		e.pass(d.kept.Artifact)
		e.key("config")
		e.pass(d.kept.Config)
	} else {
		e.artifact(d.Artifact)
		e.member("config", d.Config)
	}
	e.member("meta", d.Meta)
	e.member("name", d.Name)
	e.member("up", d.Up)
	e.end('}')
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
	e.cut()
	e.retain++
	take := e.part
	var made [][]byte
	e.part = func(p []byte) {
		made = append(made, p)
		take(p)
	}
	e.value(reflect.ValueOf(a).Elem())
	e.cut()
	e.part = take
	e.retain--
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

// Kept returns a deployment's bytes, for a later run.
func (s *Solution) Kept(deployment string) (*spread.Kept, error) {
	d := s.Deployments[deployment]
	if d.kept != nil {
		return d.kept, nil
	}
	var parts [][]byte
	e := newEncoder(func(p []byte) { parts = append(parts, p) }, 1)
	e.depth = 3 // of the members of a deployment
	e.artifact(d.Artifact)
	e.cut()
	artifact := bytes.Join(parts, nil)
	parts = nil
	e.any(d.Config)
	e.cut()
	return &spread.Kept{Artifact: artifact, Config: bytes.Join(parts, nil)}, e.err
}

// strict decodes JSON into v; a key that v does not have is an error.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	return dec.Decode(v)
}
