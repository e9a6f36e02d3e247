package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/history"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/gitrev"
	"kumiki.dev/load"
	"kumiki.dev/module/bundle"
	"kumiki.dev/module/registry"
	"kumiki.dev/query"
	"kumiki.dev/solution"
)

// newArgumentsTopic is what kumiki help arguments says: the forms of arguments, which
// are the same in every command.
func newArgumentsTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "arguments",
		Short: "What the arguments of commands may be",
		Long: `A command that compiles takes

  DIR               a directory with a #Deployment (default: the working directory)
  DIR/...           all directories below with one, where several can be given
  BUNDLE            a file that 'kumiki bundle' has written
  saved:NAME        what the solution that --save has kept under a name was compiled
                    from; saved:NAME@ENTRY what one before was
  ARTIFACT:VERSION  a published artifact: shop:v1.2, collection/shop:v1.2 or
                    example.org/site/shop:v1.2. Its config comes from -f and --set,
                    its name from --name. Omitted parts of the version are zero; the
                    highest patch is taken, never a higher minor version
  templates/NAME.cue  a template of a module, for the environment of --env
  git:REV:PATH      any of these but ARTIFACT as it is at a revision of its Git
                    repository; nothing is checked out, and links are left out

A command that looks at solutions takes these, which it compiles, and

  FILE              a solution file; - is standard input
  git:REV:FILE      a solution file at a revision
  saved:NAME        what 'kumiki compile --save' has saved last under a name in
                    --solutions; saved:NAME@ENTRY what it has saved before (see
                    'kumiki saved history')

and where several can be given, a directory of any of them, or what --save writes, of
which the current solutions count; saved: is that of --solutions.
In 'plan' and 'prune', none is nothing: no solution at all.

What is called none, saved:x or git:x is named by ./none, ./saved:x, ./git:x.
Standard input can be given once: as an argument or as -f -.`,
	}
}

// allSaved is all that is saved in --solutions.
const allSaved = "saved:"

// subject is what an argument names: sources that can be compiled, or a solution that
// is there already; neither for nothing.
type subject struct {
	arg      string
	sources  *load.Input
	given    compiler.Input // what a bundle has beside the sources
	solution *solution.Solution
	// input reads the bundle that a saved solution was compiled from; nil for others.
	input func() ([]byte, error)
	// older tells that it was saved by a kumiki that knew no accepts, and opened channels
	// to everybody.
	older bool
}

// opener opens the arguments of a command while it runs.
type opener struct {
	f    *inputFlags
	real streams
	// artifacts tells that a reference stands for the artifact itself, and not for a
	// deployment of it.
	artifacts bool
	// quiet tells that what a solution file is warned of is old, and not printed.
	quiet bool

	out, err, raw bytes.Buffer
	standIns      []standIn
}

// standIn is a directory that stands for something that is none.
type standIn struct {
	dir, word string // what is said in place of the directory, "" for nothing
	remove    func() // nil where another one does
}

// opening runs do with an opener, and takes away what it has made.
func (f *inputFlags) opening(s streams, do func(o *opener) error) error {
	o := &opener{f: f, real: s}
	err := do(o)
	return errors.Join(err, o.close())
}

// onSources runs do with the sources that one argument names (default: the working
// directory) and the streams to write to.
func (f *inputFlags) onSources(ctx context.Context, s streams, args []string, do func(s streams, in compiler.Input) error) error {
	return f.opening(s, func(o *opener) error {
		found, err := o.sources(ctx, given(args, "."))
		if err != nil {
			return err
		}
		in, err := f.input(s, found)
		if err != nil {
			return err
		}
		return do(o.streams(), in)
	})
}

// onArtifact runs do with the sources of the artifact that an argument names.
func (f *inputFlags) onArtifact(ctx context.Context, s streams, arg string, do func(s streams, in load.Input) error) error {
	return f.opening(s, func(o *opener) error {
		o.artifacts = true
		found, err := o.sources(ctx, arg)
		if err != nil {
			return err
		}
		return do(o.streams(), *found.sources)
	})
}

