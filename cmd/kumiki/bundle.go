package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/load"
	"kumiki.dev/module/bundle"
	"kumiki.dev/report"
)

func newBundleCmd(s streams) *cobra.Command {
	var in inputFlags
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "bundle [DIR | ARTIFACT:VERSION | git:REV:PATH] --out FILE",
		Short: "Write a deployment and all that it is compiled from to one file",
		Long: `Bundle writes the #Deployment in DIR (default: the working directory) to one
file, with all that it is compiled from: the sources that take part, the modules that
they depend on, with their digests, the files of links, what -f, --set, --name, --env
and --role give, and the solutions of the deployments that something is taken from.
Where DIR may be given to compile, render and vet the file may be too, and compiles to
the same bytes there, without a registry, a cache or other deployments: that is tried
before it is written. What flags say there comes on top of what is in it.

The same input gives the same file on every machine. It is a zip archive in which
nothing is compressed. 'kumiki compile --save' keeps one beside each solution: see
'kumiki saved show --input'.`,
		Example: `  kumiki bundle prod --out prod.bundle
  kumiki bundle prod -f eu.yaml --name shop-eu --out eu.bundle
  kumiki compile prod.bundle --out prod.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output.name == "" {
				return errors.New("which file? Say --out FILE")
			}
			return in.onSources(cmd.Context(), s, args, func(s streams, input compiler.Input) error {
				return runBundle(cmd.Context(), s, in, input, output)
			})
		},
	}
	in.register(cmd)
	in.registerRole(cmd)
	output.register(cmd, "bundle", "`file` to write, all or nothing")
	return cmd
}

func runBundle(ctx context.Context, s streams, flags inputFlags, in compiler.Input, output outputFlags) error {
	data, problems, err := bundle.Pack(ctx, in)
	if data == nil || problems.HasErrors() {
		if err := printProblems(s.err, problems); err != nil {
			return err
		}
		return wrong(s, err)
	}
	if err != nil {
		return wrong(s, err)
	}
	_ = report.Text(s.err, problems, reportOptions(s.err))
	program, _ := load.Load(in.LoadInput) // there are no problems, as was just seen
	return output.write(s, bundleForm, slices.Concat(sources(program), flags.reads("")), bytes.NewReader(data))
}

// maxBundle bounds what is read to see whether it is a bundle.
const maxBundle = 512 << 20

// readBundle returns the contents of a file that is meant to be a bundle, nil for
// anything else.
func readBundle(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxBundle {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil || !bundle.Is(data) && filepath.Ext(name) != ".bundle" {
		return nil, err
	}
	return data, nil
}
