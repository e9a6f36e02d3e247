package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/gitrev"
	"kumiki.dev/load"
	"kumiki.dev/matrix"
	"kumiki.dev/module/registry"
	"kumiki.dev/policy"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/value"
)

// matrixFlags are the flags of commands that look at all templates and environments.
type matrixFlags struct {
	in                        inputFlags
	envs, out, form, selector string
	before                    string
	templates                 []string
	jobs, remove              int
	diff                      bool
}

// workers is how many solutions are compiled at the same time where nobody says.
func workers() int { return runtime.GOMAXPROCS(0) }

var matrixForms = []string{"text", "json", "markdown", "html"}

func (f *matrixFlags) register(cmd *cobra.Command) {
	f.in.registerLoad(cmd)
	flags := cmd.Flags()
	repeatedVar(flags, &f.in.values, "values", "f", "`file` (.cue, .yaml, .json) with values for all solutions in the deployment's shape, config: …; later files win")
	repeatedVar(flags, &f.in.sets, "set", "", "one value for all solutions, config.parameter.`NAME=VALUE`; wins over files")
	registerStrict(cmd, &f.in.strict)
	flags.DurationVar(&f.in.timeout, "timeout", 0, "how `long` one compilation may take; 0 for as long as it takes")
	flags.StringVar(&f.envs, "envs", "", "`directory` with environments (default: environments at the root of the module)")
	flags.StringVar(&f.selector, "environments", "", "`selector` of the environments that are wanted, such as stage=prod or name=eu (default: all)")
	flags.StringSliceVar(&f.templates, "templates", nil, "`names` of the templates that are wanted (default: all)")
	flags.IntVar(&f.jobs, "jobs", workers(), "how `many` solutions are compiled at the same time; what comes out is the same")
}

