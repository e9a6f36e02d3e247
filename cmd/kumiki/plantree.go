package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/gitrev"
	"kumiki.dev/load"
	"kumiki.dev/matrix"
	"kumiki.dev/plan"
)

// treeFlags are the flags of a plan of all templates.
type treeFlags struct {
	remove int
	env    string // the only environment, "" for all
}

func (f *treeFlags) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.remove, "remove", 0, "between two states of a tree of templates, how `many` solutions may be removed: the number that a refusal names")
}

// begin reads what other flags say of it.
func (f *treeFlags) begin(cmd *cobra.Command) error {
	for _, name := range []string{"target", "namespace", "old-namespace"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed {
			return fmt.Errorf("--%s %s: environments say what templates run on; leave it out", name, flag.Value)
		}
	}
	if flag := cmd.Flags().Lookup("env"); flag.Changed {
		f.env = strings.TrimSuffix(filepath.Base(flag.Value.String()), ".cue")
	}
	return nil
}

// isTree reports whether an argument is a module with templates, at a revision or as it is,
// and no deployment itself.
func isTree(ctx context.Context, arg string) (bool, error) {
	if rest, ok := strings.CutPrefix(arg, "git:"); ok {
		rev, name, ok := strings.Cut(rest, ":")
		if !ok || name == "" {
			return false, nil
		}
		tree, err := gitrev.Open(ctx, rev, name)
		if err != nil {
			return false, err
		}
		names, err := tree.Names(ctx, filepath.Join(name, environment.Templates))
		return len(names) > 0, err
	}
	if info, err := os.Stat(filepath.Join(arg, environment.Templates)); err != nil || !info.IsDir() {
		return false, nil
	}
	files, _ := filepath.Glob(filepath.Join(arg, "*.cue"))
	return !filter.Any(files, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(text), "#Deployment")
	}), nil
}

