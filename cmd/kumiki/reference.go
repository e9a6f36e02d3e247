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

// fetched is where a reference was found, and what it depends on comes from.
type fetched struct {
	registry.Found
	registry registry.Registry
}

// find finds the artifact that a reference names, and returns its directory, or that
// of a new manifest which deploys it under a name.
func (flags *referenceFlags) find(ctx context.Context, s streams, arg, name string, artifact bool) (found fetched, dir string, err error) {
	ref, err := registry.ParseReference(arg)
	if err != nil {
		return found, "", err
	}
	if name == "" && !artifact {
		return found, "", errors.New("an artifact is deployed under a name: give it with --name")
	}
	reg, prefix, err := openRegistry(flags.from)
	if err != nil {
		return found, "", err
	}
	settings, err := registry.ReadSettings(".")
	if err != nil {
		return found, "", wrong(s, err)
	}
	if prefix != "" {
		settings.Registry = prefix
	}
	if reg, err = trusted(s, reg, flags.from, flags.keys); err != nil {
		return found, "", err
	}
	found.registry = reg
	if found.Found, err = registry.Resolve(ctx, reg, settings, ref); err != nil {
		return found, "", wrong(s, err)
	}
	if artifact {
		if dir, err = registry.DirectoryOf(ctx, reg, found.Found); err != nil {
			return found, "", wrong(s, err)
		}
		return found, dir, saidFound(s, ref, found.Found)
	}
	if dir, err = os.MkdirTemp("", "kumiki-"); err != nil {
		return found, "", err
	}
	if err := registry.Manifest(ctx, reg, dir, name, found.Found); err != nil {
		_ = os.RemoveAll(dir)
		return found, "", wrong(s, err)
	}
	if err := saidFound(s, ref, found.Found); err != nil {
		_ = os.RemoveAll(dir)
		return found, "", err
	}
	return found, dir, nil
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
func saidFound(s streams, ref registry.Reference, found registry.Found) (err error) {
	fmt.Fprintf(s.err, "%s is %s\n", ref, found.Module)
	if found.Moved {
		err = s.warn("%s has moved; write %s:%s", ref.Path, found.Path, ref.Version)
	}
	if found.Deprecated != "" {
		err = errors.Join(err, s.warn("%s is deprecated: %s", found.Path, diag.Printable(found.Deprecated)))
	}
	return err
}

// published is what a file of a module is called that was fetched:
// example.com/shop@v1.2.3/shop.cue. A manifest of the command line's own is no place to
// look at.
func published(file string, generated []string) string {
	for _, own := range generated {
		if rel, err := filepath.Rel(own, file); err == nil && filepath.IsLocal(rel) {
			return ""
		}
	}
	if _, module, ok := strings.Cut(filepath.ToSlash(file), "/mod/extract/"); ok {
		return module
	}
	return file
}
