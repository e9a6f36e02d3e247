package kubernetes

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/targets"
)

// scalars are how strings are written that it took long to find out about.
type scalars map[string]string

// of is a string on one line. Most are found out about here, others by asking
// sigs.k8s.io/yaml.
func (known scalars) of(s string) string {
	if plainWord(s) {
		return s
	}
	text, ok := known[s]
	if !ok {
		text = asked(s)
		known[s] = text
	}
	return text
}

func asked(s string) string {
	if digits(s) || !printable(s) || s == "<<" || misread().MatchString(s) { // << would merge maps, as a key
		return quoted(s)
	}
	data, err := yaml.Marshal(s)
	// What would go over several lines depends on where it stands.
	line := strings.TrimSuffix(string(data), "\n")
	if err != nil || strings.Contains(line, "\n") {
		return quoted(s)
	}
	return line
}

// misread are texts that the API server's reader takes for texts, and some others take for
// numbers, times or a default value: 1e400, 22E2195, ._1, 8080:80, 2001-12-14 21:59:43, =.
var misread = lazyregexp.New(`^(?:=` +
	`|[-+]?[0-9_][0-9_,]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]*)?` +
	`|[-+]?\.[0-9_]+(?:[eE][-+]?[0-9]*)?` +
	`|[-+]?0[xob][0-9A-Fa-f_]*` +
	`|[-+]?[0-9][0-9_]*(?::[0-9]+)+(?:\.[0-9_]*)?` +
	`|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[ \tTt].*)?)$`)

// maxLine is how long a text of several words may be to stand on one line wherever
// it is.
const maxLine = 60

// plainWord reports whether a string consists of what never means anything in YAML:
// it begins with a letter or a slash, and goes on with letters, digits, some
// punctuation, and single spaces between those; or it is a word of digits and
// letters that is no number.
func plainWord(s string) bool {
	if s == "" || !targets.IsLetter(s[0]) && s[0] != '/' {
		return hash(s)
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case targets.IsLetter(c) || digit(c) || c == '-' || c == '.' || c == '_' || c == '/':
		case c == ':' && i+1 < len(s) && s[i+1] != ' ':
		case c == ' ' && len(s) <= maxLine && i+1 < len(s) && s[i-1] != ' ':
		default:
			return false
		}
	}
	return !targets.MeansMore(s)
}

// hash reports whether a string is of digits and letters, the first of which are
// not those of a number in another base, and one of which no number has.
func hash(s string) bool {
	if len(s) < 2 || !digit(s[0]) || s[0] == '0' && !digit(s[1]) {
		return false
	}
	number := true
	for i := range len(s) {
		if !targets.IsLetter(s[i]) && !digit(s[i]) {
			return false
		}
		number = number && (digit(s[i]) || s[i]|0x20 == 'e')
	}
	return !number
}

// maxDigits is how many digits make a number for every reader.
const maxDigits = 18

// digits reports whether a string is a number if nothing says otherwise.
func digits(s string) bool {
	for i := range len(s) {
		if !digit(s[i]) {
			return false
		}
	}
	return 0 < len(s) && len(s) <= maxDigits
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// quoted is a string in double quotes, in ASCII, as JSON and YAML have it.
func quoted(s string) string {
	var out strings.Builder
	for _, r := range string(jsondata.AppendString(nil, s, false)) {
		switch {
		case r < 0x7f:
			out.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// lineByLine reports whether a string has lines, does not begin with a space, ends
// with one newline at most and no space before that, which some readers drop, and has
// printable characters only.
func lineByLine(s string) bool {
	last := strings.TrimSuffix(s, "\n")
	return strings.Contains(s, "\n") && !strings.HasSuffix(last, " ") && !strings.HasSuffix(last, "\t") && !strings.HasSuffix(s, "\n\n") && !strings.ContainsAny(s[:1], " \t\n") && printable(s)
}

func printable(s string) bool {
	for _, r := range s {
		switch {
		case ' ' <= r && r <= '~' || r == '\n' || r == '\t':
		case r < utf8.RuneSelf || r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return false
		}
	}
	return true
}
