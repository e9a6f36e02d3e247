package solution

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
)

// Bytes returns the canonical JSON of the solution: keys sorted, two spaces of
// indentation, a newline at the end, characters escaped as Go's encoder does
// by default. The same solution gives the same bytes everywhere.
//
// The fields of every type are declared in the order of their keys, and maps
// are written sorted.
func (s *Solution) Bytes() ([]byte, error) {
	var b bytes.Buffer
	err := s.writeTo(&b)
	return b.Bytes(), err
}

// writeTo writes the canonical JSON piece by piece.
func (s *Solution) writeTo(w io.Writer) error {
	if err := json.NewEncoder(layout{w}).Encode(s); err != nil {
		return fmt.Errorf("solution %s: %w", s.Top, err)
	}
	return nil
}

// layout lays out what an encoder writes, all in one piece.
type layout struct{ to io.Writer }

func (l layout) Write(compact []byte) (int, error) {
	if b, ok := l.to.(*bytes.Buffer); ok {
		b.Grow(2 * len(compact))
	}
	return len(compact), indent(l.to, bytes.TrimSuffix(compact, []byte("\n")))
}

// piece is how much of a layout is held before it is written.
const piece = 1 << 14

// indent lays valid JSON without white space out as json.Indent does with two
// spaces, and ends it with a newline. That one checks what it reads, character
// by character, which takes longer than all the rest of the encoding.
func indent(to io.Writer, compact []byte) error {
	out := make([]byte, 0, 2*piece)
	var err error
	depth := 0
	line := func() {
		if len(out) > piece && err == nil {
			_, err = to.Write(out)
			out = out[:0]
		}
		out = append(out, '\n')
		for range depth {
			out = append(out, "  "...)
		}
	}
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
				line()
			}
		case '}', ']':
			if depth--; compact[i-1] != c-2 {
				line()
			}
			out = append(out, c)
		case ',':
			out = append(out, c)
			line()
		case ':':
			out = append(out, ": "...)
		default:
			out = append(out, c)
		}
	}
	if err == nil {
		_, err = to.Write(append(out, '\n'))
	}
	return err
}

// ContentDigest returns the digest of everything but the digest itself.
func (s *Solution) ContentDigest() (string, error) {
	rest := *s
	rest.Digest = ""
	h := sha256.New()
	if err := rest.writeTo(h); err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil)), nil
}

// strict decodes JSON into v; a key that v does not have is an error.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	return dec.Decode(v)
}
