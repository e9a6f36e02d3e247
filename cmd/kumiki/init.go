package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/assist"
	"kumiki.dev/diag"
	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/inside"
	"kumiki.dev/load"
	"kumiki.dev/module/compose"
	"kumiki.dev/module/registry"
	"kumiki.dev/module/scaffold"
	"kumiki.dev/spread/params"
)

type initFlags struct{ module, ci, from string }

// files are those of the module, with what a Compose file has that they have not.
func (f initFlags) files(name string) ([]scaffold.File, []compose.Note, error) {
	if f.from != "" {
		return compose.Module(f.from, name, f.module, f.ci)
	}
	files, err := scaffold.Module(name, f.module, f.ci)
	return files, nil, err
}

func newInitCmd(s streams) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [NAME | MODULE]",
		Short: "Make a module that compiles and runs, to begin with",
		Long: `Init makes a module in a new directory NAME, or in the working directory, whose
name it then has: a component (a web server with a public image), a service that
lets requests in to it, a deployment, an example for kumiki test, settings for
editors, and what a CI system needs to check it. It compiles as it is.

A module's path, such as example.com/team/shop or example.com/shop@v1, makes the
directory of its last part, shop; ./example.com/shop is a directory in a directory.

With --from it makes the module of a Compose file: a component for each service, a
service that connects them, a deployment. What cannot be carried is listed, a line
each. No secret is copied: it becomes one that is registered in the cluster. Values of
variables are the file's own defaults and those of .env beside it; a variable without
one becomes a parameter, which the deployment gives. Files that are mounted are
copied if they lie in the directory of the Compose file or below.

Files that are there are never touched: if one is in the way, nothing is written.`,
		Example: `  kumiki init shop
  kumiki init example.com/team/shop
  kumiki init shop --from compose.yaml
  kumiki init shop --module example.com/team/shop@v1 --ci gitlab`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runInit(s, f, args) },
	}
	cmd.Flags().StringVar(&f.from, "from", "", "Compose `file` to make the module of")
	cmd.Flags().StringVar(&f.module, "module", "", "`path` of the module (default: example.com/NAME@v0)")
	cmd.Flags().StringVar(&f.ci, "ci", scaffold.GitHub, "`system` that checks the module: github, gitlab, none")
	_ = cmd.RegisterFlagCompletionFunc("ci", cobra.FixedCompletions([]string{"github", "gitlab", "none"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runInit(s streams, f initFlags, args []string) error {
	dir, err := f.directory(append(args, ".")[0])
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	switch f.ci {
	case scaffold.GitHub, scaffold.GitLab:
	case "none":
		f.ci = ""
	default:
		return fmt.Errorf("--ci %s: there are github, gitlab and none", f.ci)
	}
	name := filepath.Base(abs)
	files, notes, err := f.files(name)
	if err != nil && len(args) == 0 {
		return fmt.Errorf("%w; say kumiki init NAME, which makes a directory", err)
	}
	if err != nil {
		return err
	}
	if m, err := registry.OpenModule(abs); err == nil {
		return fmt.Errorf("%s lies in the module %s already: kumiki new adds to it", dir, m.File.Module)
	}
	if err := writeNew(abs, files); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintln(s.out, filepath.ToSlash(filepath.Join(dir, f.Name)))
	}
	for _, n := range notes {
		fmt.Fprintf(s.err, "%s: %s\n", f.from, diag.Safe(n.String()))
	}
	next := []string{"kumiki vet deploy", "kumiki test", "kumiki render deploy -t kubernetes   # | kubectl apply --server-side -f -"}
	if len(args) > 0 {
		next = append([]string{"cd " + dir}, next...)
	}
	s.hint("Made module %s. Next:\n  %s\n", name, strings.Join(next, "\n  "))
	return nil
}

// directory is where the module goes that an argument names: a directory, or, where that is
// the path of a module, one of the name of its last part.
func (f *initFlags) directory(arg string) (string, error) {
	bare, _, _ := strings.Cut(arg, "@")
	domain, _, isPath := strings.Cut(bare, "/")
	if bare == arg && (!isPath || !strings.Contains(strings.Trim(domain, "."), ".")) {
		return arg, nil
	}
	if f.module != "" {
		return "", fmt.Errorf("%s is the path of a module, and --module %s is one too: leave one of them out, or write ./%s for a directory", arg, f.module, arg)
	}
	f.module = arg
	return path.Base(bare), nil
}

// writeNew writes files into a directory, which is made if it is not there. If any of
// them is there, none is written.
func writeNew(dir string, files []scaffold.File) error {
	d, err := inside.Make(dir, 0o755)
	if err != nil {
		return err
	}
	defer d.Close()
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Name))); !errors.Is(err, fs.ErrNotExist) {
			return kept("%s is there already, and nothing was written: move it, or choose another directory", filepath.Join(dir, filepath.FromSlash(f.Name)))
		}
	}
	for _, f := range files {
		if err := d.Write(f.Name, strings.NewReader(string(f.Data)), atomicfile.Options{Mode: 0o644}); err != nil {
			return err
		}
	}
	return nil
}

