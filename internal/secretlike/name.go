package secretlike

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kumiki.dev/internal/filter"
)

// Path returns the name that a text is judged by, which is given at a path of fields,
// and whether the text is a value at all: {secret: "db"} refers to one.
func Path(path []string) (name string, ok bool) {
	free := slices.Contains(path, "parameter") && path[len(path)-1] != "parameter" // what an artifact's author calls as he likes
	for i, field := range path {
		if !free && (field == "connect" || field == "srv") && (i == 0 || path[i-1] == "description") {
			return "", false // names of roles and channels
		}
	}
	for _, field := range slices.Backward(path) {
		switch {
		case !free && isReference(field):
			return "", false
		case field == "" || field == "value" || field == "default" || field == "content" || field == "data" || field[0] == '[' || unicode.IsDigit(rune(field[0])):
			continue
		}
		return field, true
	}
	return "", true
}

// isReference reports whether a field of the model has a name of something else.
func isReference(field string) bool {
	switch field {
	case "secret", "parameter", "certificate", "ca", "domain", "port", "volume", "$from", "field":
		return true
	}
	return false
}

// Dotted splits a path that is written with dots; parts with dots of their own are
// quoted.
func Dotted(path string) []string {
	var out []string
	quoted, begin := false, 0
	for i := 0; i <= len(path); i++ {
		switch {
		case i == len(path) || path[i] == '.' && !quoted:
			out = append(out, strings.Trim(path[begin:i], `"`))
			begin = i + 1
		case path[i] == '"':
			quoted = !quoted
		}
	}
	return out
}

// wordsOf splits a name into words in small letters: at capitals (apiKey), and at all
// that is neither letter nor digit.
func wordsOf(name string) []string {
	words, begin, before := make([]string, 0, 4), -1, rune(0)
	end := func(at int) {
		if begin >= 0 {
			words = append(words, strings.ToLower(name[begin:at]))
		}
		begin = -1
	}
	for i, r := range name {
		beginsWord := unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsUpper(before) && isLowerAt(name[i+utf8.RuneLen(r):]))
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
		case beginsWord:
			end(i)
			begin = i
		case begin < 0:
			begin = i
		}
		before = r
	}
	end(len(name))
	return words
}

// isLowerAt reports whether a text begins with a small letter.
func isLowerAt(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r)
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

var (
	// secretWords make a name that of a secret wherever they are in it.
	secretWords = set("password passwd passwort pwd passphrase passcode pgpass secret secrets token tokens credential credentials creds apikey")
	// lastWords do so at its end: elsewhere they tell what it is about.
	lastWords = set("pass pat jwt bearer cred dbpass sqlpass mysqlpass smtppass rootpass userpass adminpass redispass mailpass ftppass ldappass pepper")
	// keyWords make the word key after them that of a secret.
	keyWords = set("api access secret private encryption encrypt signing sign master auth shared account license licence hmac aes rsa deploy webhook app admin ssh cipher crypto jwt")
	// aspects are what a secret has, or how it is got: PASSWORD_FILE, TOKEN_TTL.
	aspects = set("file files path paths dir directory folder name names id ids ttl url urls uri host hosts hostname port endpoint server type kind length len size " +
		"enabled enable disabled disable required require expiry expires expiration expire duration timeout lifetime age interval period policy rules rule " +
		"count limit limits max min algorithm alg algo issuer audience aud iss provider store manager backend mount header prefix suffix format mode scheme version " +
		"rotation ref reference claim claims field column table user username email method strategy mechanism encoder encoding hint label title prompt placeholder description " +
		"attempts retries cost rounds engine driver class validity location source regex pattern charset complexity verification support form service bucket namespace")
	// publicWords are of what is meant to be known.
	publicWords = set("public pub publishable fingerprint checksum digest hash sha sha1 sha256 sha512 md5 commit revision etag integrity certificate cert crt ca chain " +
		"id uuid guid image tag ref version module measurement site nonce")
	endings = []string{"token", "apikey", "secretkey", "privatekey", "accesskey", "pwd"}
)

// isSecretName reports whether what is called so is a secret, whatever it is.
func isSecretName(words []string) bool {
	for len(words) > 1 && isNumber(words[len(words)-1]) {
		words = words[:len(words)-1] // PASSWORD_2
	}
	if len(words) == 0 || aspects[words[len(words)-1]] || slices.Contains(words, "public") || slices.Contains(words, "publishable") {
		return false
	}
	for i, w := range words {
		w = strings.TrimRight(w, "0123456789")
		last := i == len(words)-1
		switch {
		case secretWords[w], lastWords[w] && last,
			strings.Contains(w, "passw"), strings.Contains(w, "pasw"), strings.Contains(w, "credential"),
			strings.Contains(w, "secret") && !strings.Contains(w, "secretar"),
			filter.Any(endings, func(ending string) bool { return strings.HasSuffix(w, ending) }),
			w == "key" && i > 0 && keyWords[words[i-1]]:
			return true
		}
	}
	return false
}

// stems are parts of words. The name of a secret contains at least one of them.
var stems = []string{"pass", "pasw", "pwd", "secret", "token", "cred", "key", "jwt", "pat", "bearer", "pepper"}

// mayNameSecret reports whether a text may contain the name of a secret. It takes far less time than
// to look for the names.
func mayNameSecret(text string) bool {
	text = strings.ToLower(text)
	return filter.Any(stems, func(stem string) bool { return strings.Contains(text, stem) })
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// mayBeScrambled reports whether what is called so may be judged by its value.
func mayBeScrambled(words []string) bool {
	return !filter.Any(words, func(w string) bool { return publicWords[w] }) && len(words) > 0
}

func containsAny(words, of []string) bool {
	return filter.Any(words, func(w string) bool { return slices.Contains(of, w) })
}
