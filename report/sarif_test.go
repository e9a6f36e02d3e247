package report_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // for its copy of the schema
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/report"
)

// sarifSchema is the official schema, OASIS's sarif-schema-2.1.0.json (errata
// 01). Its terms want OASIS's notice beside every copy, so there is none here:
// it is read from the sources of a module that has it as a constant.
var sarifSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const carrier = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", carrier).Output()
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	text, err := strconv.Unquote(f.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
	if err != nil {
		return nil, err
	}
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", schema); err != nil {
		return nil, err
	}
	return c.Compile("sarif.json")
})

// valid demands that the document is SARIF.
func valid(t *testing.T, document []byte) {
	t.Helper()
	schema, err := sarifSchema()
	require.NoError(t, err)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(v), "%s", document)
}

// TestSARIF validates a log of nothing, and one with a result of each kind;
// TestRealPlaces does so for what the compiler reports. That the schema is
// looked at is shown by a document that it does not take.
func TestSARIF(t *testing.T) {
	t.Parallel()
	for _, list := range []diag.List{nil, problems(filepath.FromSlash("/work/project")), problems(filepath.FromSlash("/elsewhere"))} {
		for _, all := range []bool{false, true} {
			o := options(filepath.FromSlash("/work/project"))
			o.All = all
			var b bytes.Buffer
			require.NoError(t, report.SARIF(&b, list, o))
			valid(t, b.Bytes())
		}
	}
	schema, err := sarifSchema()
	require.NoError(t, err)
	require.Error(t, schema.Validate(map[string]any{"version": "2.1.0"}))
}

// TestRules demands that every code makes a valid rule with a help text.
func TestRules(t *testing.T) {
	t.Parallel()
	var list diag.List
	for _, code := range report.Codes() {
		list = append(list, &diag.Diagnostic{Code: code, Message: "x"})
	}
	var b bytes.Buffer
	require.NoError(t, report.SARIF(&b, list, report.Options{}))
	valid(t, b.Bytes())
	require.Equal(t, len(list), strings.Count(b.String(), `"markdown"`))
}