// given is the first argument, or what stands for none.
func given(args []string, none string) string { return append(args[:len(args):len(args)], none)[0] }

// open finds what an argument names.
func (o *opener) open(ctx context.Context, arg string) (subject, error) {
	kind, rest, _ := strings.Cut(arg, ":")
	switch {
	case arg == "-":
		data, err := o.real.stdin(arg)
		if err != nil {
			return subject{}, err
		}
		return o.parse(data, arg, "stdin")
	case kind == "saved" && rest != "":
		return o.saved(arg, rest)
	case kind == "git" && rest != "":
		return o.revision(ctx, arg, rest)
	}
	info, err := os.Stat(arg)
	switch {
	case errors.Is(err, fs.ErrNotExist) && registry.IsReference(arg):
		return o.reference(ctx, arg)
	case errors.Is(err, fs.ErrNotExist):
		return subject{}, notThere(arg)
	case err != nil:
		return subject{}, err
	case info.IsDir():
		return o.directory(arg)
	case isTemplate(arg):
		return o.template(ctx, arg, arg, o.f.modules)
	}
	return o.file(arg)
}

// directory is a subject of the working tree.
func (o *opener) directory(dir string) (subject, error) {
	in, err := o.f.load(dir)
	return subject{arg: dir, sources: &in}, err
}

// file is a bundle or a solution file.
func (o *opener) file(name string) (subject, error) {
	if filepath.Ext(name) == ".cue" {
		return subject{}, fmt.Errorf("%s is a file of a package: name its directory, %s", name, filepath.Dir(name))
	}
	data, err := readBundle(name)
	if err != nil {
		return subject{}, err
	}
	if data != nil {
		return o.bundle(data, name)
	}
	if data, err = readFile(name); err != nil {
		return subject{}, err
	}
	return o.parse(data, name, name)
}

// parse reads the text of a solution file, which is told of under a name.
func (o *opener) parse(data []byte, arg, name string) (subject, error) {
	o.real.secrets.texts().JSON(data)
	sol, problems := solution.Read(data, name)
	return subject{arg: arg, solution: sol}, o.print(o.real, problems)
}

// print prints problems, for a quiet side only errors.
func (o *opener) print(s streams, problems diag.List) error {
	if o.quiet && !problems.HasErrors() {
		return nil
	}
	return printProblems(s.err, problems)
}

// saved is what a history has under NAME[@ENTRY].
func (o *opener) saved(arg, text string) (subject, error) {
	if o.f.store == "" {
		return subject{}, fmt.Errorf("%s is a solution, and artifacts are looked at here: name the directory of one; kumiki help arguments says what else can be given", arg)
	}
	name, entry, _ := strings.Cut(text, "@")
	store := history.Open(o.f.store)
	e, err := store.Find(name, entry)
	if err != nil {
		return subject{}, err
	}
	sol, err := saved(o.real, store, name, e)
	return subject{arg: arg, solution: sol, older: e.Kumiki == "", input: func() ([]byte, error) { return readInput(store, name, e) }}, err
}

// saved reads a solution from a history.
func saved(s streams, store *history.Store, name string, e history.Entry) (*solution.Solution, error) {
	sol, err := store.Solution(name, e)
	return s.secrets.solution(sol), err
}

// bundle unpacks a bundle.
func (o *opener) bundle(data []byte, arg string) (subject, error) {
	opened, err := bundle.Open(data)
	if err != nil {
		return subject{}, wrong(o.real, fmt.Errorf("%s is no bundle that can be used: %w", arg, err))
	}
	o.standIns = append(o.standIns, standIn{filepath.Join(opened.Root, "files"), arg + ":", nil}, standIn{opened.Root, arg + ":", opened.Close})
	in := opened.Input.LoadInput
	in.Memory = o.f.memory
	return subject{arg: arg, sources: &in, given: opened.Input}, nil
}

