package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"cuelang.org/go/mod/module"
	"github.com/spf13/cobra"

	"kumiki.dev/module/registry"
)

func newModCmd(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mod",
		Short: "Keep a module's file and what it depends on",
		Long: `Mod keeps cue.mod/module.cue, which says what a native module is called and
what it depends on, and kumiki.lock with the digests of its dependencies. They
come from the registry that CUE_REGISTRY names, with the logins of the cue
command, or from a directory: dir:PATH, or a path that begins with a dot or a
slash, or https://HOST/PATH/ for one on a web server. Without CUE_REGISTRY they come from the directory that kumiki.registry.cue
names, here or above, else from CUE's central registry.`,
		Args: cobra.NoArgs,
		RunE: needsCommand,
	}
	cmd.AddCommand(newModInitCmd(s), newModGetCmd(s), newModUpgradeCmd(s), newModTidyCmd(s), newModGraphCmd(s), newModWhyCmd(s), newModListCmd(s), newModMirrorCmd(s), newModVendorCmd(s), newModMigrateCmd(s), newModMajorCmd(s), newModVerifyCmd(s))
	return cmd
}

// inModule runs f with the module that the working directory lies in.
func inModule(s streams, f func(m *registry.Module, reg registry.Registry) error) error {
	return inModuleTrusting(s, "", f)
}

// inModuleTrusting is [inModule] with a registry that has only what is signed
// with a key in the file, if one is named.
func inModuleTrusting(s streams, keys string, f func(m *registry.Module, reg registry.Registry) error) error {
	m, err := registry.OpenModule(".")
	if err != nil {
		return wrong(s, err)
	}
	reg, err := registry.Open()
	if err != nil {
		return err
	}
	if reg, err = trusted(s, reg, "", keys); err != nil {
		return err
	}
	return wrong(s, f(m, reg))
}

// saidLifts runs f, which changes what the module depends on, and says which
// modules are in a higher MINOR now that nobody asked for here.
func saidLifts(ctx context.Context, s streams, m *registry.Module, reg registry.Registry, f func() error) error {
	before, err := m.Requirements()
	if err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	lifts, err := m.Lifts(ctx, reg, before)
	for _, l := range lifts {
		fmt.Fprintf(s.err, "%s is taken in place of %s, a higher minor version: %s needs it\n", l.Taken, l.Asked.Version(), l.By)
	}
	return err
}

// verifyFlag is the flag of the commands that depend on what is signed only.
func verifyFlag(cmd *cobra.Command, keys *string) {
	cmd.Flags().StringVar(keys, "verify", "", "`file` with public keys, one of which has to have signed each module")
}

// wrong prints what is wrong with the input.
func wrong(s streams, err error) error {
	if err == nil {
		return nil
	}
	fmt.Fprintln(s.err, registry.Explain(err))
	if ofSystem(err) || registry.IsDown(err) {
		return errSystem
	}
	return errWrong
}

// wrongFile is [wrong] for a file that the command line names: that there is none
// is the command line's fault.
func wrongFile(s streams, err error) error {
	if failed := new(fs.PathError); errors.As(err, &failed) {
		return err
	}
	return wrong(s, err)
}

// printNotes says what might have been chosen otherwise.
func printNotes(s streams, m *registry.Module) {
	for _, note := range m.Notes {
		fmt.Fprintln(s.err, note)
	}
}

func newModInitCmd(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "init MODULE",
		Short:   "Write the file of a new module in the working directory",
		Example: "  kumiki mod init example.com/shop@v1",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := registry.Init(".", args[0])
			if err != nil {
				return err
			}
			s.hint("Made module %s. Next:\n  kumiki new component NAME --image IMAGE\n  kumiki mod get MODULE@VERSION\n", m.File.QualifiedModule())
			return nil
		},
	}
}

func newModGetCmd(s streams) *cobra.Command {
	var keys string
	cmd := &cobra.Command{
		Use:   "get MODULE[@VERSION]...",
		Short: "Depend on a version of a module",
		Long: `Get makes the module depend on the greatest published version that VERSION
stands for: v1.2.3 is itself, v1.2 the greatest 1.2, v1 the greatest 1. Without a
version it is the greatest with the major version that the module depends on
already, else the greatest of all. Prereleases have to be named. Other modules
that are in a higher MINOR for that, and other major versions that stay or are
published, are listed on standard error.`,
		Example: "  kumiki mod get example.com/db@v1.2\n  kumiki mod get --verify publisher.pub example.com/db@v1.2",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return inModuleTrusting(s, keys, func(m *registry.Module, reg registry.Registry) error {
				return saidLifts(cmd.Context(), s, m, reg, func() error {
					for _, query := range args {
						v, err := m.Get(cmd.Context(), reg, query)
						if err != nil {
							return err
						}
						fmt.Fprintln(s.out, v)
						printNotes(s, m)
					}
					return nil
				})
			})
		},
	}
	verifyFlag(cmd, &keys)
	return cmd
}