func newMatrixCmd(s streams) *cobra.Command {
	var f matrixFlags
	cmd := &cobra.Command{
		Use:   "matrix [DIR]",
		Short: "Compile all templates for all environments that they are for",
		Long: `Matrix reads the templates (templates/NAME.cue) and environments
(environments/NAME.cue) of the module that DIR (default: the working directory) lies in,
compiles each template for each environment that it selects, and prints a table: a row for
each template, a column for each environment.

With --out it writes them: solutions/ENVIRONMENT/NAME.json, objects/ENVIRONMENT/NAME.yaml
for Kubernetes, objects/ENVIRONMENT/NAME/stack.yaml for Swarm, and index.json. Argo CD, Flux
or kubectl apply -R -f take objects/ENVIRONMENT as it is. The next run compares: a cell is
new, unchanged, or what the change does to what runs (see 'kumiki plan'). Only what has
changed is compiled and written.

What cannot be read or compiled is a problem, or unknown: what was written of it stays.
What is gone is removed. Nothing is written where that is more than 3 solutions and more
than one in ten, or of a protected environment, or all of a template or environment, unless
--remove repeats how many it is.

A job that begins with an empty directory says with --before what there was: a directory
that --out wrote, or a module, as git:REV:PATH or as it is. The table and the limits are
then about that, and what cannot be made is written as it was there.`,
		Example: `  kumiki matrix
  kumiki matrix --out deployed
  kumiki matrix --before git:main:deployed --out fresh
  kumiki matrix --environments stage=prod --diff
  kumiki matrix -o markdown`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(f.form, matrixForms...); err != nil {
				return err
			}
			if f.diff && f.form == "html" {
				return errors.New("-o html: --diff has the forms text, json and markdown")
			}
			return runMatrix(cmd.Context(), s, &f, given(args, "."), cmd.Flags().Changed("remove"))
		},
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "`directory` to write solutions and objects to")
	flags.StringVarP(&f.form, "output", "o", "text", "`form` of the table: "+strings.Join(matrixForms, ", "))
	flags.IntVar(&f.remove, "remove", 0, "how `many` solutions may be removed: the number that a refusal names")
	flags.StringVar(&f.before, "before", "", "`state` to compare with: a directory that --out wrote, or a module, as it is or as git:REV:PATH (default: what --out has)")
	flags.BoolVar(&f.diff, "diff", false, "print the values of config that differ between environments, and who gives them, in place of the table")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(matrixForms, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runMatrix(ctx context.Context, s streams, f *matrixFlags, dir string, removes bool) error {
	in, problems, err := f.input(s, dir)
	if err != nil {
		return err
	}
	if err := printProblems(s.err, problems); err != nil && in.Placement.Cells == nil {
		return err
	}
	return f.in.opening(s, func(o *opener) error {
		m, changes, err := f.made(ctx, o, in, removes)
		if err != nil {
			return err
		}
		if err := f.print(s, m, changes); err != nil {
			return err
		}
		return errors.Join(printProblems(s.err, cellProblems(s, m)), verdict(strictly(s.err, problems)))
	})
}

// made compiles the cells, and writes them if they are to be written. It refuses to where
// too much would be removed.
func (f *matrixFlags) made(ctx context.Context, o *opener, in *matrix.Input, removes bool) (*matrix.Matrix, *matrix.Changes, error) {
	written, err := f.written()
	if err != nil {
		return nil, nil, err
	}
	in.Before = written
	changes := matrix.Compare(written, in.Tree, in.Placement)
	if f.before != "" {
		if in.Before, err = f.earlier(ctx, o, *in); err != nil {
			return nil, nil, err
		}
		changes.Join(matrix.Compare(in.Before, in.Tree, in.Placement))
		if f.writes() {
			in.Before.Onto(written)
		}
	}
	if refusal := changes.Refusal(); refusal != "" && f.remove != len(changes.Removed) {
		return nil, nil, f.refuse(o.real, changes, refusal, removes)
	}
	in.Keep = f.diff
	var m *matrix.Matrix
	if f.writes() {
		m, err = matrix.Write(ctx, *in, f.out, written, changes)
	} else {
		m, err = matrix.Run(ctx, *in)
	}
	return m, changes, err
}

// writes reports whether the cells are written.
func (f *matrixFlags) writes() bool { return f.out != "" && !f.diff }

// written is what the directory has that is written to, nil for nothing.
func (f *matrixFlags) written() (*matrix.Before, error) {
	if !f.writes() {
		return nil, nil
	}
	return matrix.Open(f.out)
}

// earlier is what --before names: what was written, or the templates and environments of a
// module. It has to be known as a whole, as nobody else knows what would be removed.
func (f *matrixFlags) earlier(ctx context.Context, o *opener, in matrix.Input) (*matrix.Before, error) {
	dir := f.before
	if rest, ok := strings.CutPrefix(f.before, "git:"); ok {
		rev, name, ok := strings.Cut(rest, ":")
		if !ok || name == "" {
			return nil, fmt.Errorf("--before %s: write git:REV:PATH, such as git:main:deployed", f.before)
		}
		at, err := gitrev.Open(ctx, rev, name)
		if err != nil {
			return nil, fmt.Errorf("--before %s: %w", f.before, err)
		}
		temporary, err := o.temporary("git:" + rev + ":")
		if err != nil {
			return nil, err
		}
		if dir, err = at.WriteModule(ctx, temporary, name, name); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, matrix.IndexFile)); err == nil {
		return matrix.Open(dir)
	}
	if is, err := isTree(ctx, dir); err != nil || !is {
		return nil, errors.Join(err, fmt.Errorf("--before %s: there is neither an %s, which kumiki matrix --out writes, nor a module with templates", f.before, matrix.IndexFile))
	}
	old, said, err := o.tree(ctx, f.before, f.envs)
	if err != nil {
		return nil, err
	}
	if said.HasErrors() {
		_ = o.print(o.streams(), said) // it is an error in any case
		fmt.Fprintf(o.real.err, "--before %s has errors, so it is not known what would be removed, and nothing was written: mend it, or name another state\n", f.before)
		return nil, errWrong
	}
	old.Jobs, old.Progress = in.Jobs, nil
	return matrix.BeforeOf(ctx, *old, in)
}

