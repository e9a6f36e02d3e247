package secretlike

import (
	"math"
	"strings"

	"kumiki.dev/internal/lazyregexp"
)

var (
	// reference is what stands for a value that is elsewhere.
	reference = lazyregexp.New(`^(\$\{?\w.*|\$\(.*\)|\{\{.*\}\}|<[^<>]*>|%\w+%|%[sdvq]|arn:.*|op://.*|vault:.*|ref\+.*|file:.*|env:.*|secretref.*|projects/.+/secrets/.+|keyvault.*)$`)
	// placeholder is what is to be replaced, or stands for nothing.
	placeholder = lazyregexp.New(`(?i)^(change[-_ ]?(me|it)\W*|replace[-_ ]?(me|this)?\b.*|your[-_ ].*|insert[-_ ].*|todo|tbd|fixme|placeholder|example|dummy|redacted|hidden|\(hidden\)|masked|[x*.]+` +
		`|yes|no|true|false|on|off|none|null|nil|undefined|unset|default|empty|disabled?|enabled?|auto|optional|required|basic|bearer|plain|cookie|header|query|md5|bcrypt|argon2(id?)?|scrypt|scram-sha-\d+|sha-?\d+|[hrep]s\d{3})$`)
	// number is one without or with a unit, a version, a duration.
	number   = lazyregexp.New(`^([0-9]{1,6}|[+-]?[0-9]+\.[0-9]+|v?[0-9]+(\.[0-9]+)+([-+][\w.-]+)?|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h|d|w|y|[KMGT]i?B?))+)$`)
	filePath = lazyregexp.New(`^(~|\.{1,2})?(/[\w.@%+-]+)*/?$|^[A-Za-z]:\\`)
	hostName = lazyregexp.New(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\.[a-z]{2,12}(:[0-9]+)?$`)
	plainURL = lazyregexp.New(`^[a-z][a-z0-9+.-]*://[^\s]*$`)
	image    = lazyregexp.New(`^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+(:[\w.-]+|@sha256:[0-9a-f]+)$`)
	digest   = lazyregexp.New(`(?i)^(sha\d+|md5|blake\w+|h1)[:-]`)
	public   = lazyregexp.New(`^(ssh-(rsa|ed25519|dss)|ecdsa-sha2-\S+) |-----BEGIN ([A-Z0-9]+ )*(PUBLIC KEY|CERTIFICATE)|^age1|^LS0tLS1CRUdJTi(BQVUJ|BDRVJ)`)
	uuid     = lazyregexp.New(`(?i)^\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$`)
)

// isPlain reports whether a value is no secret, even where one is expected.
func isPlain(value string) bool {
	v := strings.TrimSpace(value)
	switch {
	case v == "", placeholder().MatchString(v), reference().MatchString(v), number().MatchString(v), digest().MatchString(v):
		return true
	case filePath().MatchString(v):
		return !isScrambled(strings.Trim(v, "/"))
	case hostName().MatchString(v), image().MatchString(v):
		return !changesOften(v)
	}
	return plainURL().MatchString(v) && !inURL().MatchString(v) || public().MatchString(v)
}

// leastScrambled is how long a value is that is judged by its characters alone.
const leastScrambled = 20

// isScrambled reports whether a value looks as if it had been drawn: a key in base64 or
// hexadecimal digits, and not what is called by such digits as well, a digest, a commit
// or a UUID.
func isScrambled(v string) bool {
	if len(v) < leastScrambled || len(v) > 4096 {
		return false
	}
	if strings.ContainsFunc(v, func(r rune) bool { return !strings.ContainsRune(base64Runes, r) }) {
		return false
	}
	switch {
	case digest().MatchString(v), uuid().MatchString(v), public().MatchString(v), isNumber(v):
		return false
	case strings.Trim(strings.ToLower(v), "0123456789abcdef") == "":
		switch len(v) {
		case 32, 40, 56, 64, 96, 128: // of digests
			return false
		}
	}
	return changesOften(v) && entropy(v) >= 3.5
}

const base64Runes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"

// changesOften reports whether digits, capitals and small letters follow one another as
// they do by chance, and not as in words.
func changesOften(v string) bool {
	changes, digits, before := 0, 0, byte(0)
	for i := range len(v) {
		kind := kindOf(v[i])
		if kind == '0' {
			digits++
		}
		if i > 0 && kind != before && kind != '-' && before != '-' {
			changes++
		}
		before = kind
	}
	return digits > 0 && changes*100 >= len(v)*28
}

func kindOf(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return '0'
	case c >= 'A' && c <= 'Z':
		return 'A'
	case c >= 'a' && c <= 'z':
		return 'a'
	}
	return '-'
}

// entropy is how many bits a character of the value has, as often as each is there.
func entropy(v string) float64 {
	counts := map[byte]int{}
	for i := range len(v) {
		counts[v[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		p := float64(n) / float64(len(v))
		sum -= p * math.Log2(p)
	}
	return sum
}
