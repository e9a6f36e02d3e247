// Package jsondata reads JSON as plain data, and writes it as encoding/json does:
// strings in less time, and values laid out for people.
package jsondata

import (
	"bytes"
	"encoding/json"
)

// Decode reads plain data: maps, lists, strings, truth values, nil, and numbers as they
// are written.
func Decode(text []byte) (data any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&data)
	return data, err
}

// Of is the plain data that JSON makes of a value.
func Of(value any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return Decode(text)
}

// Into reads plain data as a type.
func Into(data, into any) error {
	text, err := json.Marshal(data)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	return err
}

// Indented is a value as JSON, laid out with two spaces and a newline at the end, in
// which <, > and & are as they are: people read it, and it never becomes a part of
// HTML.
func Indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

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

// isPlain reports whether JSON has every character as it is.
func isPlain(s string, html bool) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', html && (c == '<' || c == '>' || c == '&'):
			return false
		}
	}
	return true
}
