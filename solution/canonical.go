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

// encoder writes indented JSON, an object member by member.
type encoder struct {
	w     io.Writer
	buf   []byte // what is not yet written
	size  int    // of what is written
	depth int
	begun bool // whether the object that is open has members
	err   error
	// shared has the artifacts that come several times, and written their bytes.
	shared  map[*Artifact]bool
	written map[spot][]byte
}

// spot is an artifact at a depth.
type spot struct {
	artifact *Artifact
	depth    int
}

func (e *encoder) open() {
	e.buf = append(e.buf, '{')
	e.depth++
	e.begun = false
}

func (e *encoder) end() {
	e.depth--
	e.buf = append(newLine(e.buf, e.depth), '}')
	e.begun = true
}

func (e *encoder) key(key string) {
	if e.begun {
		e.buf = append(e.buf, ',')
	}
	e.begun = true
	e.buf = newLine(e.buf, e.depth)
	e.value(key)
	e.buf = append(e.buf, ": "...)
}

func (e *encoder) member(key string, v any) {
	e.key(key)
	e.value(v)
}

func (e *encoder) value(v any) {
	b, err := json.Marshal(v)
	if err != nil && e.err == nil {
		e.err = err
	}
	e.buf = indent(e.buf, b, e.depth)
}

func (e *encoder) flush() {
	if e.err == nil {
		_, e.err = e.w.Write(e.buf)
	}
	e.size += len(e.buf)
	e.buf = e.buf[:0]
}

func newLine(out []byte, depth int) []byte {
	out = append(out, '\n')
	for range depth {
		out = append(out, "  "...)
	}
	return out
}

// indent appends valid JSON without white space, laid out as json.Indent does
// with two spaces, at a depth. That one checks what it reads, character by
// character, which takes longer than all the rest of the encoding.
func indent(out, compact []byte, depth int) []byte {
	for i := 0; i < len(compact); i++ {
		switch c := compact[i]; c {
		case '"':
			end := i + 1
			for ; compact[end] != '"'; end++ {
				if compact[end] == '\\' {
					end++
				}
			}
			out = append(out, compact[i:end+1]...)
			i = end
		case '{', '[':
			out = append(out, c)
			if depth++; compact[i+1] != c+2 { // } is two after {, ] two after [
				out = newLine(out, depth)
			}
		case '}', ']':
			if depth--; compact[i-1] != c-2 {
				out = newLine(out, depth)
			}
			out = append(out, c)
		case ',':
			out = newLine(append(out, c), depth)
		case ':':
			out = append(out, ": "...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// strict decodes JSON into v; a key that v does not have is an error.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	return dec.Decode(v)
}
