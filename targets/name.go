package targets

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// MaxName is the length of a DNS label, which names of objects have to be.
const MaxName = 63

// MaxStackName is the length of the longest name of a solution on Swarm, where names of
// services begin with it.
const MaxStackName = 17

// hashLength is what a shortened name ends with, in hexadecimal digits.
const hashLength = 8

// nameless begins a name of which only the hash would be left.
const nameless = "x"

// Name makes the name of an object from the path of what it stands for, such
// as a deployment's name, a role and a volume: a DNS label of at most max
// characters ([MaxName] or less). Different paths that begin with the same
// solution give different names: the parts of a deployment's name and those of
// the path are joined by one hyphen, and a hyphen in any but the first part is
// doubled; what is not lower case or becomes too long ends with a hash of the
// whole path.
func Name(max int, path ...string) string {
	name, exact := words(path)
	if exact && len(name) <= max {
		return name
	}
	return hashed(max, name, path)
}

// Hashed is [Name] with the hash, whether or not the path needs one.
func Hashed(max int, path ...string) string {
	name, _ := words(path)
	return hashed(max, name, path)
}

// hashed ends a name with a hash of its path.
func hashed(max int, name string, path []string) string {
	text := strings.Join(path, "\x00")
	if strings.Count(text, "\x00") >= len(path) {
		text = fmt.Sprintf("%q", path) // a part holds what the parts are joined by
	}
	sum := sha256.Sum256([]byte(text))
	if room := max - hashLength - 1; len(name) > room {
		name = name[:room]
	}
	return cmp.Or(strings.Trim(name, "-"), nameless) + "-" + hex.EncodeToString(sum[:])[:hashLength]
}

// words joins the parts of a path, as far as a DNS label may hold them. It
// reports whether that is all of them.
func words(path []string) (name string, exact bool) {
	parts := strings.Split(path[0], ".")
	parts = append(parts, path[1:]...)
	exact = true
	for i, part := range parts {
		word := label(part)
		exact = exact && word == part && word != ""
		if i > 0 {
			word = strings.ReplaceAll(word, "-", "--")
		}
		parts[i] = word
	}
	return strings.Join(parts, "-"), exact
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
