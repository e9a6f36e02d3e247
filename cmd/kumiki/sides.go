package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/history"
	"kumiki.dev/internal/gitrev"
	"kumiki.dev/solution"
)

// sideHelp is what a command says of the solutions that it compares.
const sideHelp = `OLD and NEW are each one of

  FILE              a solution file
  DIR               a directory with a #Deployment, which is compiled
  git:REV:PATH      either of these as it is at a revision of its Git repository;
                    nothing is checked out, and links are left out
  saved:NAME        what 'kumiki compile --save' has saved last under a name;
                    saved:NAME@ENTRY what it has saved before (see 'kumiki history')
  -                 nothing`

// sideFlags are the flags of commands that take solutions in all their forms.
type sideFlags struct {
	in        inputFlags
	solutions string
	input     *compiler.Input // what the flags say, once it has been read
}

func (f *sideFlags) register(cmd *cobra.Command) {
	f.in.register(cmd)
	registerSolutions(cmd, &f.solutions)
}

func registerSolutions(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "solutions", "solutions", "`directory` in which solutions have been saved")
}

// read reads both sides of a comparison. Warnings about the old one are old,
// and not printed.
func (f *sideFlags) read(ctx context.Context, s streams, args []string) (old, new *solution.Solution, err error) {
	sides := make([]*solution.Solution, 2)
	for i, arg := range args[:2] {
		if sides[i], err = f.side(ctx, s, arg, i == 0); err != nil {
			return nil, nil, err
		}
	}
	return sides[0], sides[1], nil
}

// side reads one solution, nil for nothing; quiet prints no problems but errors.
func (f *sideFlags) side(ctx context.Context, s streams, arg string, quiet bool) (*solution.Solution, error) {
	kind, rest, _ := strings.Cut(arg, ":")
	switch {
	case arg == "-":
		return nil, nil
	case kind == "saved":
		name, entry, _ := strings.Cut(rest, "@")
		store := history.Open(f.solutions)
		e, err := store.Find(name, entry)
		if err != nil {
			return nil, err
		}
		return saved(s, store, name, e)
	case kind == "git":
		return f.revision(ctx, s, rest, quiet)
	}
	info, err := os.Stat(arg)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file or directory; write - for nothing", arg)
	case err != nil:
		return nil, err
	case info.IsDir():
		return f.compile(ctx, s, arg, quiet, nil)
	}
	data, err := readFile(arg)
	if err != nil {
		return nil, err
	}
	return parse(s, data, arg, quiet)
}

// parse reads the text of a solution file.
func parse(s streams, data []byte, name string, quiet bool) (*solution.Solution, error) {
	s.secrets.texts().JSON(data)
	sol, problems := solution.Read(data, name)
	return sol, printSide(s, problems, quiet)
}

// saved reads a solution from a history.
func saved(s streams, store *history.Store, name string, e history.Entry) (*solution.Solution, error) {
	sol, err := store.Solution(name, e)
	return s.secrets.solution(sol), err
}

func printSide(s streams, problems diag.List, quiet bool) error {
	if quiet && !problems.HasErrors() {
		return nil
	}
	return printProblems(s.err, problems)
}

// compile makes the solution of a directory; where, if it is not nil, tells
// where a directory of the working tree is to be read instead.
func (f *sideFlags) compile(ctx context.Context, s streams, dir string, quiet bool, where func(string) string) (*solution.Solution, error) {
	if f.input == nil { // standard input can be read only once
		in, err := f.in.input(s, nil)
		if err != nil {
			return nil, err
		}
		f.input = &in
	}
	in := *f.input
	in.Dir = dir
	if where != nil {
		in.Modules = slices.Clone(in.Modules)
		for i := range in.Modules {
			in.Modules[i] = where(in.Modules[i])
		}
	}
	sol, problems := compiler.Compile(ctx, in)
	return sol, printSide(s, problems, quiet)
}

// revision reads REV:PATH: a solution file, or a directory that is compiled.
func (f *sideFlags) revision(ctx context.Context, s streams, text string, quiet bool) (*solution.Solution, error) {
	rev, name, ok := strings.Cut(text, ":")
	if !ok || name == "" {
		return nil, fmt.Errorf("git:%s: write git:REV:PATH, such as git:HEAD~1:prod", text)
	}
	tree, err := gitrev.Open(ctx, rev, name)
	if err != nil {
		return nil, err
	}
	data, ok, err := tree.File(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case ok:
		return parse(s, data, "git:"+text, quiet)
	}
	temporary, err := os.MkdirTemp("", "kumiki-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	if temporary, err = filepath.EvalSymlinks(temporary); err != nil {
		return nil, err
	}
	dir, err := tree.Write(ctx, temporary, name)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("git:%s: the revision has no such directory with CUE files, and no such file", text)
	}
	// Problems are shown at the revision, not at the copy.
	var problems bytes.Buffer
	sol, err := f.compile(ctx, streams{s.in, s.out, renamed(s.err, &problems), s.raw, s.secrets}, dir, quiet, func(name string) string { return tree.Inside(temporary, name) })
	_, _ = io.WriteString(s.err, from(temporary, "git:"+rev+":", problems.String()))
	return sol, err
}

// from puts a word in place of a directory, whichever way it is written.
func from(dir, word, text string) string {
	cwd, _ := os.Getwd() // without it, names stay absolute
	return strings.NewReplacer(relative(dir, cwd)+"/", word, dir+string(os.PathSeparator), word).Replace(text)
}

// renamed is standard error that is written to a buffer first.
func renamed(w io.Writer, b *bytes.Buffer) io.Writer {
	if c, ok := w.(*console); ok {
		color := "never"
		if c.terminal() {
			color = "always"
		}
		return &console{Writer: b, color: color, all: c.all, secrets: c.secrets}
	}
	return b
}
