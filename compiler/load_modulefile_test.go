package compiler

import (
	"fmt"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/mod/modfile"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestShortModuleFile compares what is read without the schema with what CUE says:
// every file that is read so is good, and means the same.
func TestShortModuleFile(t *testing.T) {
	t.Parallel()
	path := rapid.SampledFrom([]string{"example.org/a@v1", "example.org/a@v0", "example.org/a", "example.org/a@v1.2.3", "example.org/A@v1", "a@v1", "...", "", "example.org/a@", "@v1", "example.org/a@v01", "example.org//a@v1", "example.org/é@v1", "a b@v1"})
	version := rapid.SampledFrom([]string{"v0.9.0", "v0.8.0", "v0.9.0-alpha.0", "v0.15.1", "v0.16", "v1", "v1.0.0", "", "0.9.0", cue.LanguageVersion(), "v0.9.0+x", "v00.9.0"})
	line := rapid.OneOf(
		rapid.Map(path, func(s string) string { return fmt.Sprintf("module: %q", s) }),
		rapid.Map(version, func(s string) string { return fmt.Sprintf("language: version: %q", s) }),
		rapid.Map(version, func(s string) string { return fmt.Sprintf("language: {version: %q}", s) }),
		rapid.SampledFrom([]string{"// comment", "source: kind: \"self\"", "deps: {}", "language: {}", "module: 1", "\"module\": \"b@v1\"", "module: \"b\\(1)@v1\"", "#module: \"b@v1\"", "_x: \"1\"", "x: \"1\"", "x: {}", "module?: \"b@v1\"", "{", "let x = 1", "module: \"b@v1\" @a()", "language: max: \"v1\"", "package x", "X=module: \"b@v1\"", "module: 'example.org/a@v1'", "import \"list\""}),
	)
	usual := fmt.Sprintf("module: %q\nlanguage: version: %q\n", "example.org/a@v1", "v0.9.0")
	require.True(t, readShort(t, usual), "what most modules have needs no schema")
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 1, 4).Draw(t, "lines")
		if rapid.Bool().Draw(t, "good") {
			lines = []string{fmt.Sprintf("module: %q", path.Draw(t, "path")), fmt.Sprintf("language: version: %q", version.Draw(t, "version"))}
		}
		readShort(t, strings.Join(lines, "\n")+"\n")
	})
}

// readShort reports whether a module's file is read without the schema, and compares
// what is read with what CUE reads.
func readShort(t require.TestingT, text string) bool {
	got := shortModuleFile([]byte(text))
	if got == nil {
		return false
	}
	want, err := modfile.Parse([]byte(text), "module.cue")
	require.NoError(t, err)
	require.Equal(t, want.Module, got.Module)
	require.Equal(t, want.QualifiedModule(), got.QualifiedModule())
	require.Equal(t, want.ModuleRootPath(), got.ModuleRootPath())
	require.Equal(t, want.Language, got.Language)
	require.Equal(t, want.Deps, got.Deps)
	return true
}
