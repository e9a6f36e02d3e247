// Package secretlike tells values that look like secrets from others, and hides them
// in texts. It judges by names (DB_PASSWORD) and by values (a URL with a password, a
// private key), and would rather miss one than call many things secrets that are none.
package secretlike

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
)

// Is reports whether a value that is given under a name looks like a secret, or has
// one in it.
func Is(name, value string) bool { return len(Find(name, value)) > 0 }

// Find returns the secrets in a value that is given under a name, sorted: all of it, or
// the password in a URL, or the lines of a private key.
func Find(name, value string) []string { return new(Names).Find(name, value) }

// Names finds secrets like [Find], and judges each name only once. It is for callers with many values and few
// names. The zero value is ready for use, by one goroutine at a time.
type Names struct{ known map[string]judged }

// judged is what a name says about its values.
type judged struct {
	words          []string
	isSecret       bool // see isSecretName
	mayBeScrambled bool // see mayBeScrambled
}

func (n *Names) judge(name string) judged {
	j, ok := n.known[name]
	if !ok {
		words := wordsOf(name)
		j = judged{words, isSecretName(words), mayBeScrambled(words)}
		if n.known == nil {
			n.known = map[string]judged{}
		}
		n.known[name] = j
	}
	return j
}

// Find returns the same secrets as the function [Find].
func (n *Names) Find(name, value string) []string {
	j := n.judge(name)
	found := inside(value, j.words)
	switch {
	case j.isSecret && !isPlain(value):
		found = append(found, lines(value)...)
	case j.mayBeScrambled && isScrambled(value):
		found = append(found, value)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// lines are the lines of a value: it is often shown line by line.
func lines(value string) []string {
	if !strings.Contains(value, "\n") {
		return []string{value}
	}
	var out []string
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= shortest && !strings.HasPrefix(line, "-----") {
			out = append(out, line)
		}
	}
	return out
}

// shortestForm is the length of the shortest text that has the form of a secret and no sign
// around it: the beginning of a private key in base64.
const shortestForm = len("LS0tLS1CRUdJTi")

// isWord reports whether a value is too short and too plain for a secret to be inside, as most values of a
// config are. It takes far less time than to look for one.
func isWord(value string) bool {
	return len(value) < shortestForm && !strings.ContainsAny(value, `@=<" `) && !strings.Contains(value, "--")
}

// inside are the secrets that are known by their form, in a value that may be a text
// with much else.
func inside(value string, words []string) []string {
	if isWord(value) {
		return nil
	}
	return searched(value, words)
}

// searched is inside without the quick look at the value.
func searched(value string, words []string) []string {
	var out []string
	if strings.ContainsAny(value, "@") {
		out = append(out, urlPasswords(value, words)...)
	}
	if strings.Contains(value, "PRIVATE KEY") || strings.Contains(value, "LS0tLS1CRUdJTi") {
		out = append(out, privateKeys(value)...)
	}
	if len(value) >= 16 {
		if filter.Any(tokenSigns, func(sign string) bool { return strings.Contains(value, sign) }) {
			out = append(out, token().FindAllString(value, -1)...)
		}
		if strings.Contains(value, "://") {
			out = append(out, webhooks(value, words)...)
		}
	}
	return append(append(out, assignments(value)...), credentials(value)...)
}

// token are the forms that those who issue tokens give them, so that they are found.
var token = lazyregexp.New(`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abeoprs]-[\w-]{10,}|\b[sr]k_(?:live|test)_\w{10,}` +
	`|\bsk-(?:[a-z]+-)*[A-Za-z0-9_]{20,}|\bAIza[\w-]{30,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bnpm_[A-Za-z0-9]{30,}|\bhv[sb]\.[\w-]{20,}|\bdckr_pat_[\w-]{20,}` +
	`|\bdop_v1_[0-9a-f]{60,}|\bpypi-[\w-]{30,}|\bAGE-SECRET-KEY-1[A-Z0-9]{20,}|\beyJ[\w-]{8,}\.eyJ[\w-]{4,}\.[\w-]*`)

// tokenSigns are texts of which each form has one: most values have none, and to look for them
// takes far less time than the forms do.
var tokenSigns = []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "k_live_", "k_test_", "sk-", "AIza", "SG.", "npm_", "hvs.", "hvb.", "dckr_pat_", "dop_v1_", "pypi-", "AGE-SECRET-KEY-1", "eyJ"}

// hooks are addresses that whoever knows them may post to.
var hooks = lazyregexp.New(`https://(?:hooks\.slack\.com/(?:services|workflows|triggers)|(?:\w+\.)?discord(?:app)?\.com/api/webhooks|[\w.-]+\.webhook\.office\.com|hooks\.zapier\.com/hooks)/[^\s"'<>]+`)

