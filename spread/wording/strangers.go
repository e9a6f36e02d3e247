package wording

import (
	"fmt"
	"path"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
)

// NotFoundHere ends the message about a name that nothing has.
const NotFoundHere = " is neither a field here nor an import; a text is written in quotes"

// stranger is names that other languages have, with what is said of them.
type stranger struct {
	names []string
	say   string
}

const noFunction = " is no function here; "

var strangers = []stranger{
	{[]string{"True", "yes", "on", "TRUE"}, " is no value here; write true"},
	{[]string{"False", "no", "off", "FALSE"}, " is no value here; write false"},
	{[]string{"nil", "None", "Null", "NULL", "undefined"}, " is no value here; leave the field out, or write null"},
	{[]string{"var", "local", "locals", "each", "module"}, " is Terraform's; what is configured is referred to by its path: description.config.parameter.NAME"},
	{[]string{"Values", "Release", "Chart", "include", "quote", "default", "toYaml"}, " is Helm's; what is configured is referred to by its path: description.config.parameter.NAME"},
	{[]string{"fmt", "format", "printf", "sprintf", "concat"}, noFunction + `a value is put into a text by "\(x)"`},
	{[]string{"any", "map", "object", "str", "boolean", "integer", "array", "text", "char", "double", "String", "Integer", "Int", "Bool", "Boolean", "Number", "Float", "uuid4"}, " is no type here; there are string, int, number, bool, [...string] and {[string]: string}"},
	{[]string{"enum", "oneOf", "one_of", "choice", "Literal"}, noFunction + `alternatives are written "a" | "b", and with a default *"a" | "b"`},
	{[]string{"secret", "password"}, " is no type here; a secret is asked for as config: resource: NAME: k.#Secret"},
	{[]string{"upper", "toUpper", "uppercase"}, noFunction + `write strings.ToUpper(…), with import "strings"`},
	{[]string{"lower", "toLower", "lowercase"}, noFunction + `write strings.ToLower(…), with import "strings"`},
	{[]string{"join"}, noFunction + `write strings.Join(LIST, ","), with import "strings"; a value is put into a text by "\(x)"`},
	{[]string{"split", "replace", "trim", "trimspace", "contains", "startswith", "hasPrefix"}, noFunction + `texts are taken apart by CUE's package strings, with import "strings"`},
	{[]string{"optional", "nullable", "Optional", "required"}, noFunction + `what need not be given has a default: *"…" | string`},
	{[]string{"length", "size", "count"}, noFunction + "write len(x)"},
	{[]string{"toset", "tolist", "tostring", "tomap", "tonumber", "lookup", "merge", "element", "flatten", "coalesce", "try", "range"}, noFunction + "lists and structs are used as they are: x[0], x.NAME, for v in x {…}, A & B"},
	{[]string{"b64enc", "base64encode", "b64", "btoa"}, noFunction + `write base64.Encode(null, x), with import "encoding/base64"`},
	{[]string{"jsonencode", "toJson", "jsondecode"}, noFunction + `write json.Marshal(x), with import "encoding/json"`},
	{[]string{"yamlencode", "toYAML"}, noFunction + `write yaml.Marshal(x), with import "encoding/yaml"`},
	{[]string{"file", "templatefile", "readFile", "require"}, noFunction + "a deployment's value that is a file is given by --set PATH=@FILE, and a file of the module by @embed(file=NAME)"},
	{[]string{"os", "env", "getenv", "ENV", "process", "uuid", "now", "timestamp", "random", "randAlphaNum", "date", "hostname"}, " is not known here: what is compiled depends on its sources alone; give such a value by -f or --set"},
	{[]string{"description"}, " is not there: it is a field of an artifact, and a deployment gives plain values"},
	{[]string{"self", "this"}, " is no name here; a field is referred to by its path, such as config.parameter.NAME"},
	{[]string{"srv"}, ` is not there: write srv: server: NAME: {protocol: "http", port: 8080} into the description`},
	{[]string{"config"}, " is not there: write config: parameter: {NAME: …} into the description"},
	{[]string{"list"}, ` is a package of CUE's that is not imported; write import "list", or [...string] for a list of texts`},
}

// foundNowhere says what a name was probably meant to be that nothing has.
func foundNowhere(name string) string {
	name = strings.Trim(name, `"`)
	if strings.HasPrefix(name, "$") {
		return " is not known here: what is compiled depends on its sources alone, not on the environment; give such a value by -f or --set"
	}
	for _, s := range strangers {
		if filter.Contains(s.names, name) {
			return s.say
		}
	}
	for _, p := range imported {
		if path.Base(p) == name {
			return fmt.Sprintf(" is a package of CUE's that is not imported; write import %q", p)
		}
	}
	return NotFoundHere
}

// imported are packages of CUE's that manifests use.
var imported = []string{
	"strings", "strconv", "math", "regexp", "encoding/json", "encoding/yaml", "encoding/base64", "encoding/hex", "crypto/sha256", "net", "path", "struct", "time", "text/template",
}

// meantValue is the one of an enumeration that a value was probably meant to be.
func meantValue(found string, words []string) (string, bool) {
	if near, ok := diag.Nearest(found, words); ok {
		return near, true
	}
	return oursOf(valueSynonyms, strings.NewReplacer("-", "", "_", "").Replace(found), words)
}

// valueSynonyms are values that the model has, and what other tools call them, in small letters.
const valueSynonyms = `
lb: loadbalancer roundrobin balanced
full: all mesh headless
m: millicores milli millis
ms: milliseconds
Mi: mebibytes
M: megabytes
G: gigabytes
http: websocket ws
tcp: postgresql mysql redis
pg: gp
`

// declaredAs says how a parameter is declared whose type is a text, or a struct that has
// one, as in schemas elsewhere.
func declaredAs(name string, schema cue.Value) string {
	types := []string{"string", "int", "integer", "number", "bool", "boolean", "list", "object"}
	if text, err := schema.String(); err == nil && filter.Contains(types, text) {
		return fmt.Sprintf("; a type is declared without quotes: %s: %s", label(name), text)
	}
	if text, err := schema.LookupPath(cue.ParsePath("type")).String(); err == nil && filter.Contains(types, text) {
		return fmt.Sprintf("; a parameter is declared by its type alone: %[1]s: %[2]s, or with a default %[1]s: *… | %[2]s", label(name), text)
	}
	return ""
}
