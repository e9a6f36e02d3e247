package swarm

import (
	"fmt"
	"strings"

	"kumiki.dev/internal/jsondata"
	"kumiki.dev/targets"
)

// block reports whether a string can be written line by line: it ends with
// exactly one newline, does not begin with a space, and has printable
// characters only.
func block(s string) bool {
	if strings.Count(s, "\n") < 2 || !strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\n\n") || strings.ContainsAny(s[:1], " \t\n") {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool { return (r < ' ' && r != '\n') || r > '~' }) < 0
}

// scalar is a string as YAML has it on one line: bare where nothing could take
// it for anything else.
func scalar(s string) string {
	if bare(s) {
		return s
	}
	return unseen.Replace(string(jsondata.AppendString(nil, s, false)))
}

// unseen escapes characters that JSON takes as they are and YAML does not.
var unseen = func() *strings.Replacer {
	pairs := []string{"\ufeff", `\ufeff`, "\ufffe", `\ufffe`, "\uffff", `\uffff`}
	for r := rune(0x7f); r < 0xa0; r++ {
		pairs = append(pairs, string(r), fmt.Sprintf(`\u%04x`, r))
	}
	return strings.NewReplacer(pairs...)
}()

func bare(s string) bool {
	if s == "" || !targets.IsLetter(s[0]) && s[0] != '/' && !strings.HasPrefix(s, "./") {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case targets.IsLetter(c), '0' <= c && c <= '9', c == '.', c == '_', c == '-', c == '/', c == '@':
		case c == ' ' && i+1 < len(s):
		case c == ':' && i+1 < len(s) && s[i+1] != ' ':
		default:
			return false
		}
	}
	return !targets.MeansMore(s)
}
