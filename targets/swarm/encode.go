package swarm

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

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

func doubled(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// octal is a mode as it is written.
func octal(x any) (any, bool) {
	mode, ok := x.(Mode)
	return json.Number(fmt.Sprintf("0%03o", mode)), ok
}