// refuse says that nothing is written, because of what would be removed.
func (f *matrixFlags) refuse(s streams, changes *matrix.Changes, why string, removes bool) error {
	n := len(changes.Removed)
	for _, e := range changes.Removed {
		fmt.Fprintf(s.err, "would be removed: %s (template %s, environment %s)\n", e.Name, e.Template, e.Environment)
	}
	for _, r := range changes.Renamed {
		fmt.Fprintf(s.err, "%s %s seems to be called %s now\n", r.What, r.From, r.To)
	}
	if removes {
		why = fmt.Sprintf("--remove %d is another number; %s", f.remove, why)
	}
	fmt.Fprintf(s.err, "%s would be removed, and nothing was written (%s); if that is meant, say --remove %d\n", solutionCount(n), why, n)
	return errWrong
}

// solutionCount is a number of solutions, as a sentence has it.
func solutionCount(n int) string {
	if n == 1 {
		return "1 solution"
	}
	return fmt.Sprintf("%d solutions", n)
}

// print prints the table, or the values that differ.
func (f *matrixFlags) print(s streams, m *matrix.Matrix, changes *matrix.Changes) error {
	if f.diff {
		return printDifferences(s, f.form, m.Differences())
	}
	r := m.Report(changes)
	switch f.form {
	case "json":
		return printJSON(s, r)
	case "markdown":
		return r.Markdown(s.out)
	case "html":
		return r.HTML(s.out)
	}
	return r.Text(s.out)
}

// input reads the tree that a directory lies in, and says where its templates go.
func (f *matrixFlags) input(s streams, dir string) (*matrix.Input, diag.List, error) {
	if err := there(dir); err != nil {
		return nil, nil, err
	}
	root := load.Root(dir)
	if root == "" {
		return nil, nil, fmt.Errorf("%s lies in no module: kumiki mod init makes one", dir)
	}
	loading, err := f.in.load(root)
	if err != nil {
		return nil, nil, err
	}
	loading.Texts = s.secrets.texts()
	tree := environment.Read(loading, root, f.envs)
	if missing := tree.Missing(f.envs); missing != "" {
		return nil, nil, missingDirectory(missing)
	}
	placement, problems := tree.Place()
	all := f.in.matrixInput(s, tree, placement, loading)
	in := &all
	in.Version, in.Jobs, in.Compile.Sets = builtFrom().identity(), f.jobs, f.in.sets
	if in.Compile.Values, err = f.in.valuesFiles(s); err != nil {
		return nil, nil, err
	}
	if err := printProblems(s.err, policies(s, in)); err != nil {
		return nil, nil, err
	}
	if in.Only, err = f.only(tree); err != nil {
		return nil, nil, err
	}
	if screen, ok := s.err.(*console); ok {
		in.Progress = func(done, total int) { screen.progress.tell(fmt.Sprintf("%d of %d solutions", done, total)) }
	}
	return in, append(tree.Problems, problems...), nil
}

// matrixInput is what goes for all cells of a tree.
func (f *inputFlags) matrixInput(s streams, tree *environment.Tree, placement *environment.Placement, loading load.Input) matrix.Input {
	in := matrix.Input{Tree: tree, Placement: placement, Targets: matrixTargets(), Jobs: 1}
	in.Compile.LoadInput, in.Compile.Strict, in.Compile.Timeout = loading, f.strict, f.timeout
	v := &verifier{from: f.reference.from, done: map[string]error{}}
	in.Verify = v.verify
	in.Registry = func() (registry.Registry, error) {
		reg, _, err := openRegistry(f.reference.from)
		if err == nil {
			reg, err = trusted(s, reg, f.reference.from, f.reference.keys)
		}
		return reg, err
	}
	return in
}

// policies makes the policies of the module hold in its environments.
func policies(s streams, in *matrix.Input) diag.List {
	dir := policy.In(in.Tree.Dir)
	if dir == "" {
		return nil
	}
	read := func() (*policy.Set, diag.List) { return policy.Load(load.Input{Dir: dir, Texts: s.secrets.texts()}) }
	all, problems := read()
	in.Rules = all.Digest
	if len(in.Tree.UnknownEnvironments) == 0 {
		problems = append(problems, all.Unused(in.Tree.Environments)...)
	}
	in.Checks = func() matrix.Checks {
		rules := &workersRules{read: read}
		return matrix.Checks{
			Solution: func(e *environment.Environment, sol *solution.Solution) diag.List { return rules.of(e).Solution(sol) },
			Objects: func(e *environment.Environment, sol *solution.Solution, objects []targets.Object) diag.List {
				return rules.of(e).Objects(sol, objects)
			},
		}
	}
	return problems
}

