package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/load"
	"kumiki.dev/module/bundle"
	"kumiki.dev/report"
)

func newBundleCmd(s streams) *cobra.Command {
	var in inputFlags
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "bundle [DIR] -o FILE",
		Short: "Write a deployment and all that it is compiled from to one file",
		Long: `Bundle writes the #Deployment in DIR (default: the working directory) to one
file, with the sources that take part, the modules that they depend on, and their
digests. Where DIR may be given to compile, render and vet the file may be too,
and compiles to the same bytes there, without a registry and without a cache:
that is tried before it is written.

The same sources give the same file on every machine. It is a zip archive in which
nothing is compressed. Values that are given with -f and --set are not in it, and
nor are deployments that values are taken from.`,
		Example: `  kumiki bundle prod -o prod.bundle
  kumiki compile prod.bundle -o prod.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBundle(cmd.Context(), s, in, append(args, ".")[0], output)
		},
	}
	in.registerLoad(cmd)
	output.register(cmd, "`file` to write, all or nothing")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

func runBundle(ctx context.Context, s streams, in inputFlags, dir string, output outputFlags) error {
	data, problems, err := bundle.Pack(ctx, in.load(dir))
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
	program, _ := load.Load(in.load(dir)) // there are no problems, as was just seen
	return output.write(s, bundleForm, sources(program), bytes.NewReader(data))
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

// unbundled are bundles that stand for directories while a command runs.
type unbundled struct {
	real          streams
	out, err, raw bytes.Buffer

	opened []*bundle.Opened
	names  []string
}

// open makes the flags read the bundle that a name stands for. A name that is no
// bundle's is returned as it is.
func (u *unbundled) open(f *inputFlags, name string) (string, error) {
	data, err := readBundle(name)
	if err != nil || data == nil {
		return name, err
	}
	o, err := bundle.Open(data)
	if err != nil {
		return "", wrong(u.real, fmt.Errorf("%s is no bundle that can be used: %w", name, err))
	}
	u.opened, u.names = append(u.opened, o), append(u.names, name)
	f.pkg, f.modules, f.registry = o.Input.Package, o.Input.Modules, o.Input.Registry
	return o.Input.Dir, nil
}

// streams are those to write to: places in a bundle are named in it, and not
// where it was unpacked.
func (u *unbundled) streams() streams {
	if len(u.opened) == 0 {
		return u.real
	}
	return streams{u.real.in, &u.out, renamed(u.real.err, &u.err), &u.raw, u.real.secrets}
}

// close writes what has been written, and removes what was unpacked.
func (u *unbundled) close() error {
	var failed error
	for _, part := range []struct {
		to   io.Writer
		text string
	}{{u.real.err, u.err.String()}, {u.real.out, u.out.String()}, {u.real.raw, u.raw.String()}} {
		for i, o := range u.opened {
			part.text = from(filepath.Join(o.Root, "files"), u.names[i]+":", part.text)
			part.text = from(o.Root, u.names[i]+":", part.text)
		}
		_, err := io.Copy(part.to, strings.NewReader(part.text))
		failed = errors.Join(failed, err)
	}
	for _, o := range u.opened {
		o.Close()
	}
	return failed
}

// bundled runs f with the arguments of a command, in which bundles are replaced
// by the directories that they stand for.
func bundled(s streams, in *inputFlags, args []string, f func(s streams, args []string) error) error {
	u := &unbundled{real: s}
	if len(args) > 0 {
		dir, err := u.open(in, args[0])
		if err != nil {
			return err
		}
		args = append([]string{dir}, args[1:]...)
	}
	err := f(u.streams(), args)
	return errors.Join(err, u.close())
}
