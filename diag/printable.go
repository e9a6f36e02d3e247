package diag

import (
	"strconv"
	"strings"
	"unicode"
)

// Printable escapes what would break a line or steer a terminal: names in files
// may hold anything.
func Printable(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		escaped := strconv.QuoteRune(r)
		b.WriteString(escaped[1 : len(escaped)-1])
	}
	return b.String()
}
