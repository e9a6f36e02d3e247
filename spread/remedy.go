package spread

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/literal"
)

// remedy says what to write in place of a value that has another type than the
// model's or the artifact's, "" where that is not known.
func remedy(path []string, found, wanted string) string {
	text, isText := unquoted(found)
	switch {
	case strings.HasPrefix(found, "'") && wanted == "string":
		if bytes, err := literal.Unquote(found); err == nil {
			return "; single quotes are for bytes, a text is in double quotes: " + literal.String.Quote(bytes)
		}
	case isText && slices.Contains([]string{"int", "uint", "number", "float", "uint16", "uint32"}, wanted):
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return "; write it without quotes: " + text
		}
	case isText && wanted == "bool" && (text == "true" || text == "false"):
		return "; write it without quotes: " + text
	}
	for _, form := range forms {
		if like(path, form.path) {
			if out := form.write(path[len(path)-1], found); out != "" {
				return "; write " + out
			}
		}
	}
	return ""
}

// form is how a part of the model is written, at a path in which * is any name.
type form struct {
	path  []string
	write func(name, found string) string
}

var forms = []form{
	{[]string{"description", "code", "*", "size", "*"}, amount},
	{[]string{"description", "size", "bandwidth"}, amount},
	{[]string{"description", "srv", "*", "*"}, channel},
	{[]string{"description", "connect", "*"}, func(name, _ string) string {
		return label(name) + `: {from: ROLE: "CHANNEL", to: ROLE: CHANNEL: _}`
	}},
	{[]string{"description", "connect", "*", "from"}, func(_, found string) string { return "from: " + roleIn(found) + `: "CHANNEL"` }},
	{[]string{"description", "connect", "*", "to"}, func(_, found string) string { return "to: " + roleIn(found) + ": CHANNEL: _" }},
	{[]string{"description", "connect", "*", "to", "*"}, func(name, found string) string {
		channel, ok := unquoted(found)
		if !ok {
			return ""
		}
		return "to: " + label(name) + ": " + label(channel) + ": _"
	}},
}

// like reports whether a path is one of a form.
func like(path, form []string) bool {
	return slices.EqualFunc(path, form, func(name, pattern string) bool { return pattern == "*" || name == pattern })
}

// quantity is how amounts are written elsewhere: "512Mi", 0.5.
var quantity = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([a-zA-Z]*)$`)

// amount writes a quantity in the model's form.
func amount(name, found string) string {
	units := map[string][]string{"cpu": {"", "m"}, "bandwidth": {"k", "M", "G", "T"}, "memory": {"k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"}}[name]
	if units == nil {
		return ""
	}
	text, ok := unquoted(found)
	if !ok {
		text = found
	}
	parts := quantity.FindStringSubmatch(text)
	switch {
	case parts == nil:
		parts = []string{"", "1", units[len(units)/2]}
	case parts[2] == "" && name != "cpu":
		parts[2] = "M"
	}
	if !slices.Contains(units, parts[2]) {
		return ""
	}
	return fmt.Sprintf("%s: {size: %s, unit: %q}", name, parts[1], parts[2])
}

// channel writes what stands in place of a channel: its port, or its protocol.
func channel(name, found string) string {
	if text, ok := unquoted(found); ok {
		if _, err := strconv.Atoi(text); err == nil {
			return label(name) + ": port: " + text
		}
		return fmt.Sprintf("%s: protocol: %q", label(name), text)
	}
	if _, err := strconv.Atoi(found); err == nil {
		return label(name) + ": port: " + found
	}
	return ""
}

// roleIn is the role that a text in place of an end of a connector names.
func roleIn(found string) string {
	if role, ok := unquoted(found); ok && role != "" {
		return label(role)
	}
	return "ROLE"
}

// unquoted is the text of a literal in double quotes, false for anything else.
func unquoted(found string) (string, bool) {
	if !strings.HasPrefix(found, `"`) {
		return "", false
	}
	text, err := strconv.Unquote(found)
	return text, err == nil
}
