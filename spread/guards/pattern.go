package guards

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Match returns a short text that a regular expression matches, false where none
// is found easily.
func Match(pattern string) (string, bool) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	write(&b, tree)
	matched, err := regexp.MatchString(pattern, b.String())
	return b.String(), err == nil && matched
}

// write adds a text that the part of a pattern matches.
func write(b *strings.Builder, x *syntax.Regexp) {
	switch x.Op {
	case syntax.OpLiteral:
		b.WriteString(string(x.Rune))
	case syntax.OpCharClass:
		b.WriteRune(member(x.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpConcat:
		for _, part := range x.Sub {
			write(b, part)
		}
	case syntax.OpAlternate, syntax.OpCapture, syntax.OpPlus:
		write(b, x.Sub[0])
	case syntax.OpRepeat:
		for range min(x.Min, 64) {
			write(b, x.Sub[0])
		}
	}
}

// member is a rune of a class, a letter or digit if it has one; the class is
// pairs of bounds.
func member(class []rune) rune {
	for _, want := range "a0A" {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= want && want <= class[i+1] {
				return want
			}
		}
	}
	if len(class) == 0 {
		return 'a'
	}
	return class[0]
}
