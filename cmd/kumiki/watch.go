package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/history"
	"kumiki.dev/load"
	"kumiki.dev/report"
	"kumiki.dev/watch"
)

// watchVet vets until the context ends. What is wrong with the input ends
// nothing; only what is wrong with the command line does.
func watchVet(ctx context.Context, s streams, flags inputFlags, opts vetOptions, dirs []string) error {
	flags.memory = load.NewMemory()
	return watch.Sources(ctx, watched(flags, dirs), func() error {
		err := flags.opening(s, func(o *opener) error { return runVet(ctx, o, opts, dirs) })
		switch {
		case err == nil:
			fmt.Fprintln(s.err, "no errors; waiting for changes")
		case errors.Is(err, errWrong), errors.Is(err, errSystem), errors.Is(err, errBug):
			fmt.Fprintln(s.err, "waiting for changes")
			err = nil
		}
		return err
	})
}

// watched are the directories whose sources may have a part in what is compiled: the
// modules of those that are named, what flags name, and what is saved.
func watched(flags inputFlags, dirs []string) []string {
	beside := slices.Clone(flags.links)
	for _, arg := range flags.with {
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			beside = append(beside, arg)
		}
	}
	if history.Is(flags.store) {
		beside = append(beside, flags.store)
	}
	roots := slices.Concat(dirs, beside)
	for _, dir := range slices.Concat(dirs, beside) {
		in, err := flags.load(dir)
		if err != nil {
			continue // compiling says so
		}
		if p, _ := load.Load(in); p != nil {
			roots = append(roots, p.Dir)
		}
	}
	return slices.Concat(roots, flags.modules)
}

func newWatchCmd(s streams) *cobra.Command {
	var in inputFlags
	var output outputFlags
	var cached string
	cmd := &cobra.Command{
		Use:   "watch [DIR]",
		Short: "Compile a deployment whenever a source changes",
		Long: `Watch compiles the #Deployment in DIR (default: the working directory), and again
whenever a source changes, until it is interrupted. Each compilation is one line
of JSON on standard output, for programs that go on from there:

  {"solution":"shop","digest":"sha256:…","changed":true,"errors":0,"report":{…}}

solution and digest are left out where there are errors, changed reports whether the
digest is another than that of the last solution, and report has the problems in
the form of 'kumiki vet -o json'.

With --out the solution is written to a file as well, all or nothing, where there is
a new one. With --cache only what has changed is compiled anew, as by
'kumiki compile --cache'.`,
		Example: `  kumiki watch prod --out prod.json
  kumiki watch prod | jq --unbuffered -c 'select(.errors > 0) | .report.problems[].message'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := append(args, ".")[0]
			last := ""
			in.memory = load.NewMemory()
			return watch.Sources(cmd.Context(), watched(in, []string{dir}), func() error {
				e, result, err := compileEvent(cmd.Context(), s, in, cached, dir)
				if err != nil {
					return err
				}
				e.Changed = e.Digest != "" && e.Digest != last
				if e.Changed && output.name != "" {
					reads := slices.Concat(sources(result.Program), in.reads(e.Solution))
					if err := output.write(s, solutionForm, reads, result.Encoded); err != nil {
						return err
					}
				}
				last = cmp.Or(e.Digest, last)
				return json.NewEncoder(s.out).Encode(e)
			})
		},
	}
	in.register(cmd)
	registerCache(cmd, &cached)
	output.register(cmd, "json", "`file` to keep the latest solution in")
	return cmd
}

// event is what watch says of a compilation.
type event struct {
	Solution string          `json:"solution,omitempty"`
	Digest   string          `json:"digest,omitempty"`
	Changed  bool            `json:"changed"`
	Errors   int             `json:"errors"`
	Report   json.RawMessage `json:"report"`
}

// compileEvent compiles once.
func compileEvent(ctx context.Context, s streams, flags inputFlags, cached, dir string) (e event, result *compiler.Result, err error) {
	flags.others = nil // they may have changed too
	of, err := flags.load(dir)
	if err != nil {
		return e, nil, err
	}
	in, err := flags.input(s, subject{sources: &of})
	if err != nil {
		return e, nil, err
	}
	result, problems, err := compile(ctx, s, in, compiler.EncodeStage, cached)
	if err != nil {
		return e, nil, err
	}
	var text bytes.Buffer
	if err := report.JSON(&text, problems.Sorted(), reportOptions(s.err)); err != nil {
		return e, nil, err
	}
	e.Report = text.Bytes()
	for _, d := range problems {
		if d.Severity == diag.Error {
			e.Errors++
		}
	}
	if e.Errors > 0 || result.Encoded == nil {
		return e, nil, ctx.Err()
	}
	e.Solution, e.Digest = result.Solution.Ref.Name, result.Encoded.Digest
	return e, result, nil
}
