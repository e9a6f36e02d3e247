package modsource

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"cuelang.org/go/mod/modconfig"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
)

// ErrArchive says that an archive has what archives of modules do not have.
var ErrArchive = errors.New("its archive")

// Checked is a registry that refuses modules whose archives have anything but
// files and directories in them. CUE unpacks a link as a file with the link's
// text in it: that leads nowhere, but is not what the publisher had either.
func Checked(reg modconfig.Registry) modconfig.Registry { return checked{reg} }

type checked struct{ modconfig.Registry }

// Fetch implements [modconfig.Registry].
func (c checked) Fetch(ctx context.Context, v module.Version) (module.SourceLoc, error) {
	loc, err := c.Registry.Fetch(ctx, v)
	if err == nil {
		err = onlyRegular(loc, v)
	}
	return loc, err
}

// FetchFromCache implements [modconfig.CachedRegistry].
func (c checked) FetchFromCache(v module.Version) (module.SourceLoc, error) {
	from, ok := c.Registry.(modconfig.CachedRegistry)
	if !ok {
		return module.SourceLoc{}, modregistry.ErrNotFound
	}
	loc, err := from.FetchFromCache(v)
	if err == nil {
		err = onlyRegular(loc, v)
	}
	return loc, err
}

// onlyRegular looks into the archive that a module was unpacked from, which is
// beside it in the cache. Where there is none, what was unpacked came from none.
func onlyRegular(loc module.SourceLoc, v module.Version) error {
	root, ok := loc.FS.(module.OSRootFS)
	if !ok {
		return nil
	}
	cache, name, ok := cutLast(filepath.ToSlash(root.OSRoot()), "/mod/extract/")
	path, version, found := cutLast(name, "@")
	if !ok || !found {
		return nil
	}
	z, err := zip.OpenReader(filepath.FromSlash(cache + "/mod/download/" + path + "/@v/" + version + ".zip"))
	if err != nil {
		return nil
	}
	defer z.Close()
	for _, f := range z.File {
		if mode := f.Mode(); !mode.IsRegular() && !mode.IsDir() {
			return fmt.Errorf("%s: %w: %.100q is a link, or no file at all", v, ErrArchive, f.Name)
		}
	}
	return nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
