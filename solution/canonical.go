package solution

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"kumiki.dev/spread"
)

// Bytes returns the canonical JSON of the solution: keys sorted, two spaces of
// indentation, a newline at the end, characters escaped as Go's encoder does
// by default. The same solution gives the same bytes everywhere.
//
// The fields of every type are declared in the order of their keys, and maps
// are written sorted.
func (s *Solution) Bytes() ([]byte, error) {
	var b bytes.Buffer
	b.Grow(s.size)
	_, err := s.write(&b, s.Digest)
	return b.Bytes(), err
}

// ContentDigest returns the digest of everything but the digest itself.
func (s *Solution) ContentDigest() (string, error) {
	digest, _, err := s.digest()
	return digest, err
}

// digest returns the digest and the number of bytes that it is of.
func (s *Solution) digest() (string, int, error) {
	h := sha256.New()
	size, err := s.write(h, "")
	if err != nil {
		return "", 0, err
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil)), size, nil
}

// write writes the canonical JSON with that digest, "" for none, and returns its
// size. It makes the bytes of one deployment at a time, and takes those that are
// there already.
func (s *Solution) write(w io.Writer, digest string) (int, error) {
	e := &encoder{w: w, shared: shared(s), written: map[spot][]byte{}}
	e.open()
	e.member("comment", s.Comment)
	e.member("cspec", s.Cspec)
	e.deployments(s.Deployments)
	if digest != "" {
		e.member("digest", digest)
	}
	if s.Inputs != nil {
		e.member("inputs", s.Inputs)
	}
	if s.Layout != nil {
		e.member("layout", s.Layout)
	}
	e.member("links", s.Links)
	e.member("ref", s.Ref)
	e.member("top", s.Top)
	e.end()
	e.buf = append(e.buf, '\n')
	e.flush()
	if e.err != nil {
		return 0, fmt.Errorf("solution %s: %w", s.Top, e.err)
	}
	return e.size, nil
}

func (e *encoder) deployments(all map[string]*Deployment) {
	if len(all) == 0 {
		e.member("deployments", all)
		return
	}
	e.key("deployments")
	e.open()
	for _, name := range keys(all) {
		e.key(name)
		e.deployment(all[name])
		e.flush()
	}
	e.end()
}

func (e *encoder) deployment(d *Deployment) {
	if d == nil {
		e.value(nil)
		return
	}
	e.open()
	e.key("artifact")
	if d.kept != nil {
		e.buf = append(e.buf, d.kept.Artifact...)
		e.key("config")
		e.buf = append(e.buf, d.kept.Config...)
	} else {
		e.artifact(d.Artifact)
		e.member("config", d.Config)
	}
	e.member("meta", d.Meta)
	e.member("name", d.Name)
	e.member("up", d.Up)
	e.end()
}

// artifact writes an artifact, one that comes several times only once.
func (e *encoder) artifact(a *Artifact) {
	if a == nil {
		e.value(nil)
		return
	}
	at := spot{a, e.depth}
	known := e.written[at]
	if known == nil {
		begin := len(e.buf)
		e.open()
		e.key("description")
		e.description(&a.Description)
		e.member("ref", a.Ref)
		e.member("spec", a.Spec)
		e.end()
		if e.shared[a] {
			e.written[at] = bytes.Clone(e.buf[begin:])
		}
		return
	}
	e.buf = append(e.buf, known...)
	e.begun = true
}

func (e *encoder) description(d *Description) {
	if d.Role == nil {
		e.value(d)
		return
	}
	e.open()
	e.member("builtin", d.Builtin)
	if len(d.Code) > 0 {
		e.member("code", d.Code)
	}
	e.member("config", d.Config)
	if d.Connector != nil {
		e.member("connector", d.Connector)
	}
	if d.Probe != nil {
		e.member("probe", d.Probe)
	}
	if d.Profile != nil {
		e.member("profile", d.Profile)
	}
	e.key("role")
	e.roles(d.Role)
	if d.Size != nil {
		e.member("size", d.Size)
	}
	e.member("srv", d.Srv)
	e.end()
}

func (e *encoder) roles(all map[string]*Role) {
	if len(all) == 0 {
		e.value(all)
		return
	}
	e.open()
	for _, name := range keys(all) {
		e.key(name)
		e.role(all[name])
	}
	e.end()
}

func (e *encoder) role(r *Role) {
	if r == nil {
		e.value(nil)
		return
	}
	e.open()
	e.key("artifact")
	e.artifact(r.Artifact)
	e.member("config", r.Config)
	if r.Meta != nil {
		e.member("meta", r.Meta)
	}
	e.member("name", r.Name)
	e.end()
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
	e := &encoder{depth: 3}
	e.artifact(d.Artifact)
	end := len(e.buf)
	e.value(d.Config)
	return &spread.Kept{Artifact: e.buf[:end:end], Config: e.buf[end:]}, e.err
}

// strict decodes JSON into v; a key that v does not have is an error.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	return dec.Decode(v)
}
