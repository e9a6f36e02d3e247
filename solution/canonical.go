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
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("solution %s: %w", s.Top, err)
	}
	return b.Bytes(), nil
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
