package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kumiki.dev/internal/diag"
	"kumiki.dev/registry"
)

// referenceFlags are the flags of a command that takes references.
type referenceFlags struct {
	prefix string // of names without a module
	keys   string // a file with public keys, "" for no verification
}

// fromReference writes a manifest for the artifact that a reference names, and
// returns its directory and what removes it.
func fromReference(ctx context.Context, s streams, arg, name string, flags referenceFlags) (dir string, remove func(), err error) {
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
	if flags.prefix != "" {
		settings.Registry = flags.prefix
	}
	reg, err := registry.Open()
	if err != nil {
		return "", nil, err
	}
	if reg, err = trusted(s, reg, flags.keys); err != nil {
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

// trusted is the registry, or, with a file of keys, what is signed with one of
// them in it.
func trusted(s streams, reg registry.Registry, name string) (registry.Registry, error) {
	if name == "" {
		return reg, nil
	}
	keys, err := registry.ReadKeys(name)
	if err != nil {
		return nil, wrongFile(s, err)
	}
	return registry.Verified(reg, keys)
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
