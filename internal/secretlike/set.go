package secretlike

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/internal/sorting"
)

// Hidden stands in texts for a secret; Changed for one that is another than before.
const (
	Hidden  = "(hidden)"
	Changed = "(hidden, changed)"
)

// shortest is the length from which a secret is replaced wherever it is in a text. What
// is shorter is replaced only where it stands by itself.
const shortest = 4

// cutAt is how much of a secret is enough to know it where the rest was cut off.
const cutAt = 4

// Set is the secrets that are known. The zero value has none, and so has nil, which
// takes none in. It may be used by several goroutines.
type Set struct {
	mu    sync.RWMutex
	known map[string]bool
	by    map[byte][]secret // by their first byte, the longest first
	names map[string]bool   // words that are no secrets
	// parameters are the texts that are given to a parameter, sources the parameters
	// that another value is taken from, and aliases those parameters that become a
	// value with a secret's name, with that name.
	parameters, sources map[string][]string
	aliases             map[string]string
	judged              Names
	path                []string // that a text was given at before
}

// secret is one in a form in which texts may have it.
type secret struct {
	text string
	how  manner
}

// manner says where a secret is taken for itself in a text.
type manner int

const (
	anywhere manner = iota
	alone           // with neither letter nor digit beside it
	quoted          // in quotes
)

// Tell adds the secrets in a text that is given at a path of fields.
func (s *Set) Tell(path []string, text string) {
	if s == nil || len(path) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known, s.by, s.names = map[string]bool{}, map[byte][]secret{}, map[string]bool{}
		s.parameters, s.sources, s.aliases = map[string][]string{}, map[string][]string{}, map[string]string{}
	}
	s.namesIn(path)
	last := path[len(path)-1]
	if n := len(path); n > 1 && last == "parameter" {
		s.source(path[n-2], text)
	}
	name, ok := Path(path)
	if !ok {
		s.name(text)
		return
	}
	if slices.Contains(path, "parameter") {
		s.parameters[last] = append(s.parameters[last], text)
		name = cmp.Or(s.aliases[last], name)
	}
	s.take(name, text)
}

// source takes in that a value is taken from a parameter.
func (s *Set) source(name, parameter string) {
	s.sources[name] = append(s.sources[name], parameter)
	switch known := s.aliases[name]; {
	case known != "":
		s.alias(parameter, known)
	case s.judged.judge(name).isSecret:
		s.alias(parameter, name)
	}
}

// alias makes a parameter one that has the name of a secret, and all that it is taken
// from.
func (s *Set) alias(parameter, name string) {
	if s.aliases[parameter] != "" {
		return
	}
	s.aliases[parameter] = name
	for _, text := range s.parameters[parameter] {
		s.take(name, text)
	}
	for _, source := range s.sources[parameter] {
		s.alias(source, name)
	}
}

func (s *Set) take(name, text string) {
	found := s.judged.Find(name, text)
	if len(found) == 0 {
		s.name(text)
	}
	for _, secret := range found {
		s.add(secret)
	}
}

// namesIn takes in the names of a path. Most of them are those of the path before.
func (s *Set) namesIn(path []string) {
	for i, name := range path {
		if i >= len(s.path) || s.path[i] != name {
			s.name(name)
		}
	}
	s.path = append(s.path[:0], path...)
}

// name takes in words that are no secrets, and may be the same as one.
func (s *Set) name(text string) {
	if len(text) > 64 || s.names[text] {
		return
	}
	s.names[text] = true
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		s.names[word] = true
	}
}

var smallWord = lazyregexp.New(`^[a-z]+$`)

// add takes in a secret, in all forms in which texts may have it.
func (s *Set) add(text string) {
	if text == "" || s.known[text] {
		return
	}
	s.known[text] = true
	how := alone
	switch {
	case len(text) < shortest:
		how = quoted
	case len(text) >= 6 && !smallWord().MatchString(text):
		how = anywhere
	}
	for _, form := range forms(text) {
		of := append(s.by[form[0]], secret{form, how})
		sorting.By(of, func(a, b secret) int { return cmp.Compare(len(b.text), len(a.text)) })
		s.by[form[0]] = of
	}
}

// forms are the ways in which a text is written in CUE, JSON and YAML, and these in JSON,
// HTML, Markdown, URLs and messages of GitHub; and in base64 as Kubernetes has it.
func forms(text string) []string {
	inner := strconv.Quote(text)
	var out []string
	for _, form := range []string{text, inner[1 : len(inner)-1], inJSON(text, false), strings.ReplaceAll(text, "'", "''")} {
		out = append(out, form, inJSON(form, true), inJSON(form, false), url.QueryEscape(form), url.PathEscape(form), html.EscapeString(form),
			strings.ReplaceAll(form, "%", "%25"), inMarkdown().ReplaceAllString(form, `\$0`), inMarkdown().ReplaceAllString(angles.Replace(form), `\$0`))
	}
	if len(text) > shortest {
		out = append(out, base64.StdEncoding.EncodeToString([]byte(text)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var angles = strings.NewReplacer("<", "&lt;", ">", "&gt;")

var inMarkdown = lazyregexp.New("[\\\\|*_`\\[]")

func inJSON(text string, escapeHTML bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	_ = e.Encode(text) // a text always encodes
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// Hide replaces the secrets in a text. A word that is a name as well, of a role, say, is
// left where only its place could tell.
func (s *Set) Hide(text string) string { return s.hide(text, false) }

// HideQuoted is [Set.Hide] for a message, in which what is quoted is a value.
func (s *Set) HideQuoted(text string) string { return s.hide(text, true) }

// HideAt replaces the secrets in a text that is given at a path of fields.
func (s *Set) HideAt(path []string, text string) string {
	if s == nil {
		return text
	}
	s.Tell(path, text)
	s.mu.RLock()
	whole := s.known[text]
	s.mu.RUnlock()
	if whole {
		return Hidden
	}
	return s.hide(text, false)
}

func (s *Set) hide(text string, message bool) string {
	if s == nil {
		return text
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.known) == 0 {
		return text
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); {
		n := s.at(text, i, message)
		if n == 0 {
			i++
			continue
		}
		b.WriteString(text[from:i] + Hidden)
		i += n
		from = i
	}
	return b.String() + text[from:]
}

// at is the length of the secret that is at i, 0 for none.
func (s *Set) at(text string, i int, message bool) int {
	for _, c := range s.by[text[i]] {
		n := common(c.text, text[i:])
		if n < len(c.text) && (n < cutAt || !isCut(text[i+n:])) {
			continue
		}
		how := c.how
		if smallWord().MatchString(c.text) && s.names[c.text] {
			if !message {
				continue
			}
			how = quoted
		}
		if how == anywhere || fits(how, text, i, i+n) {
			return n
		}
	}
	return 0
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func isCut(rest string) bool { return strings.HasPrefix(rest, "…") || strings.HasPrefix(rest, "...") }

// fits reports whether the part of a text stands there as it has to.
func fits(how manner, text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	if how == quoted {
		return strings.ContainsRune("\"'`", before) && strings.ContainsRune("\"'`", after)
	}
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	escape := from > 1 && text[from-2] == '\\' // \n is no letter
	return (!isWord(before) || escape) && !isWord(after)
}
