// Package modsource says where modules come from: from the registry that
// CUE_REGISTRY names, or from a directory, here or on a web server, which is made
// to look like one.
package modsource

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelang.org/go/mod/modcache"
	"cuelang.org/go/mod/modconfig"
	"cuelang.org/go/mod/modregistry"
)

// variable names the registry for the cue command and for us.
const variable = "CUE_REGISTRY"

// Open returns the registry for what lies in dir: the one that CUE_REGISTRY
// names, else the directory that the nearest [SettingsFile] of dir, or of the
// working directory, names; else CUE's own. CUE's cache is before a registry.
func Open(dir string) (modconfig.Registry, error) {
	name, err := named(dir)
	if err != nil {
		return nil, err
	}
	return Named(name)
}

// Named returns the registry of a name, which is what CUE_REGISTRY may be, or
// the path of a directory: see [Directory].
func Named(name string) (modconfig.Registry, error) {
	store, err := files(name)
	if err != nil {
		return nil, err
	}
	if store != nil {
		reg, err := newCached(store)
		if err != nil {
			return nil, err
		}
		return Checked(reg), nil
	}
	resolver, err := network(name)
	if err != nil {
		return nil, err
	}
	dir, err := CacheDir()
	if err != nil {
		return nil, err
	}
	reg, err := modcache.New(modregistry.NewClientWithResolver(resolver), dir)
	if err != nil {
		return nil, err
	}
	return Checked(reg), nil
}

// Resolver says where in the registry of a name a module is, to read from it and
// write to it; "" is the registry that [Open] finds for the working directory.
func Resolver(name string) (modregistry.Resolver, error) {
	if name == "" {
		var err error
		if name, err = named("."); err != nil {
			return nil, err
		}
	}
	if store, err := files(name); err != nil || store != nil {
		return only{store}, err
	}
	return network(name)
}

// files is the registry that is nothing but files, here or on a web server, that a
// name stands for; nil for none.
func files(name string) (ociregistry.Interface, error) {
	if path, ok := Directory(name); ok {
		return newDirectory(path), nil
	}
	if isTree(name) {
		return newTree(name)
	}
	return nil, nil
}

// IsFiles reports whether the name of a registry is that of a directory, or of a
// tree of files on a web server.
func IsFiles(name string) bool {
	_, ok := Directory(name)
	return ok || isTree(name)
}

// network says where modules are in the registries that a name stands for.
func network(name string) (modregistry.Resolver, error) {
	resolver, err := modconfig.NewResolver(&modconfig.Config{CUERegistry: name, Transport: Transport()})
	if err != nil {
		return nil, err
	}
	return bounded{resolver}, nil
}

// only resolves every module to one registry.
type only struct{ registry ociregistry.Interface }

// ResolveToRegistry implements [modregistry.Resolver].
func (o only) ResolveToRegistry(path, version string) (modregistry.RegistryLocation, error) {
	return modregistry.RegistryLocation{Registry: o.registry, Repository: path, Tag: version}, nil
}

// named is the name of the registry for what lies in dir, "" for CUE's own.
func named(dir string) (string, error) {
	if name := os.Getenv(variable); name != "" {
		return name, nil
	}
	for _, from := range []string{dir, "."} {
		s, err := ReadSettings(from)
		if err != nil || s.Directory != "" {
			return prefix + s.Directory, err
		}
	}
	return "", nil
}

// prefix is what the name of a directory begins with where it could be a host's.
const prefix = "dir:"

// Directory reports whether the name of a registry is that of a directory, and
// which: dir:PATH, or a path that begins with a slash or a dot.
func Directory(name string) (string, bool) {
	if path, ok := strings.CutPrefix(name, prefix); ok {
		return path, path != ""
	}
	first, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return name, filepath.IsAbs(name) || first == "." || first == ".."
}

// CacheDir is where CUE keeps what it has fetched.
func CacheDir() (string, error) {
	if dir := os.Getenv("CUE_CACHE_DIR"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no directory to unpack modules in: %w; set CUE_CACHE_DIR", err)
	}
	return filepath.Join(dir, "cue"), nil
}
