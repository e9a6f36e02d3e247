package diag

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Harmful reports whether a character steers a terminal, or turns the direction of
// what follows. Texts of others are not to bring it there.
func Harmful(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

// Safe escapes what is [Harmful] in a text of lines; bytes that are no UTF-8 are
// escaped too, as a terminal may read them as something else.
func Safe(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && Harmful(r) }) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch _, n := utf8.DecodeRuneInString(text[i:]); {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r != '\n' && r != '\t' && Harmful(r):
			escaped := strconv.QuoteToASCII(string(r))
			b.WriteString(escaped[1 : len(escaped)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

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
