package wording

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cuelang.org/go/cue/literal"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
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
	case isText && filter.Contains([]string{"int", "uint", "number", "float", "uint16", "uint32"}, wanted):
		if number().MatchString(text) && strings.HasPrefix(text, "0") && text != "0" {
			return "; write it without quotes: 0o" + strings.TrimLeft(text, "0") + ", with 0o before digits to the base of eight"
		}
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return "; write it without quotes: " + text
		}
	case isText && wanted == "bool" && (text == "true" || text == "false"):
		return "; write it without quotes: " + text
	case wanted == "string" && asItStands().MatchString(found):
		return "; write it in quotes: " + strconv.Quote(found)
	}
	if len(path) == 0 {
		return "" // the error is one of the artifact as a whole
	}
	if name := path[len(path)-1]; isText && strings.HasPrefix(wanted, "[...") {
		return fmt.Sprintf("; write %s: [%s]", label(name), quotedWords(text))
	}
	for _, form := range forms {
		if like(path, form.path) {
			if out := form.write(path[len(path)-1], found); strings.HasPrefix(out, "leave it out") {
				return "; " + out
			} else if out != "" {
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
	{[]string{"description", "code", "*", "mapping", "env", "*"}, func(name, found string) string {
		text, ok := unquoted(found)
		switch {
		case name == "name" && ok:
			return label(text) + `: value: "…", as a variable is called as its field`
		case name == "value" && ok:
			name = "NAME"
		}
		if ok {
			return label(name) + ": value: " + strconv.Quote(text)
		}
		if asItStands().MatchString(found) {
			return label(name) + `: value: "` + found + `"`
		}
		return label(name) + `: parameter: "…", where it is what config: parameter has, or value: "\(…)"`
	}},
	{[]string{"description", "code", "*", "mapping", "env"}, environment},
	{[]string{"description", "code", "*", "mapping", "filesystem"}, func(_, _ string) string {
		return `filesystem: "/path": volume: "…", or filesystem: "/path": data: value: "…" for a file`
	}},
	{atPath, func(name, found string) string { return label(name) + `: data: value: "…", or volume: "NAME"` }},
	{append(slices.Clone(atPath), "data"), textIn("value")},
	{[]string{"description", "code", "*", "size"}, func(_, _ string) string {
		return `size: {cpu: {size: 500, unit: "m"}, memory: {size: 256, unit: "Mi"}}`
	}},
	{[]string{"description", "code", "*", "size", "cpu", "unit"}, func(_, _ string) string {
		return `unit: "m" for thousandths of a core, "" for cores`
	}},
	{[]string{"description", "srv", "server", "*", "port"}, containerPort},
	{[]string{"description", "srv", "duplex", "*", "port"}, containerPort},
	{[]string{"description", "probe", "*", "liveness", "startupGraceWindow"}, grace},
	{[]string{"description", "probe", "*", "liveness", "startupGraceWindow", "unit"}, func(_, _ string) string {
		return `unit: "ms", and the duration in milliseconds`
	}},
	{[]string{"description", "probe", "*", "*", "protocol", "exec"}, func(_, found string) string {
		if text, ok := unquoted(found); ok {
			return "exec: command: [" + quotedWords(text) + "]"
		}
		return `exec: command: ["…"]`
	}},
	{[]string{"config", "scale"}, func(_, found string) string {
		if !number().MatchString(found) {
			return "scale: hsize: 2, or of a role of a service, scale: detail: ROLE: hsize: 2"
		}
		return fmt.Sprintf("scale: hsize: %[1]s, or of a role of a service, scale: detail: ROLE: hsize: %[1]s", found)
	}},
	{[]string{"config", "scale", "detail", "*"}, func(name, found string) string {
		if !number().MatchString(found) {
			found = "2"
		}
		return label(name) + ": hsize: " + found
	}},
	{[]string{"ref", "version"}, func(_, _ string) string { return "leave it out: kumiki publish gives the version" }},
	{[]string{"spec"}, func(_, _ string) string {
		return "description: {…} for what the artifact is, and leave spec out"
	}},
	{[]string{"description", "srv", "*"}, func(name, _ string) string { return name + `: NAME: {protocol: "http", port: 8080}` }},
	{[]string{"description", "srv", "client", "*"}, func(name, found string) string {
		if _, ok := unquoted(found); ok {
			return channel(name, found)
		}
		return label(name) + `: protocol: "tcp", and a connector of the service leads to the server`
	}},
	{[]string{"description", "connect"}, func(_, _ string) string { return `connect: NAME: {from: ROLE: "CHANNEL", to: ROLE: CHANNEL: _}` }},
	{[]string{"description", "connect", "*", "from", "*"}, func(name, found string) string {
		return "from: " + label(name) + ": " + strconv.Quote(onlyField(found))
	}},
	{[]string{"description", "code", "*", "image"}, textIn("tag")},
	{[]string{"description", "code", "*", "image", "hub"}, textIn("name")},
	{[]string{"description", "code", "*", "user"}, func(name, found string) string {
		if text, ok := unquoted(found); ok && number().MatchString(text) {
			found = text
		}
		if !number().MatchString(found) {
			found = "10001"
		}
		return fmt.Sprintf("%s: {userid: %[2]s, groupid: %[2]s}, the numbers of the image's user", name, found)
	}},
	{[]string{"description", "probe", "*", "*", "timeout"}, milliseconds},
	{[]string{"description", "probe", "*", "*", "frequency"}, milliseconds},
	{[]string{"description", "probe", "*", "*", "protocol", "http"}, func(name, found string) string {
		if number().MatchString(found) {
			return fmt.Sprintf(`%s: {port: %s, path: "/"}`, name, found)
		}
		return name + `: {port: 8080, path: "/"}`
	}},
	{[]string{"description", "probe", "*", "*", "protocol"}, func(_, _ string) string {
		return `protocol: http: {port: 8080, path: "/"}, or protocol: tcp: port: 8080`
	}},
	{[]string{"description", "role", "*"}, func(name, _ string) string { return label(name) + ": artifact: x.#Artifact, where x is an import" }},
	{[]string{"description", "code", "*", "size", "*"}, amount},
	{[]string{"description", "size", "bandwidth"}, amount},
	{[]string{"description", "srv", "*", "*"}, channel},
	{[]string{"description", "connect", "*"}, func(name, _ string) string {
		return label(name) + `: {from: ROLE: "CHANNEL", to: ROLE: CHANNEL: _}`
	}},
	{[]string{"description", "connect", "*", "from"}, func(_, found string) string {
		role, channel := endIn(found)
		return "from: " + role + ": " + strconv.Quote(channel)
	}},
	{[]string{"description", "connect", "*", "to"}, func(_, found string) string {
		role, channel := endIn(found)
		return "to: " + role + ": " + label(channel) + ": _"
	}},
	{[]string{"description", "connect", "*", "to", "*"}, func(name, found string) string {
		channel, ok := unquoted(found)
		if !ok {
			channel = "CHANNEL"
		}
		return "to: " + label(name) + ": " + label(channel) + ": _"
	}},
}

// number is a whole number, asItStands what is a value as it stands.
var (
	number     = lazyregexp.New(`^[0-9]+$`)
	asItStands = lazyregexp.New(`^(-?[0-9][0-9.]*|true|false)$`)
)

// variable is one of a list of variables, as NAME=VALUE or with its name and value.
var variable = lazyregexp.New(`^\[(?:"([A-Za-z_]\w*)=([^"]*)"|\{name:"([^"]*)",value:"([^"]*)"\})`)

// environment writes a list of variables as the struct that they are.
func environment(_, found string) string {
	name, text := "NAME", "…"
	if m := variable().FindStringSubmatch(found); m != nil {
		name, text = m[1]+m[3], m[2]+m[4]
	}
	return fmt.Sprintf("env: %s: value: %q, a field for each", label(name), text)
}

// grace writes a time in place of startupGraceWindow: a number of seconds, or 30s.
func grace(name, found string) string {
	ms := "10000"
	if text, ok := unquoted(found); ok {
		if d, err := time.ParseDuration(text); err == nil && d > 0 {
			ms = strconv.FormatInt(d.Milliseconds(), 10)
		}
	} else if number().MatchString(found) && len(found) < 4 {
		ms = found + "000"
	}
	return fmt.Sprintf("%s: {unit: \"ms\", duration: %s}", name, ms)
}

// onlyField is the only field of a struct, as CUE prints it: a channel that is named like
// the end of a connector.
func onlyField(found string) string {
	if fields, ok := structFields(found); ok && len(fields) == 1 && !strings.HasPrefix(fields[0], "#") {
		return fields[0]
	}
	return "CHANNEL"
}

// textIn writes a text as a field of a struct.
func textIn(field string) func(name, found string) string {
	return func(name, found string) string {
		if text, ok := unquoted(found); ok {
			return name + ": " + field + ": " + strconv.Quote(text)
		}
		return ""
	}
}

// milliseconds writes a time, such as 10s.
func milliseconds(name, found string) string {
	text, ok := unquoted(found)
	if !ok {
		return ""
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return fmt.Sprintf("%s: %d, in milliseconds", name, d.Milliseconds())
	}
	return ""
}

// quotedWords are the words of a command as the elements of a list.
func quotedWords(text string) string {
	var out []string
	for _, word := range strings.Fields(text) {
		out = append(out, strconv.Quote(word))
	}
	return strings.Join(out, ", ")
}

// like reports whether a path is one of a form.
func like(path, form []string) bool {
	return slices.EqualFunc(path, form, func(name, pattern string) bool { return pattern == "*" || name == pattern })
}

// quantity is how amounts are written elsewhere: "512Mi", 0.5.
var quantity = lazyregexp.New(`^([0-9]+(?:\.[0-9]+)?) ?([a-zA-Z]*)$`)

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
	parts := quantity().FindStringSubmatch(text)
	switch {
	case parts == nil:
		parts = []string{"", "1", units[len(units)/2]}
	case parts[2] == "" && name != "cpu":
		parts[2] = "M"
	}
	if !filter.Contains(units, parts[2]) {
		return ""
	}
	return fmt.Sprintf("%s: {size: %s, unit: %q}", name, parts[1], parts[2])
}

// channel writes what stands in place of a channel: its port, or its protocol.
func channel(name, found string) string {
	if name == "protocol" || name == "port" {
		return `NAME: {protocol: "http", port: 8080}: channels have names`
	}
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

// endIn are the role and channel that a text in place of an end of a connector names.
func endIn(found string) (role, channel string) {
	text, _ := unquoted(found)
	role, channel, _ = strings.Cut(text, ".")
	return label(cmp.Or(role, "ROLE")), cmp.Or(channel, "CHANNEL")
}

// unquoted is the text of a literal in double quotes, false for anything else.
func unquoted(found string) (string, bool) {
	if !strings.HasPrefix(found, `"`) {
		return "", false
	}
	text, err := strconv.Unquote(found)
	return text, err == nil
}

// containerPort is the port of a component in one of a host's and its own, as other tools map
// them.
func containerPort(_, found string) string {
	text, _ := unquoted(found)
	parts := strings.Split(text, ":")
	port, _, _ := strings.Cut(parts[len(parts)-1], "/")
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || len(parts) < 2 {
		return ""
	}
	return "port: " + port + ", the one that the component listens on; none of a host is chosen here"
}
