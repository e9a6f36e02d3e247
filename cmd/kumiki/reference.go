package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/module/registry"
)

// referenceFlags are the flags of a command that takes references.
type referenceFlags struct {
	from string // see openRegistry
	keys string // a file with public keys, "" for no verification
}

func (flags *referenceFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&flags.from, "registry", "", "`module` path that comes before ARTIFACT (default: that in kumiki.registry.cue), or a directory that modules come from: a path that begins with a dot or slash")
	cmd.Flags().StringVar(&flags.keys, "verify", "", "`file` with public keys, one of which has to have signed what ARTIFACT consists of")
}

// sources puts a directory in place of a reference, and says what removes it; the
// registry that is named is set in the flags.
func (flags referenceFlags) sources(ctx context.Context, s streams, in *inputFlags, args []string) (dirs []string, remove func(), err error) {
	isReference := len(args) > 0 && registry.IsReference(args[0])
	if !isReference && !registry.IsDirectory(flags.from) {
		return args, func() {}, nil
	}
	reg, prefix, err := openRegistry(flags.from)
	if err != nil {
		return nil, nil, err
	}
	in.registry = reg
	if !isReference {
		return args, func() {}, nil
	}
	dir, remove, err := flags.manifest(ctx, s, reg, prefix, args[0], in.name)
	return []string{dir}, remove, err
}

// manifest writes a manifest for the artifact that a reference names, and returns
// its directory and what removes it. Prefix is what comes before short names, ""
// for what the settings file says.
func (flags referenceFlags) manifest(ctx context.Context, s streams, reg registry.Registry, prefix, arg, name string) (dir string, remove func(), err error) {
	ref, err := registry.ParseReference(arg)
	if err != nil {
		return "", nil, err
	}
	if name == "" {
		return "", nil, errors.New("an artifact is deployed under a name: give it with --name")
	}
	settings, err := registry.ReadSettings(".")
	if err != nil {
		return "", nil, wrong(s, err)
	}
	if prefix != "" {
		settings.Registry = prefix
	}
	if reg, err = trusted(s, reg, flags.from, flags.keys); err != nil {
		return "", nil, err
	}
	found, err := registry.Resolve(ctx, reg, settings, ref)
	if err != nil {
		return "", nil, wrong(s, err)
	}
	if dir, err = os.MkdirTemp("", "kumiki-"); err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	if err := registry.Manifest(ctx, reg, dir, name, found); err != nil {
		remove()
		return "", nil, wrong(s, err)
	}
	saidFound(s, ref, found)
	if screen, ok := s.err.(*console); ok {
		screen.name = func(file string) string { return published(file, dir) }
	}
	return dir, remove, nil
}

// openRegistry returns the registry that --registry names, if it names a
// directory, and what else it says: what comes before the names of artifacts.
func openRegistry(flag string) (reg registry.Registry, prefix string, err error) {
	if registry.IsDirectory(flag) {
		reg, err = registry.OpenNamed(flag)
		return reg, "", err
	}
	reg, err = registry.Open()
	return reg, flag, err
}

// trusted is the registry of a name, or, with a file of keys, what is signed with
// one of them in it. A name that is no directory's is that of the registry of the
// working directory.
func trusted(s streams, reg registry.Registry, name, file string) (registry.Registry, error) {
	if file == "" {
		return reg, nil
	}
	if !registry.IsDirectory(name) {
		name = ""
	}
	keys, err := registry.ReadKeys(file)
	if err != nil {
		return nil, wrongFile(s, err)
	}
	return registry.Verified(reg, name, keys)
}

// saidFound says what a reference was resolved to, and what its user should
// know of that.
func saidFound(s streams, ref registry.Reference, found registry.Found) {
	fmt.Fprintf(s.err, "%s is %s\n", ref, found.Module)
	if found.Moved {
		fmt.Fprintf(s.err, "warning: %s has moved; write %s:%s\n", ref.Path, found.Path, ref.Version)
	}
	if found.Deprecated != "" {
		fmt.Fprintf(s.err, "warning: %s is deprecated: %s\n", found.Path, diag.Printable(found.Deprecated))
	}
}

// published is what a file of a module is called that was fetched:
// example.com/shop@v1.2.3/shop.cue. The manifest in own is the command line's,
// and no place to look at.
func published(file, own string) string {
	if rel, err := filepath.Rel(own, file); err == nil && filepath.IsLocal(rel) {
		return ""
	}
	if _, module, ok := strings.Cut(filepath.ToSlash(file), "/mod/extract/"); ok {
		return module
	}
	return file
}
