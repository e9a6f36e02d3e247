// Package cases compiles the cases of testdata/cases, for the tests of what takes a
// solution: those of the targets, of graphs, of invariants.
package cases

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
	"kumiki.dev/solution"
)

// Input is what a case compiles.
func Input(c *golden.Case) compiler.Input {
	in := compiler.Input{Name: c.Setting("name"), Sets: c.Settings["set"], Strict: c.Setting("strict") != ""}
	in.Owner, in.Comment = c.Setting("owner"), c.Setting("comment")
	in.Dir, in.Package = c.Dir(), c.Setting("package")
	for _, m := range c.Settings["modules"] {
		in.Modules = append(in.Modules, filepath.Join(c.Root, m))
	}
	var with []string
	for _, dir := range c.Settings["with"] {
		with = append(with, filepath.Join(c.Root, dir))
	}
	in.With = compiler.NewOthers(with)
	for _, dir := range c.Settings["links"] {
		in.Links = append(in.Links, filepath.Join(c.Root, dir))
	}
	for _, name := range c.Settings["values"] {
		in.Values = append(in.Values, load.ValuesFile{Name: filepath.Join(c.Root, name), Data: c.Section(name)})
	}
	return in
}

// Solution is what a case compiles to. The test is skipped if there is none, which is then an
// error that the case shows.
func Solution(t *testing.T, c *golden.Case) *solution.Solution {
	t.Helper()
	s, problems := compile(t, c)
	if s == nil {
		require.NotEmpty(t, c.Section("out/errors.txt"), "%v", problems)
		t.Skip("no solution")
	}
	return s
}

// compile is a solution as it is written and read again, with its places there.
func compile(t *testing.T, c *golden.Case) (*solution.Solution, diag.List) {
	t.Helper()
	s, problems := compiler.Compile(context.Background(), Input(c))
	if s == nil {
		return nil, problems
	}
	data, err := s.Bytes()
	require.NoError(t, err)
	s, problems = solution.Read(data, "solution.json")
	require.Empty(t, problems)
	return s, nil
}

// Solutions are those of all cases that the pattern matches, by name.
func Solutions(t *testing.T, pattern string) map[string]*solution.Solution {
	t.Helper()
	all := map[string]*solution.Solution{}
	for name, c := range golden.All(t, pattern) {
		if s, _ := compile(t, c); s != nil {
			all[name] = s
		}
	}
	require.NotEmpty(t, all)
	return all
}
