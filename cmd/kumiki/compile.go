package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/history"
	"kumiki.dev/module/bundle"
	"kumiki.dev/solution"
)

// emits maps the values of --emit to the stage that makes them and the part of
// the result that is printed.
var emits = map[string]struct {
	stage compiler.Stage
	of    func(*compiler.Result) (io.WriterTo, error)
	form  form
}{
	"unified":  {compiler.UnifyStage, func(r *compiler.Result) (io.WriterTo, error) { return laidOut(r.Base) }, unifiedForm},
	"spread":   {compiler.SpreadStage, func(r *compiler.Result) (io.WriterTo, error) { return laidOut(r.Tree) }, treeForm},
	"solution": {compiler.EncodeStage, func(r *compiler.Result) (io.WriterTo, error) { return r.Encoded, nil }, solutionForm},
}

// compileFlags are the flags of compile beside those that say what to read.
type compileFlags struct {
	output             outputFlags
	emit, save, cached string
	comment, owner     string
	reads              []string // beside the sources
}

func (f *compileFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.output.register(cmd, "json", "`file` to write, all or nothing (default: standard output)")
	flags.StringVar(&f.emit, "emit", "solution", "`stage` to print: unified (the deployment's own level), spread (the tree of roles with their config), or solution")
	flags.StringVar(&f.save, "save", "", "`directory` to keep the solution in (--save alone: that of --solutions)")
	flags.Lookup("save").NoOptDefVal = "solutions"
	flags.StringVar(&f.comment, "comment", "", "`text` that is kept in the solution")
	flags.StringVar(&f.owner, "owner", "", "`domain` of the solution's ref: who deploys it")
	registerCache(cmd, &f.cached)
	_ = cmd.RegisterFlagCompletionFunc("emit", cobra.FixedCompletions([]string{"unified", "spread", "solution"}, cobra.ShellCompDirectiveNoFileComp))
}

func newCompileCmd(s streams) *cobra.Command {
	var in inputFlags
	var flags compileFlags
	cmd := &cobra.Command{
		Use:   "compile [DIR | BUNDLE | ARTIFACT:VERSION | git:REV:PATH]",
		Short: "Compile a deployment to a solution file",
		Long: `Compile reads the #Deployment in DIR (default: the working directory), spreads
its configuration down the roles of its artifact, and writes the solution as
canonical JSON: the same input gives the same bytes on every machine.

Every problem is reported, and nothing is written if one of them is an error.

In place of DIR a published artifact may be given, whose config then comes from -f
and --set, a file that 'kumiki bundle' has written, or either as it was at a
revision: see 'kumiki help arguments'. With --verify no artifact is taken that is
not signed (see 'kumiki mod verify').

With --save the solution is kept in a directory under its name and digest, and
becomes the current one of that name, unless it is already: see 'kumiki saved history'.
What it was compiled from is kept beside it, as one bundle: see 'kumiki saved show --input'
and 'kumiki saved verify'.
If the name is that of a solution of another artifact, you are warned; with --strict
nothing is saved then.
It is written only if --out says where.

With --cache what is made of a service is left in a directory, where later runs
find it: only what has changed, and the services around it, are compiled anew. The
result is the same. Artifacts with warnings are compiled every time.`,
		Example: `  kumiki compile examples/shop/deploy --out shop.json
  kumiki compile prod --save --comment 'more instances'
  kumiki compile prod -f eu.yaml --set config.parameter.replicas=3
  kumiki compile prod --emit spread
  kumiki compile prod --role web --out web.json
  kumiki compile example.org/site/shop:v1.2 --name shop -f values.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.reads = args
			return in.onSources(cmd.Context(), s, args, func(s streams, input compiler.Input) error {
				input.Comment, input.Owner = cmp.Or(flags.comment, input.Comment), cmp.Or(flags.owner, input.Owner)
				return runCompile(cmd.Context(), s, in, input, flags)
			})
		},
	}
	in.register(cmd)
	in.registerRole(cmd)
	flags.register(cmd)
	return cmd
}

func (f *compileFlags) check() error {
	_, ok := emits[f.emit]
	switch {
	case !ok:
		return fmt.Errorf("--emit %s: there are unified, spread and solution", f.emit)
	case f.save != "" && f.emit != "solution":
		return fmt.Errorf("--emit %s: --save keeps solutions", f.emit)
	case f.cached != "" && f.emit != "solution":
		return fmt.Errorf("--emit %s: --cache keeps parts of solutions", f.emit)
	}
	return nil
}

func runCompile(ctx context.Context, s streams, flags inputFlags, in compiler.Input, f compileFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	e := emits[f.emit]
	result, problems, err := compile(ctx, s, in, e.stage, f.cached)
	if err != nil {
		return err
	}
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	if f.save != "" {
		if err := saveSolution(ctx, s, history.Open(f.place(flags)), flags.strict, in, result.Solution); err != nil || f.output.name == "" {
			return err
		}
	}
	data, err := e.of(result)
	if err != nil {
		return err
	}
	return f.output.write(s, e.form, slices.Concat(f.reads, sources(result.Program), flags.reads(solutionName(result))), data)
}

// place is the directory in which solutions are kept: --save without one is that of
// --solutions.
func (f *compileFlags) place(flags inputFlags) string {
	if f.save == "solutions" {
		return flags.store
	}
	return f.save
}

// saveSolution makes a solution the current one of its name, and keeps what it was compiled
// from beside it. Where that cannot be one file it is told; to be strict is not to save then.
func saveSolution(ctx context.Context, s streams, store *history.Store, strict bool, in compiler.Input, sol *solution.Solution) error {
	if err := otherArtifact(s, store, sol); err != nil {
		return err
	}
	data, err := bundle.Of(ctx, in, sol)
	if err != nil {
		if strict {
			return wrong(s, fmt.Errorf("what %s was compiled from cannot be kept: %w", sol.Ref.Name, err))
		}
		fmt.Fprintf(s.err, "warning: what %s was compiled from is not kept: %v\n", diag.Printable(sol.Ref.Name), err)
	}
	kept, new, err := store.Save(sol, history.Input{Bundle: data, Kumiki: builtFrom().Version})
	if err != nil {
		return err
	}
	saidSaved(s, sol.Ref.Name, kept, new)
	return nil
}

// otherArtifact tells of a solution that takes the name of one with another artifact; to
// be strict is not to save it.
func otherArtifact(s streams, store *history.Store, sol *solution.Solution) error {
	was, err := store.Replaces(sol)
	if err != nil || was == "" {
		return err
	}
	name, was := diag.Printable(sol.Ref.Name), diag.Printable(was)
	return s.warn("%s is the name of a solution of %s, and this is another artifact; --name gives it a name of its own, 'kumiki saved delete %s' makes the name free", name, was, name)
}

// compile goes through the stages, with a cache if its directory is given.
func compile(ctx context.Context, s streams, in compiler.Input, last compiler.Stage, cached string) (*compiler.Result, diag.List, error) {
	if cached == "" {
		result, problems := compiler.Run(ctx, in, last)
		return result, problems, nil
	}
	c, err := openCache(cached)
	if err != nil {
		return nil, nil, err
	}
	result, problems, err := c.Run(ctx, in)
	if err != nil {
		fmt.Fprintf(s.err, "the cache was not written: %v\n", err)
	}
	return result, problems, nil
}

// indent prints v as the solution is printed: two spaces, a newline at the end.
func indent(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

func laidOut(v any) (io.WriterTo, error) {
	data, err := indent(v)
	return bytes.NewReader(data), err
}
