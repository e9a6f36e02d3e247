package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/internal/golden"
	"kumiki.dev/report"
)

const errorsPage = "../docs/errors.md"

const errorsHead = `# Errors

What every code means that kumiki reports, and what to do about it. The same text is printed by ` + "`kumiki explain CODE`" + `. This page is made of the
files in [report/explain](../report/explain); edit those, and run ` + "`UPDATE_GOLDEN=1 go test ./report`" + `.

A problem is told in one line: the place that you can edit, what is wrong there and what to write, and the code. Other places that take part
follow, indented; what follows from a problem is left out (` + "`--all`" + ` shows it), because it goes when the problem does.

` + "```" + `
EXAMPLE` + "```" + `

The text may change from one version to the next; codes do not. ` + "`kumiki vet -o json`" + ` has both, with the places, for programs; ` + "`-o sarif`" + ` and
` + "`-o github`" + ` are for services that show problems beside the code.

`

// TestErrorsPage compares docs/errors.md with the entries, or writes it.
func TestErrorsPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(strings.Replace(errorsHead, "EXAMPLE", shown(t, diag.Undeclared), 1) + "| code | what was found |\n|---|---|\n")
	for _, code := range report.Codes() {
		e, _ := report.Explain(code)
		b.WriteString("| [" + string(code) + "](#" + strings.ReplaceAll(string(code), "/", "") + ") | " + e.Title + " |\n")
	}
	b.WriteString("\nThe examples below add files to this small application, or replace some of it; what has no file name is `deploy/deployment.cue`.\n\n```\n" + report.Base + "```\n")
	for _, code := range report.Codes() {
		e, _ := report.Explain(code)
		b.WriteString("\n## " + string(code) + "\n\n" + strings.ToUpper(e.Title[:1]) + e.Title[1:] + ".\n\n" + e.Markdown())
	}
	if golden.Update() {
		require.NoError(t, os.WriteFile(errorsPage, []byte(b.String()), 0o644))
		return
	}
	page, err := os.ReadFile(errorsPage)
	require.NoError(t, err)
	if diff := cmp.Diff(strings.Split(string(page), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("%s is not what the entries make: run UPDATE_GOLDEN=1 go test ./report (-page +entries):\n%s", errorsPage, diff)
	}
}

// shown is what is printed for the wrong example of a code.
func shown(t *testing.T, code diag.Code) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	e, _ := report.Explain(code)
	var b strings.Builder
	require.NoError(t, report.Text(&b, told(t, dir, e.Wrong), report.Options{Dir: dir}))
	return b.String()
}
