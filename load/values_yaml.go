package load

import (
	"bytes"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/encoding/yaml"

	"kumiki.dev/diag"
	"kumiki.dev/internal/lazyregexp"
)

// parseYAML reads values in YAML, of which a file holds one document.
func parseYAML(f ValuesFile) (*ast.File, error) {
	if at := secondDocument(f.Data); at >= 0 {
		return nil, diag.New(diag.BadValues, positionAt(f.Name, f.Data, at), "another document begins here, and a values file is one: give each a file of its own with -f")
	}
	file, err := yaml.Extract(f.Name, f.Data)
	if err != nil {
		if at := tabIndent(f.Data); at >= 0 {
			return nil, diag.New(diag.BadValues, positionAt(f.Name, f.Data, at), "a tab begins this line, and YAML is indented with spaces: write two for each level")
		}
		if at := nested().FindSubmatchIndex(f.Data); at != nil {
			return nil, diag.New(diag.BadValues, positionAt(f.Name, f.Data, at[2]), "in YAML, a field in a field stands in a line of its own: write %s: below %s:, indented by two spaces", f.Data[at[4]:at[5]], f.Data[at[2]:at[3]])
		}
	}
	return file, err
}

// nested is a line with a field in a field, as CUE has them.
var nested = lazyregexp.New(`(?m)^ *([A-Za-z_][\w-]*): +([A-Za-z_][\w-]*):(?: |$)`)

// tabIndent is where a tab is among what a line is indented with, -1 if none is.
func tabIndent(text []byte) int {
	start := 0
	for line := range bytes.Lines(text) {
		code := bytes.TrimLeft(line, " \t")
		if at := bytes.IndexByte(line[:len(line)-len(code)], '\t'); at >= 0 && len(bytes.TrimSpace(code)) > 0 {
			return start + at
		}
		start += len(line)
	}
	return -1
}

// secondDocument is where a document begins behind another one, -1 if none does. A
// line with what separates them may come before the first.
func secondDocument(text []byte) int {
	start, content := 0, false
	separator := -1
	for line := range bytes.Lines(text) {
		code := bytes.TrimSpace(line)
		switch {
		case bytes.HasPrefix(line, []byte("---")) && (len(code) == 3 || line[3] == ' ' || line[3] == '\t'):
			if content {
				separator = start
			}
			if len(code) > 3 && code[3] != '#' && !bytes.HasPrefix(bytes.TrimSpace(code[3:]), []byte("#")) {
				if separator >= 0 {
					return separator
				}
				content = true
			}
		case len(code) > 0 && code[0] != '#' && code[0] != '%' && !bytes.Equal(code, []byte("...")):
			if separator >= 0 {
				return separator
			}
			content = true
		}
		start += len(line)
	}
	return -1
}