// newComponentCmd is kumiki new component.
func newComponentCmd(s streams) *cobra.Command {
	var image string
	var ports []string
	cmd := &cobra.Command{
		Use:   "component NAME",
		Short: "Write a component that runs an image",
		Long: `Component writes a component of the module that the working directory lies in, to
a directory of its name: the image, a channel for each port that it listens at, a
check of its health at the first, a user without rights, sizes. It compiles as it
is; comments say what to change.

A port is [CHANNEL=]NUMBER[/PROTOCOL], with the protocols http, grpc, tcp, udp.`,
		Example: `  kumiki new component api --image ghcr.io/team/api:1.2.3 --port 8080 --port metrics=9090`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if image == "" {
				return errors.New("which image? Say --image ghcr.io/team/api:1.2.3")
			}
			var parsed []scaffold.Port
			for _, text := range ports {
				p, err := scaffold.ParsePort(text)
				if err != nil {
					return fmt.Errorf("--port %w", err)
				}
				parsed = append(parsed, p)
			}
			files, err := scaffold.Component(args[0], image, parsed)
			if err != nil {
				return err
			}
			return addToModule(s, files)
		},
	}
	cmd.Flags().StringVar(&image, "image", "", "`reference` of the image, with its digest if that is known")
	repeatedVar(cmd.Flags(), &ports, "port", "", "`port` that it listens at, [CHANNEL=]NUMBER[/PROTOCOL]; may be given several times")
	return cmd
}

// newExampleCmd is kumiki new example.
func newExampleCmd(s streams) *cobra.Command {
	var in inputFlags
	var artifact string
	cmd := &cobra.Command{
		Use:   "example NAME",
		Short: "Write an example of an artifact, which kumiki test compiles",
		Long: `Example writes a deployment of the artifact in the directory that --of names to
examples/NAME of the module that the working directory lies in: every field that has
to be given, with a placeholder (_), and every other field as a comment. Once the
placeholders are filled in, kumiki test compiles it each time.`,
		Example: `  kumiki new example small --of app`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if artifact == "" {
				return errors.New("of which artifact? Say --of DIR")
			}
			name, err := scaffold.Name(args[0], "an example", "small")
			if err != nil {
				return err
			}
			skeleton := func(p *load.Program, list []params.Param) ([]byte, error) {
				return assist.Skeleton(p.ImportPath(), name, list)
			}
			return in.onArtifact(cmd.Context(), s, artifact, func(s streams, of load.Input) error {
				return runParams(cmd.Context(), s, of, skeleton, func(_ *load.Program, data []byte) error {
					return addToModule(s, []scaffold.File{{Name: "examples/" + name + "/deployment.cue", Data: data}})
				})
			})
		},
	}
	in.registerLoad(cmd)
	cmd.Flags().StringVar(&artifact, "of", "", "`directory` of the artifact")
	return cmd
}

// addToModule writes files below the root of the module of the working directory, and
// says how they are imported.
func addToModule(s streams, files []scaffold.File) error {
	m, err := registry.OpenModule(".")
	if err != nil {
		return wrong(s, fmt.Errorf("%w; kumiki init NAME makes a module", err))
	}
	if err := writeNew(m.Dir, files); err != nil {
		return err
	}
	cwd, _ := os.Getwd()
	for _, f := range files {
		fmt.Fprintln(s.out, relative(filepath.Join(m.Dir, filepath.FromSlash(f.Name)), cwd))
	}
	return nil
}
