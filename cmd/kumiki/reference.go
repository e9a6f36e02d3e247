package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"kumiki.dev/registry"
)

// fromReference writes a manifest for the artifact that a reference names, and
// returns its directory and what removes it. Prefix is what comes before short
// names, "" for what the settings file says.
func fromReference(ctx context.Context, s streams, reg registry.Registry, arg, prefix, name string) (dir string, remove func(), err error) {
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
	fmt.Fprintf(s.err, "%s is %s\n", arg, found.Module)
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
