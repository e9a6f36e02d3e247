package solution

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// syntaxTexts say what is wrong with a character, by the end of what
// encoding/json says of it. The first end that fits counts.
var syntaxTexts = []struct{ end, text string }{
	{"looking for beginning of value", "found %q where a value is expected"},
	{"looking for beginning of object key string", "found %q where a key in quotes is expected"},
	{"after object key", "found %q where a colon is expected"},
	{"after object key:value pair", "found %q where a comma or } is expected"},
	{"after array element", "found %q where a comma or ] is expected"},
	{"numeric literal", "found %q where a digit is expected"},
	{"in string literal", "found %q in a string, where it has to be escaped"},
	{"in string escape code", "found %q after a backslash, which is no escape"},
	{"hexadecimal character escape", "found %q where a hexadecimal digit is expected"},
}

// literals are the words of JSON.
var literals = []string{"true", "false", "null"}

// syntaxProblem says where data stops being JSON, and why. A place at the end
// of the data has no text: the rest is missing.
//
// encoding/json's own decoder counts from the start of a literal, so the whole
// text is scanned once more.
func syntaxProblem(data []byte) (int, string) {
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, &json.RawMessage{}); !errors.As(err, &syntax) || syntax.Error() == "unexpected end of JSON input" {
		return len(data), ""
	}
	at := max(0, int(syntax.Offset)-1)
	found, _ := utf8.DecodeRune(data[at:])
	for _, s := range syntaxTexts {
		if strings.HasSuffix(syntax.Error(), s.end) {
			return at, fmt.Sprintf(s.text, found)
		}
	}
	for _, word := range literals {
		if strings.Contains(syntax.Error(), "in literal "+word) {
			return at, fmt.Sprintf("found %q in what begins like %s", found, word)
		}
	}
	return at, syntax.Error()
}