// areTrees reports whether a plan is one of two trees: one of them has templates.
func areTrees(ctx context.Context, args []string) (bool, error) {
	for _, arg := range args {
		if is, err := isTree(ctx, arg); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

// tree reads all templates and environments that an argument has.
func (o *opener) tree(ctx context.Context, arg, envs string) (*matrix.Input, diag.List, error) {
	dir := arg
	modules := append(slices.Clone(o.f.modules), envs)
	if rest, ok := strings.CutPrefix(arg, "git:"); ok {
		rev, name, _ := strings.Cut(rest, ":")
		at, err := gitrev.Open(ctx, rev, name)
		if err != nil {
			return nil, nil, err
		}
		temporary, err := o.temporary("git:" + rev + ":")
		if err != nil {
			return nil, nil, err
		}
		if dir, err = at.WriteModule(ctx, temporary, name, name); err != nil {
			return nil, nil, err
		}
		for i := range modules {
			if modules[i] != "" {
				modules[i] = at.Inside(temporary, modules[i])
			}
		}
	}
	modules, envs = modules[:len(modules)-1], modules[len(modules)-1]
	root := load.Root(dir)
	if root == "" || !samePlace(root, dir) {
		return nil, nil, fmt.Errorf("%s is no module: templates and environments lie at the root of one", arg)
	}
	loading, err := o.f.load(root)
	if err != nil {
		return nil, nil, err
	}
	loading.Modules, loading.Texts = modules, o.real.secrets.texts()
	return o.f.treeInput(o.real, root, envs, loading)
}

// treeInput reads the templates, environments and policies of the module in a directory.
// Environments lie in envs, "" for the module's own.
func (f *inputFlags) treeInput(s streams, root, envs string, loading load.Input) (*matrix.Input, diag.List, error) {
	tree := environment.Read(loading, root, envs)
	placement, problems := tree.Place()
	in := f.matrixInput(s, tree, placement, loading)
	in.Version, in.Jobs, in.Compile.Sets = builtFrom().identity(), workers(), f.sets
	var err error
	if in.Compile.Values, err = f.valuesFiles(s); err != nil {
		return nil, nil, err
	}
	more := policies(s, &in)
	return &in, slices.Concat(tree.Problems, problems, more), nil
}

// missingDirectory says that a tree lacks a directory.
func missingDirectory(name string) error {
	return fmt.Errorf("there is no directory %s: the files in %s say where deployments run, and those in %s what goes there", name, environment.Directory, environment.Templates)
}

// planTrees prints what changes between two trees.
func (f *planFlags) planTrees(ctx context.Context, s streams, sides *inputFlags, t treeFlags, args []string) error {
	return sides.opening(s, func(o *opener) error {
		old, said, err := o.tree(ctx, args[0], "")
		if err != nil {
			return err
		}
		out := o.streams()
		if said.HasErrors() { // what is wrong there is not what is asked for
			fmt.Fprintf(out.err, "warning: %s has errors (kumiki matrix in it shows them): what is not read there is new here\n", args[0])
		}
		new, problems, err := o.tree(ctx, args[1], "")
		if err != nil {
			return err
		}
		out = o.streams()
		if err := printProblems(out.err, problems); err != nil && new.Placement.Cells == nil {
			return err
		}
		t.limit(old, new)
		m, changes, err := matrix.Between(ctx, *old, *new)
		if err != nil {
			return err
		}
		t.only(changes)
		if err := f.printTrees(out, m, changes); err != nil {
			return err
		}
		return errors.Join(t.refused(out, changes), printProblems(out.err, append(cellProblems(out, m), f.guarded(m)...)), verdict(problems))
	})
}

// limit leaves one environment, if only that is asked for.
func (t *treeFlags) limit(sides ...*matrix.Input) {
	if t.env == "" {
		return
	}
	for _, in := range sides {
		in.Only = func(c *environment.Cell) bool { return c.Environment.Name == t.env }
	}
}

// only leaves the changes of one environment.
func (t *treeFlags) only(changes *matrix.Changes) {
	if t.env == "" {
		return
	}
	other := func(e *matrix.Entry) bool { return e.Environment != t.env }
	changes.Removed, changes.Unknown = filter.Out(changes.Removed, other), filter.Out(changes.Unknown, other)
}

// refused says that too much would be removed.
func (t *treeFlags) refused(s streams, changes *matrix.Changes) error {
	why := changes.Refusal()
	if why == "" || t.remove == len(changes.Removed) {
		return nil
	}
	fmt.Fprintf(s.err, "%s would be removed (%s); if that is meant, say --remove %d\n", solutionCount(len(changes.Removed)), why, len(changes.Removed))
	return errWrong
}

// guarded are the problems of the plans: data that is lost.
func (f *planFlags) guarded(m *matrix.Matrix) (out diag.List) {
	for _, r := range m.Results {
		if r.Plan != nil {
			out = append(out, r.Plan.Problems(f.allowed)...)
		}
	}
	return out
}

// mostPlans is how many plans are printed below a table.
const mostPlans = 40

// printTrees prints the table, and the plans of what changes.
func (f *planFlags) printTrees(s streams, m *matrix.Matrix, changes *matrix.Changes) error {
	r := m.Report(changes)
	r.Changes = true
	var plans []*plan.Plan
	for _, c := range r.Cells {
		if c.Plan != nil {
			plans = append(plans, s.secrets.hidePlan(c.Plan))
		}
	}
	rest := ""
	if len(plans) > mostPlans && f.form != "json" {
		rest = fmt.Sprintf("%d more plans: -o json has all, --env NAME has those of one environment\n", len(plans)-mostPlans)
		plans = plans[:mostPlans]
	}
	switch f.form {
	case "json":
		return printJSON(s, r)
	case "markdown":
		if err := r.Markdown(s.out); err != nil {
			return err
		}
		return f.plansMarkdown(s, plans, rest)
	}
	if err := r.Text(s.out); err != nil {
		return err
	}
	for _, p := range plans {
		if _, err := io.WriteString(s.out, "\n"+p.Text(f.details)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(s.out, rest)
	return err
}

func (f *planFlags) plansMarkdown(s streams, plans []*plan.Plan, rest string) error {
	for _, p := range plans {
		if _, err := fmt.Fprintf(s.out, "\n%s", p.Markdown()); err != nil {
			return err
		}
	}
	if rest != "" {
		rest = "\n" + rest
	}
	_, err := io.WriteString(s.out, rest)
	return err
}
