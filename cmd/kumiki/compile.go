package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/history"
)

// emits maps the values of --emit to the stage that makes them and the part of
// the result that is printed.
var emits = map[string]struct {
	stage compiler.Stage
	of    func(*compiler.Result) (io.WriterTo, error)
}{
	"unified":  {compiler.UnifyStage, func(r *compiler.Result) (io.WriterTo, error) { return laidOut(r.Base) }},
	"spread":   {compiler.SpreadStage, func(r *compiler.Result) (io.WriterTo, error) { return laidOut(r.Tree) }},
	"solution": {compiler.EncodeStage, func(r *compiler.Result) (io.WriterTo, error) { return r.Encoded, nil }},
}

func newCompileCmd(s streams) *cobra.Command {
	var in inputFlags
	var output, emit, save, comment, owner, cached string
	var reference referenceFlags
	cmd := &cobra.Command{
		Use:   "compile [DIR | BUNDLE | ARTIFACT:VERSION]",
		Short: "Compile a deployment to a solution file",
		Long: `Compile reads the #Deployment in DIR (default: the working directory), spreads
its configuration down the roles of its artifact, and writes the solution as
canonical JSON: the same input gives the same bytes on every machine.

Every problem is reported, and nothing is written if one of them is an error.

In place of DIR the name of a published artifact may be given: shop:v1.2,
collection/shop:v1.2 or example.org/site/shop:v1.2. Its config then comes from -f
and --set. Omitted parts of the version are zero, and the highest patch of it is
taken, never a higher minor version. With --verify nothing is taken that is not
signed (see 'kumiki mod verify').

It may also be a file that 'kumiki bundle' has written.

With --save the solution is kept in a directory under its name and digest, and
becomes the current one of that name, unless it is already: see 'kumiki history'.
It is printed only if -o says so.

With --cache what is made of a service is left in a directory, where later runs
find it: only what has changed, and the services around it, are compiled anew. The
result is the same. Artifacts with warnings are compiled every time.`,
		Example: `  kumiki compile examples/shop/deploy -o shop.json
  kumiki compile prod --save --comment 'more instances'
  kumiki compile prod -f eu.yaml --set config.parameter.replicas=3
  kumiki compile prod --emit spread
  kumiki compile example.org/site/shop:v1.2 --name shop -f values.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			args, remove, err := reference.sources(cmd.Context(), s, &in, args)
			if err != nil {
				return err
			}
			defer remove()
			return bundled(s, &in, args, func(s streams, args []string) error {
				input, err := in.input(s, args)
				if err != nil {
					return err
				}
				input.Comment, input.Owner = comment, owner
				return runCompile(cmd.Context(), s, input, cached, output, emit, save)
			})
		},
	}
	in.register(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "`file` to write, all or nothing (default: standard output)")
	cmd.Flags().StringVar(&emit, "emit", "solution", "`stage` to print: unified (the deployment's own level), spread (the tree of roles with their config), or solution")
	cmd.Flags().StringVar(&save, "save", "", "`directory` to keep the solution in (--save alone: solutions)")
	cmd.Flags().Lookup("save").NoOptDefVal = "solutions"
	cmd.Flags().StringVar(&comment, "comment", "", "`text` that is kept in the solution")
	cmd.Flags().StringVar(&owner, "owner", "", "`domain` of the solution's ref: who deploys it")
	reference.register(cmd)
	registerCache(cmd, &cached)
	_ = cmd.RegisterFlagCompletionFunc("emit", cobra.FixedCompletions([]string{"unified", "spread", "solution"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runCompile(ctx context.Context, s streams, in compiler.Input, cached, output, emit, save string) error {
	e, ok := emits[emit]
	switch {
	case !ok:
		return fmt.Errorf("--emit %s: there are unified, spread and solution", emit)
	case save != "" && emit != "solution":
		return fmt.Errorf("--emit %s: --save keeps solutions", emit)
	case cached != "" && emit != "solution":
		return fmt.Errorf("--emit %s: --cache keeps parts of solutions", emit)
	}
	result, problems, err := compile(ctx, s, in, e.stage, cached)
	if err != nil {
		return err
	}
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	if save != "" {
		kept, new, err := history.Open(save).Save(result.Solution, history.Saved)
		if err != nil {
			return err
		}
		saidSaved(s, result.Solution.Ref.Name, kept, new)
		if output == "" {
			return nil
		}
	}
	data, err := e.of(result)
	if err != nil {
		return err
	}
	return writeOutput(s, output, data)
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