// revision reads REV:PATH of a Git repository.
func (o *opener) revision(ctx context.Context, arg, text string) (subject, error) {
	rev, name, ok := strings.Cut(text, ":")
	if !ok || name == "" {
		return subject{}, fmt.Errorf("%s: write git:REV:PATH, such as git:HEAD~1:prod", arg)
	}
	tree, err := gitrev.Open(ctx, rev, name)
	if err != nil {
		return subject{}, err
	}
	data, ok, err := tree.File(ctx, name)
	switch {
	case err != nil:
		return subject{}, err
	case ok && bundle.Is(data):
		return o.bundle(data, arg)
	case ok && filepath.Ext(name) == ".cue" && !isTemplate(name):
		return subject{}, fmt.Errorf("%s is a file of a package: name its directory, git:%s:%s", arg, rev, filepath.ToSlash(filepath.Dir(name)))
	case ok && !isTemplate(name):
		return o.parse(data, arg, arg)
	}
	temporary, err := o.temporary("git:" + rev + ":")
	if err != nil {
		return subject{}, err
	}
	inside := func(name string) string { return tree.Inside(temporary, name) }
	if ok {
		return o.templateAt(ctx, arg, name, temporary, tree)
	}
	dir, err := tree.Write(ctx, temporary, name)
	if err != nil {
		return subject{}, err
	}
	if _, err := os.Stat(dir); err != nil {
		return subject{}, fmt.Errorf("%s: the revision has no such directory with CUE files, and no such file", arg)
	}
	in, err := o.f.load(dir)
	in.Modules = slices.Clone(in.Modules)
	for i := range in.Modules {
		in.Modules[i] = inside(in.Modules[i])
	}
	return subject{arg: arg, sources: &in}, err
}

// temporary is a new directory that stands for what a word says, until the end.
func (o *opener) temporary(word string) (string, error) {
	dir, err := os.MkdirTemp("", "kumiki-")
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	o.standIns = append(o.standIns, standIn{dir, word, func() { _ = os.RemoveAll(dir) }})
	return dir, nil
}

// reference finds a published artifact.
func (o *opener) reference(ctx context.Context, arg string) (subject, error) {
	found, dir, err := o.f.reference.find(ctx, o.real, arg, o.f.name, o.artifacts)
	if err != nil {
		return subject{}, err
	}
	in, err := o.f.load(dir)
	in.Package, in.Registry = "", found.registry
	if !o.artifacts {
		o.standIns = append(o.standIns, standIn{dir: dir, remove: func() { _ = os.RemoveAll(dir) }})
		screen, _ := o.real.err.(*console)
		screen.generated = append(screen.generated, dir)
	}
	return subject{arg: arg, sources: &in}, err
}

// sources opens an argument of a command that compiles: of what is saved, what it was
// compiled from.
func (o *opener) sources(ctx context.Context, arg string) (subject, error) {
	found, err := o.open(ctx, arg)
	if err == nil && found.sources == nil && found.solution != nil && found.input != nil {
		data, err := found.input()
		if err != nil {
			return subject{}, err
		}
		return o.bundle(data, arg)
	}
	if err == nil && found.input != nil && found.sources == nil {
		err = fmt.Errorf("%s was deleted: name an entry before that, as %s@previous", arg, arg)
	} else if err == nil && found.sources == nil {
		err = fmt.Errorf("%s is a solution, and sources are compiled here: name the directory of the deployment; kumiki help arguments says what else can be given", arg)
	}
	return found, err
}

// solution is what an argument names, compiled if it is none yet. Nothing has none.
func (o *opener) solution(ctx context.Context, arg string) (*solution.Solution, error) {
	found, err := o.open(ctx, arg)
	if err == nil && o.quiet && found.older && found.solution != nil {
		return found.solution.OpenToAll(), nil // as it was lowered then
	}
	if err != nil || found.sources == nil {
		return found.solution, err
	}
	return o.compile(ctx, found)
}

