package swarm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"

	"kumiki.dev/targets"
	"kumiki.dev/targets/yamlwriter"
)

// Encode writes objects of [Lower] as one stack file, in YAML. Dollars are
// doubled, as docker stack deploy takes single ones for its own variables.
func Encode(to io.Writer, objects []targets.Object) error {
	w := yamlwriter.New(to, yamlwriter.Style{Scalar: scalar, Lines: block, Text: doubled, Own: octal, Declared: true})
	if err := w.Document(New(objects)); err != nil {
		return err
	}
	return w.Flush()
}

// EncodeJSON writes what [Encode] does as JSON, which docker reads as it reads YAML: dollars
// are doubled there too.
func EncodeJSON(to io.Writer, objects []targets.Object) error {
	var stack bytes.Buffer
	if err := Encode(&stack, objects); err != nil {
		return err
	}
	data, err := yaml.YAMLToJSON(stack.Bytes())
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, data, "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	_, err = text.WriteTo(to)
	return err
}

func doubled(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// octal is a mode as it is written.
func octal(x any) (any, bool) {
	mode, ok := x.(Mode)
	return json.Number(fmt.Sprintf("0%03o", mode)), ok
}
