// Package jsonstring writes JSON that encoding/json would write, in less time.
package jsonstring

import (
	"bytes"
	"encoding/json"
)

// AppendString appends a string as JSON. With html, <, > and & are escaped, as
// [json.Marshal] does.
func AppendString(b []byte, s string, html bool) []byte {
	if isPlain(s, html) {
		return append(append(append(b, '"'), s...), '"')
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(html)
	_ = enc.Encode(s) // a string always encodes
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}

// isPlain tells whether JSON has every character as it is.
func isPlain(s string, html bool) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', html && (c == '<' || c == '>' || c == '&'):
			return false
		}
	}
	return true
}
