package targets

import "strings"

// maxWord is the length of the longest word that YAML takes for something else
// than a string, which is false.
const maxWord = 5

// MeansMore reports whether a word may be something else than a string to a reader
// of YAML.
func MeansMore(s string) bool {
	if len(s) > maxWord {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "yes", "n", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}

// IsLetter tells the letters that mean nothing in YAML, nor anywhere else: those of
// ASCII.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