// compile makes the solution of sources.
func (o *opener) compile(ctx context.Context, found subject) (*solution.Solution, error) {
	in, err := o.f.input(o.real, found)
	if err != nil {
		return nil, err
	}
	sol, problems := compiler.Compile(ctx, in)
	return sol, o.print(o.streams(), problems)
}

// solution is the one that an argument names (default: the working directory).
func (f *inputFlags) solution(ctx context.Context, s streams, arg string) (sol *solution.Solution, err error) {
	err = f.opening(s, func(o *opener) error {
		sol, err = o.solution(ctx, arg)
		return err
	})
	return sol, err
}

// each goes through what the arguments name (default: the working directory): stores,
// with the entries in them that are asked about, and single solutions.
func (f *inputFlags) each(ctx context.Context, s streams, args []string, inStore func(*history.Store, []history.Named) error, alone func(*solution.Solution) error) error {
	if len(args) == 0 {
		args = []string{"."}
	}
	for _, arg := range args {
		if arg == allSaved {
			arg = f.store
		}
		all, err := several(arg, false)
		if err != nil {
			return err
		}
		for _, one := range all {
			if history.Is(one) {
				store := history.Open(one).Telling(func(at, of int) { compiler.Begin(ctx, at, of, "solutions") })
				entries, err := f.entries(store)
				if err == nil {
					err = inStore(store, entries)
				}
				if err != nil {
					return err
				}
				continue
			}
			sol, err := f.solution(ctx, s, one)
			if err == nil && sol == nil {
				err = fmt.Errorf("%s was deleted: name an entry before that, as %s@previous", one, one)
			}
			if err == nil {
				err = alone(sol)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// involved are the facts of the solutions that the arguments name, and of these the
// solutions that have something of others, or of which others have something; of stores
// as [query.Ties] has them.
func (f *inputFlags) involved(ctx context.Context, s streams, args []string) (facts []query.Facts, out []*solution.Solution, err error) {
	f.with = append(f.with, args...) // they know each other
	var read []func() (*solution.Solution, error)
	err = f.each(ctx, s, args, func(store *history.Store, entries []history.Named) error {
		some, err := factsView.Each(store, entries)
		if err != nil {
			return err
		}
		facts = append(facts, some...)
		ties, err := tiesView.Each(store, entries)
		for _, text := range ties {
			read = append(read, func() (*solution.Solution, error) {
				s.secrets.texts().JSON(text)
				return query.TiesFrom(text)
			})
		}
		return err
	}, func(sol *solution.Solution) error {
		facts = append(facts, query.FactsOf(sol))
		read = append(read, func() (*solution.Solution, error) { return sol, nil })
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, i := range query.Involved(facts) {
		sol, err := read[i]()
		if err != nil {
			return nil, nil, err
		}
		out = append(out, sol)
	}
	return facts, out, nil
}

// entries are those of a store that are asked about.
func (f *inputFlags) entries(store *history.Store) ([]history.Named, error) {
	if f.history {
		return store.All()
	}
	return store.Current()
}

// facts are those of the solutions that the arguments name.
func (f *inputFlags) facts(ctx context.Context, s streams, args []string) ([]query.Facts, error) {
	var out []query.Facts
	err := f.each(ctx, s, args, func(store *history.Store, entries []history.Named) error {
		found, err := factsView.Each(store, entries)
		for i := range found {
			if f.history {
				found[i].Entry = entries[i].Number
			}
		}
		out = append(out, found...)
		return err
	}, func(sol *solution.Solution) error {
		out = append(out, query.FactsOf(sol))
		return nil
	})
	return out, err
}

// factsView keeps the facts of a store's solutions.
var factsView = history.View[query.Facts]{Name: "facts", Of: func(s *solution.Solution) (query.Facts, error) { return query.FactsOf(s), nil }}

// tiesView keeps what a store's solutions have of others, and others of them.
var tiesView = history.View[json.RawMessage]{Name: "ties", Of: func(s *solution.Solution) (json.RawMessage, error) { return query.Ties(s), nil }}

// several are the arguments that one stands for: DIR/... for the directories below with
// a deployment, or with artifacts too; a directory without sources for what is in it.
func several(arg string, artifacts bool) ([]string, error) {
	dir, all := strings.CutSuffix(filepath.ToSlash(arg), "/...")
	if arg == "..." {
		dir, all = ".", true
	}
	if !all {
		if artifacts || history.Is(arg) {
			return []string{arg}, nil
		}
		return load.Sources(arg), nil
	}
	found, err := load.Below(dir, artifacts)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: no directory there or below has a #Deployment", arg)
	}
	return found, err
}

// streams are those to write to: places in what stands for something are named in
// that, and not where they are.
func (o *opener) streams() streams {
	if !filter.Any(o.standIns, func(i standIn) bool { return i.word != "" }) {
		return o.real
	}
	return streams{o.real.in, &o.out, renamed(o.real.err, &o.err), &o.raw, o.real.secrets, o.real.site}
}

// named is a text in which places in what stands for something are named in that.
func (o *opener) named(text string) string {
	for _, i := range o.standIns {
		if i.word != "" {
			text = from(i.dir, i.word, text)
		}
	}
	return text
}

// close writes what has been written, and removes what stood for something.
func (o *opener) close() error {
	var failed error
	for _, part := range []struct {
		to   io.Writer
		text string
	}{{o.real.err, o.err.String()}, {o.real.out, o.out.String()}, {o.real.raw, o.raw.String()}} {
		_, err := io.Copy(part.to, strings.NewReader(o.named(part.text)))
		failed = errors.Join(failed, err)
	}
	for _, i := range o.standIns {
		if i.remove != nil {
			i.remove()
		}
	}
	return failed
}

// from puts a word in place of a directory, whichever way it is written.
func from(dir, word, text string) string {
	cwd, _ := os.Getwd() // without it, names stay absolute
	return strings.NewReplacer(relative(dir, cwd)+"/", word, dir+string(os.PathSeparator), word).Replace(text)
}

// renamed is standard error that is written to a buffer first.
func renamed(w io.Writer, b *bytes.Buffer) io.Writer {
	c, ok := w.(*console)
	if !ok {
		return b
	}
	color := "never"
	if c.terminal() {
		color = "always"
	}
	return &console{Writer: b, color: color, all: c.all, strict: c.strict, generated: c.generated, secrets: c.secrets}
}

// errNoInput says that a solution was to come from standard input, and nothing came.
var errNoInput = errors.New("standard input is empty (-): what was to write it has written nothing")

// stdin is standard input, which is there once.
type stdin struct {
	io.Reader
	as   string // what it was read as, "" for not yet
	data []byte
}

// asValues is how -f reads standard input, which has no values if it is empty.
const asValues = "values"

// stdin reads standard input, as an argument or a flag that names it. A solution that
// has nothing in it is a mistake: whatever was to write it has failed.
func (s streams) stdin(as string) ([]byte, error) {
	in, ok := s.in.(*stdin)
	if !ok {
		in = &stdin{Reader: s.in}
	}
	if in.as != "" {
		if in.as == as && as == asValues { // of what is compiled again and again
			return in.data, nil
		}
		return nil, errors.New("standard input is given twice (-): only one of them can be read; write the other to a file")
	}
	data, err := readSome(in)
	if err != nil {
		return nil, err
	}
	if as != asValues && len(bytes.TrimSpace(data)) == 0 {
		return nil, errNoInput
	}
	in.as, in.data = as, data
	return data, nil
}

// takeDirectories are commands whose arguments are directories, or modules by their path.
var takeDirectories = []string{"test", "lint", "watch", "migrate", "compat", "list", "index", "publish"}

// arguments says of each command's arguments what is wrong with them, in the same words.
func arguments(cmd *cobra.Command) {
	takes := cmd.Args
	_, forms, _ := strings.Cut(cmd.Use, " ")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if takes != nil && takes(cmd, args) != nil {
			return wrongCount(cmd, strings.TrimSpace(forms), args)
		}
		if !filter.Contains(takeDirectories, cmd.Name()) || cmd.Name() == "migrate" && cmd.Parent().Name() != "mod" || cmd.Name() == "list" && cmd.Parent().Name() == "mod" || cmd.Parent().Name() == "ops" {
			return nil
		}
		if cmd.Name() == "publish" {
			args = args[min(1, len(args)):] // the first is a version
		}
		for _, arg := range args {
			if err := there(arg); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range cmd.Commands() {
		arguments(c)
	}
}

// wrongCount says how many arguments a command takes.
func wrongCount(cmd *cobra.Command, forms string, args []string) error {
	given := "nothing was given"
	if len(args) > 0 {
		given = fmt.Sprintf("%s was given", strings.Join(args, " "))
	}
	if forms == "" && cmd.HasSubCommands() {
		return fmt.Errorf("%s has no command %s; it has %s", cmd.CommandPath(), args[0], strings.Join(namesOf(cmd), ", "))
	}
	if forms == "" {
		return fmt.Errorf("%s takes no arguments, and %s", cmd.CommandPath(), given)
	}
	return fmt.Errorf("%s takes %s, and %s", cmd.CommandPath(), forms, given)
}

// there reports a directory that is not there. What may be a module's path is none.
func there(arg string) error {
	first, _, _ := strings.Cut(arg, "/")
	isModule := strings.Contains(strings.TrimLeft(first, "."), ".") || strings.ContainsAny(arg, ":@")
	if _, err := os.Stat(strings.TrimSuffix(arg, "...")); errors.Is(err, fs.ErrNotExist) && !isModule {
		return notThere(arg)
	}
	return nil
}

// readFrom are the flags that name files or directories to read.
var readFrom = []string{"values", "with", "links", "modules", "policies", "verify", "registry", "nodes", "live", "key", "sign", "in", "from", "kubeconfig"}

// flagsThere reports a file or a directory that a flag names and that is not there.
func flagsThere(cmd *cobra.Command) error {
	for _, name := range readFrom {
		flag := cmd.Flags().Lookup(name)
		if flag == nil || !flag.Changed {
			continue
		}
		if kind, _ := pflag.UnquoteUsage(flag); kind == "wave" { // of promote
			continue
		}
		names := []string{flag.Value.String()}
		if several, ok := flag.Value.(pflag.SliceValue); ok {
			names = several.GetSlice()
		}
		for _, file := range names {
			if _, err := os.Stat(file); isPlace(name, file) && errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s %s: no such file or directory", called(flag), file)
			}
		}
	}
	return nil
}

// called is a flag as it is mostly written.
func called(flag *pflag.Flag) string {
	if flag.Shorthand != "" {
		return "-" + flag.Shorthand
	}
	return "--" + flag.Name
}

// isPlace reports whether what a flag says is a place in the file system: it may be standard
// input, nothing, what has been saved, or a registry.
func isPlace(flag, text string) bool {
	switch {
	case text == "" || text == "-" || strings.HasPrefix(text, "saved:") || strings.HasPrefix(text, "git:"):
		return false
	case flag == "registry":
		return registry.IsDirectory(text) && !strings.Contains(text, "://")
	}
	return true
}

func notThere(arg string) error {
	if file := filepath.Join(load.Root("."), environment.Templates, arg+".cue"); filepath.IsLocal(arg) {
		if _, err := os.Stat(file); err == nil {
			return fmt.Errorf("%s: no such file or directory; the template of that name is %s", arg, filepath.ToSlash(file))
		}
	}
	if artifact, version, ok := strings.Cut(arg, "@v"); ok && strings.Contains(artifact, "/") {
		return fmt.Errorf("%s: no such file or directory; an artifact's version stands behind a colon: %s:v%s", arg, artifact, version)
	}
	return fmt.Errorf("%s: no such file or directory; kumiki help arguments says what can be given", arg)
}