// workersRules are the policies of one worker: CUE's values are for one at a time.
type workersRules struct {
	read func() (*policy.Set, diag.List)
	set  *policy.Set
	used int
}

// checksEach is how many checks one set of policies makes: CUE forgets nothing.
const checksEach = 500

// of returns the policies that hold in an environment.
func (r *workersRules) of(e *environment.Environment) *policy.Set {
	if r.used%checksEach == 0 {
		r.set, _ = r.read() // what is wrong with them was said when they were first read
	}
	r.used++
	return r.set.For(e)
}

// only are the cells that flags ask for, nil for all.
func (f *matrixFlags) only(tree *environment.Tree) (func(*environment.Cell) bool, error) {
	if f.selector == "" && len(f.templates) == 0 {
		return nil, nil
	}
	selector, err := environment.ParseSelector(f.selector)
	if err != nil {
		return nil, fmt.Errorf("--environments %s: %w", f.selector, err)
	}
	var names []string
	for _, t := range tree.Templates {
		names = append(names, t.Name)
	}
	for _, name := range f.templates {
		if !filter.Contains(names, name) && !filter.Contains(tree.UnknownTemplates, name) {
			if near, ok := diag.Nearest(name, names); ok {
				return nil, fmt.Errorf("--templates %s: there is no such template; did you mean %s?", name, near)
			}
			return nil, fmt.Errorf("--templates %s: there are %s", name, strings.Join(names, ", "))
		}
	}
	if f.selector != "" && !filter.Any(tree.Environments, selector.Matches) {
		if wrong := selector.Misspelt(tree.Environments); len(wrong) > 0 {
			return nil, fmt.Errorf("--environments %s selects by %s", f.selector, wrong[0])
		}
		return nil, fmt.Errorf("--environments %s: no environment is selected", f.selector)
	}
	return func(c *environment.Cell) bool {
		return selector.Matches(c.Environment) && (len(f.templates) == 0 || filter.Contains(f.templates, c.Template.Name))
	}, nil
}

// matrixTargets are the targets, with how their objects are laid out for each environment.
func matrixTargets() map[string]matrix.Target {
	out := map[string]matrix.Target{}
	for name, t := range lowerings {
		files := func(name string, objects []targets.Object) (map[string][]byte, error) {
			var b bytes.Buffer
			err := t.stream(&b, objects)
			return map[string][]byte{name + ".yaml": b.Bytes()}, err
		}
		if t.beside != nil { // the stream refers to other files
			files = func(name string, objects []targets.Object) (map[string][]byte, error) {
				all, err := t.files(objects)
				out := map[string][]byte{}
				for file, data := range all {
					out[path.Join(name, filepath.ToSlash(file))] = data
				}
				return out, err
			}
		}
		out[name] = matrix.Target{Lower: t.lower, Files: files, Orchestrator: t.orchestrator}
	}
	return out
}

// printDifferences prints the values that differ between environments.
func printDifferences(s streams, form string, all []matrix.Difference) error {
	switch form {
	case "json":
		o := reportOptions(s.err)
		for _, d := range all {
			for name, v := range d.Values {
				if v.Pos.IsValid() {
					v.Place = fmt.Sprintf("%s:%d:%d", o.Called(v.Pos.Filename()), v.Pos.Line(), v.Pos.Column())
					d.Values[name] = v
				}
			}
		}
		return printJSON(s, all)
	case "markdown":
		return matrix.MarkdownDifferences(s.out, all)
	}
	return matrix.WriteDifferences(s.out, all, paint(s))
}

// paint colours a value for a person at a terminal by who gave it: an environment, the
// template for some environments, a flag.
func paint(s streams) func(text string, by value.Giver) string {
	c, ok := s.err.(*console)
	if !ok || !c.terminal() {
		return nil
	}
	colors := map[value.Giver]string{value.FromEnvironment: "\x1b[36m", value.FromTemplate: "\x1b[33m", value.FromFlag: "\x1b[35m"}
	return func(text string, by value.Giver) string {
		if colors[by] == "" {
			return text
		}
		return colors[by] + text + "\x1b[0m"
	}
}
