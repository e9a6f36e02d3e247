package targets

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// MaxName is the length of a DNS label, which names of objects have to be.
const MaxName = 63

// hashLength is what a shortened name ends with, in hexadecimal digits.
const hashLength = 8

// Name makes the name of an object from the path of what it stands for, such
// as a deployment's name, a role and a volume: a DNS label of at most max
// characters ([MaxName] or less). Different paths that begin with the same
// solution give different names: the parts of a deployment's name and those of
// the path are joined by one hyphen, and a hyphen in any but the first part is
// doubled; what is not lower case or becomes too long ends with a hash of the
// whole path.
func Name(max int, path ...string) string {
	parts := strings.Split(path[0], ".")
	parts = append(parts, path[1:]...)
	exact := true
	for i, part := range parts {
		word := label(part)
		exact = exact && word == part && word != ""
		if i > 0 {
			word = strings.ReplaceAll(word, "-", "--")
		}
		parts[i] = word
	}
	name := strings.Join(parts, "-")
	if exact && len(name) <= max {
		return name
	}
	sum := sha256.Sum256([]byte(strings.Join(path, "\x00")))
	if room := max - hashLength - 1; len(name) > room {
		name = name[:room]
	}
	return strings.Trim(name, "-") + "-" + hex.EncodeToString(sum[:])[:hashLength]
}

// label is the text with all that a DNS label may not hold replaced.
func label(text string) string {
	word := strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-':
			return r
		default:
			return '-'
		}
	}, text)
	return strings.Trim(word, "-")
}

// Hash is a short content address of data, for names that have to change with
// it.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:hashLength+2]
}
