package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestScriptFiles: the commands of a script name all of its files but those that CUE
// finds by itself, or a directory that they are in.
func TestScriptFiles(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("../../testdata/script/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		require.NoError(t, err)
		words := wordsOf(string(archive.Comment))
		for _, f := range archive.Files {
			if filepath.Ext(f.Name) != ".cue" && !isNamed(f.Name, words) {
				t.Errorf("%s has %s, which no command reads", script, f.Name)
			}
		}
	}
}

// wordsOf are the words of a script's commands, without what is around names of files.
func wordsOf(commands string) map[string]bool {
	words := map[string]bool{}
	for line := range strings.Lines(commands) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n=,:'\"", r) }) {
			words[strings.TrimLeft(strings.TrimPrefix(word, "$WORK/"), "./")] = true
		}
	}
	return words
}

// isNamed reports whether a file's name is among the words, from its beginning or to its
// end.
func isNamed(file string, words map[string]bool) bool {
	parts := strings.Split(file, "/")
	for i := range parts {
		if words[strings.Join(parts[:i+1], "/")] || words[strings.Join(parts[i:], "/")] {
			return true
		}
	}
	return false
}
