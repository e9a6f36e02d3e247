package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"kumiki.dev/registry"
)

// fromReference writes a manifest for the artifact that a reference names, and
// returns its directory and what removes it.
func fromReference(ctx context.Context, s streams, arg, prefix, name string) (dir string, remove func(), err error) {
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
	reg, err := registry.Open()
	if err != nil {
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
	fmt.Fprintf(s.err, "%s is %s\n", arg, found.Module)
	return dir, remove, nil
}
