package solution

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// Bytes returns the canonical JSON of the solution: keys sorted, two spaces of
// indentation, a newline at the end, characters escaped as Go's encoder does
// by default. The same solution gives the same bytes everywhere.
//
// The fields of every type are declared in the order of their keys, and maps
// are written sorted.
func (s *Solution) Bytes() ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("solution %s: %w", s.Top, err)
	}
	return indent(b), nil
}

// indent lays valid JSON without white space out as json.Indent does with two
// spaces, and ends it with a newline. That one checks what it reads, character
// by character, which takes longer than all the rest of the encoding.
func indent(compact []byte) []byte {
	out := make([]byte, 0, 2*len(compact))
	depth := 0
	line := func() {
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
	return append(out, '\n')
}

// ContentDigest returns the digest of everything but the digest itself.
func (s *Solution) ContentDigest() (string, error) {
	rest := *s
	rest.Digest = ""
	b, err := rest.Bytes()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(b)), nil
}

// strict decodes JSON into v; a key that v does not have is an error.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	return dec.Decode(v)
}