func newModTidyCmd(s streams) *cobra.Command {
	var keys string
	cmd := &cobra.Command{
		Use:   "tidy",
		Short: "Depend on what the sources import, and on nothing else",
		Long: `Tidy adds what the sources of the module import and its file does not have, in
the greatest published version, removes what nobody needs, and writes
kumiki.lock. It prints what the module depends on.`,
		Example: "  kumiki mod tidy",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return inModuleTrusting(s, keys, func(m *registry.Module, reg registry.Registry) error {
				return saidLifts(cmd.Context(), s, m, reg, func() error {
					versions, err := m.Tidy(cmd.Context(), reg)
					printNotes(s, m)
					return printAll(s, versions, err)
				})
			})
		},
	}
	verifyFlag(cmd, &keys)
	return cmd
}

func printAll[T any](s streams, all []T, err error) error {
	for _, v := range all {
		fmt.Fprintln(s.out, v)
	}
	return err
}

func newModGraphCmd(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "graph",
		Short:   "Print which module asks for which",
		Example: "  kumiki mod graph",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return inModule(s, func(m *registry.Module, reg registry.Registry) error {
				g, err := m.Graph(cmd.Context(), reg)
				if err != nil {
					return err
				}
				for _, e := range g.Edges {
					fmt.Fprintf(s.out, "%s %s\n", e.From, e.To)
				}
				return nil
			})
		},
	}
}

func newModWhyCmd(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "why MODULE",
		Short:   "Print the shortest chain of modules that leads to one",
		Example: "  kumiki mod why example.com/db",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return inModule(s, func(m *registry.Module, reg registry.Registry) error {
				g, err := m.Graph(cmd.Context(), reg)
				if err != nil {
					return err
				}
				chain := g.Why(args[0])
				if chain == nil {
					return fmt.Errorf("%s does not depend on %s", m.File.QualifiedModule(), args[0])
				}
				return printAll(s, chain, nil)
			})
		},
	}
}

func newModListCmd(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "list [MODULE | PATH/...]",
		Short: "Print the versions of a module, the modules of a registry, or what this one depends on",
		Long: `List prints the published versions of MODULE; or the modules in the registry at PATH and
below it, all for ..., where the registry lists what it has; or the modules that the one
in the working directory depends on.`,
		Example: "  kumiki mod list example.com/db\n  kumiki mod list example.com/...",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if under, all := strings.CutSuffix(given(args, ""), "..."); all && (under == "" || strings.HasSuffix(under, "/")) {
				return listModules(cmd.Context(), s, strings.TrimSuffix(under, "/"))
			}
			if len(args) == 1 {
				return listVersions(cmd.Context(), s, args[0])
			}
			return inModule(s, func(m *registry.Module, reg registry.Registry) error {
				g, err := m.Graph(cmd.Context(), reg)
				if err != nil {
					return err
				}
				return printAll(s, g.Selected, nil)
			})
		},
	}
}

func listVersions(ctx context.Context, s streams, path string) error {
	reg, err := registry.Open()
	if err != nil {
		return err
	}
	versions, err := reg.ModuleVersions(ctx, strings.ToLower(path))
	if err == nil && len(versions) == 0 {
		err = fmt.Errorf("no version of %s is published", path)
	}
	return wrong(s, printAll(s, versions, err))
}

func listModules(ctx context.Context, s streams, under string) error {
	modules, err := registry.Modules(ctx, strings.ToLower(under))
	if err == nil && len(modules) == 0 {
		err = errors.New("the registry has no module there")
	}
	return wrong(s, printAll(s, modules, err))
}

func newModMirrorCmd(s streams) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "mirror --to REGISTRY",
		Short: "Copy everything that the module depends on to another registry",
		Long: `Mirror copies the modules that this one and its templates depend on, as they are, to
another registry: for a place that the first one can't be reached from. In a directory
each becomes an OCI image layout.`,
		Example: "  kumiki mod mirror --to localhost:5000+insecure\n  kumiki mod mirror --to ./mirror",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return inModule(s, func(m *registry.Module, reg registry.Registry) error {
				return registry.Mirror(cmd.Context(), m, reg, to, func(v module.Version) { fmt.Fprintln(s.out, v) })
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "`registry` to copy to, as CUE_REGISTRY has it, or a directory")
	_ = cmd.MarkFlagRequired("to")
	return cmd
}
