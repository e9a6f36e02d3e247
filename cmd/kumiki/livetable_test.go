package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
)

var (
	liveTest    = regexp.MustCompile("`(Test\\w+)(?:/small/(\\w+))?`(:[^|`]*)?")
	parentheses = regexp.MustCompile(`\([^)]*\)`)
	quoted      = regexp.MustCompile("`([^`]+)`")
	testPart    = regexp.MustCompile(`\bpart\("(\w+)"`)
	testFunc    = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
)

// TestLiveTable: every command for what runs has a row in docs/running.md, which says for each
// target by which test of a real system it is shown, or which code says that it cannot be.
func TestLiveTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/running.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "| command | Kubernetes | Swarm |\n|---|---|---|\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	rows := map[string]bool{}
	kubernetes, swarm := liveTestsOf(t, "kubernetes"), liveTestsOf(t, "swarm")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		require.Len(t, cells, 3, line)
		for _, name := range quoted.FindAllStringSubmatch(cells[0], -1) {
			require.False(t, rows[name[1]], "%s has two rows", name[1])
			rows[name[1]] = true
		}
		checkShown(t, cells[0], cells[1], kubernetes)
		checkShown(t, cells[0], cells[2], swarm)
	}
	for _, cmd := range newRootCmd(hidingNothing()).Commands() {
		if cmd.Flags().Lookup("kubeconfig") != nil {
			require.True(t, rows[cmd.Name()], "kumiki %s has no row", cmd.Name())
			delete(rows, cmd.Name())
		}
	}
	delete(rows, "rbac") // which asks no cluster
	require.Empty(t, rows, "rows of no command for what runs")
}

// liveTestsOf are the tests of a module below test, and their parts.
func liveTestsOf(t *testing.T, module string) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../../test/" + module + "/*_test.go")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range slices.Concat(testFunc.FindAllStringSubmatch(string(text), -1), testPart.FindAllStringSubmatch(string(text), -1)) {
			names = append(names, m[1])
		}
	}
	return names
}

// checkShown: a cell names tests that there are, or a code.
func checkShown(t *testing.T, row, cell string, tests []string) {
	t.Helper()
	shown := false
	for _, m := range liveTest.FindAllStringSubmatch(parentheses.ReplaceAllString(cell, ""), -1) {
		shown = true
		require.Contains(t, tests, m[1], "%s: %s", row, cell)
		parts := strings.Split(strings.NewReplacer(":", "", ";", ",").Replace(m[3]), ",")
		for _, part := range append(parts, m[2]) {
			if part = strings.TrimSpace(part); part != "" && m[1] == "TestApply" {
				require.Contains(t, tests, part, "%s: %s", row, cell)
			}
		}
	}
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		shown = shown || diag.Code(m[1]) == diag.LiveTarget
	}
	require.True(t, shown, "%s: neither a test nor a code: %s", row, cell)
}