func webhooks(value string, words []string) []string {
	out := hooks().FindAllString(value, -1)
	if _, path, ok := strings.Cut(value, "://"); ok && filter.Any(words, func(w string) bool { return strings.HasSuffix(w, "hook") }) {
		for _, part := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/?&= ", r) }) {
			if len(part) >= 16 && changesOften(part) {
				out = append(out, part)
			}
		}
	}
	return out
}

var (
	inURL = lazyregexp.New(`[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#:@"']*)(?::([^\s/?#"']+))?@`)
	// bareURL is user:password@host without a scheme, as some drivers take it.
	bareURL = lazyregexp.New(`^[\w.-]+:([^\s@/]+)@(?:[a-z]+\()?[\w.\[-]`)
	locator = []string{"dsn", "url", "uri", "database", "db", "conn", "connection", "proxy", "amqp", "auth"}
)

// urlPasswords are the passwords in URLs, and the keys that take their place: a user of
// 16 characters or more with a digit in it.
func urlPasswords(value string, words []string) []string {
	var out []string
	for _, m := range inURL().FindAllStringSubmatch(value, -1) {
		switch user, password := m[1], m[2]; {
		case password != "":
			if !isPlain(password) {
				out = append(out, password)
			}
		case len(user) >= 16 && strings.ContainsAny(user, "0123456789") && !isPlain(user):
			out = append(out, user)
		}
	}
	if m := bareURL().FindStringSubmatch(value); m != nil && !strings.Contains(value, "@sha") && !isPlain(m[1]) && containsAny(words, locator) {
		out = append(out, m[1])
	}
	return out
}

var pem = lazyregexp.New(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----((?s:.*?))(?:-----END|$)`)

// privateKeys are the lines of private keys in PEM, whose line ends may be escaped, or
// which may be in base64 as a whole.
func privateKeys(value string) []string {
	var out []string
	for _, m := range pem().FindAllStringSubmatch(value, -1) {
		for _, line := range strings.FieldsFunc(strings.ReplaceAll(m[1], `\n`, "\n"), func(r rune) bool { return r <= ' ' }) {
			if len(line) >= shortest {
				out = append(out, line)
			}
		}
	}
	if strings.HasPrefix(value, "LS0tLS1CRUdJTi") {
		if text, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(value), "")); err == nil && pem().Match(text) {
			out = append(out, lines(value)...)
		}
	}
	return out
}

// assigned are the ways in which files, connection strings and command lines give values
// to names; a name and a value each.
var assigned = []struct {
	sign string // without it, there is none in a text
	form func() *regexp.Regexp
}{
	{"=", lazyregexp.New(`([A-Za-z][\w.-]*)[ \t]?=[ \t]?(?:"([^"\n]*)"|'([^'\n]*)'|([^\s;&"',]+))`)},
	{": ", lazyregexp.New(`(?m)^[ \t-]*["']?([\w.-]+)["']?[ \t]*:[ \t]+(?:"([^"\n]*)"|'([^'\n]*)'|(\S[^\n]*?)),?[ \t]*$`)},
	{":", lazyregexp.New(`([\w.-]+)["']?[ \t]*:[ \t]*"((?:[^"\\\n]|\\.)*)`)},
	{"</", lazyregexp.New(`<([\w.-]+)>([^<>\s]+)</`)},
	{"--", lazyregexp.New(`--([A-Za-z][\w-]*)[ \t]+([^\s"'-][^\s"']*)`)},
}

// assignments are what names of secrets are given in a text.
func assignments(value string) []string {
	if !strings.ContainsAny(value, ":=<-") || !mayNameSecret(value) {
		return nil
	}
	var out []string
	for _, a := range assigned {
		if !strings.Contains(value, a.sign) {
			continue
		}
		for _, m := range a.form().FindAllStringSubmatch(value, -1) {
			if given := strings.Join(m[2:], ""); isSecretName(wordsOf(m[1])) && !isPlain(given) {
				out = append(out, given)
			}
		}
	}
	return out
}

// credentials are those in the headers of requests.
func credentials(value string) []string {
	if text := strings.ToLower(value); !strings.Contains(text, "bearer ") && !strings.Contains(text, "basic ") {
		return nil
	}
	var out []string
	for _, m := range authorization().FindAllStringSubmatch(value, -1) {
		if strings.ContainsAny(m[1], "0123456789") {
			out = append(out, m[1])
		}
	}
	return out
}

var authorization = lazyregexp.New(`(?i)\b(?:bearer|basic) +([\w+/=.~-]{8,})`)
