package compose

import (
	"bytes"
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/template"

	"kumiki.dev/internal/secretlike"
)

// Where a value depends on a variable that nobody has given one, the variable's name is
// in its place, between these. They are in no text that people write.
const (
	open = '\ue000'
	shut = '\ue001'
)

// hole finds such a place.
var hole = regexp.MustCompile(string(open) + `(\w+)` + string(shut))

// unmarked is a text with its variables as they were written.
func unmarked(text string) string {
	text = strings.NewReplacer(`\ue000`, string(open), `\ue001`, string(shut)).Replace(text) // as Go quotes them
	return hole.ReplaceAllString(text, "$${${1}}")
}

// variables are those of .env beside the Compose file.
type variables map[string]string

// dotenv reads .env as Compose does, if it is there.
func (a *application) dotenv() (variables, error) {
	text, err := readBounded(a.dir, ".env", maxMount)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseEnv(text)
}

// parseEnv reads a file of variables; those that it refers to are its own.
func parseEnv(text []byte) (variables, error) {
	return dotenv.ParseWithLookup(bytes.NewReader(text), func(string) (string, bool) { return "", false })
}

func (v variables) lookup(name string) (string, bool) { value, ok := v[name]; return value, ok }

// plain is a variable without a default: $X, ${X}.
var plain = regexp.MustCompile(`^\$(?:\{\w+\}|\w+)$`)

// substitute puts values in place of variables. A secret is not read from .env: its
// name stays.
func (v variables) substitute(text string, _ template.Mapping) (string, error) {
	replace := func(variable string, _ template.Mapping, cfg *template.Config) (string, error) {
		asked, kept := "", false
		value, err := template.DefaultReplacementFunc(variable, func(name string) (string, bool) {
			asked = name
			value, ok := v[name]
			kept = kept || ok && secretlike.Is(name, value)
			return value, ok
		}, cfg)
		_, there := v[asked]
		missing := new(template.MissingRequiredError)
		if kept || asked != "" && !there && (plain.MatchString(variable) || errors.As(err, &missing)) {
			return string(open) + asked + string(shut), nil
		}
		return value, err
	}
	return template.SubstituteWithOptions(text, v.lookup, template.WithReplacementFunction(replace), template.WithoutLogging)
}

// word is a name in small letters, digits and hyphens.
func word(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '.' || r == ' ' || r == '/' {
			return '-'
		}
		return r
	}, strings.ToLower(name))
	return strings.Trim(name, "-")
}

// camel is a name as fields of config are written: dbPassword.
func camel(name string) string {
	var out strings.Builder
	for i, part := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_-. /", r) }) {
		if i > 0 {
			first, size := utf8.DecodeRuneInString(part)
			part = string(unicode.ToUpper(first)) + part[size:]
		}
		out.WriteString(part)
	}
	return out.String()
}
