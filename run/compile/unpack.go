package compile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxTree and maxTreeFiles bound a tree that is unpacked.
const (
	maxTree      = 256 << 20
	maxTreeFiles = 20_000
)

// errTree is the error of what is no tree: it is the sender's.
type errTree struct{ error }

func notTree(format string, args ...any) error { return errTree{fmt.Errorf(format, args...)} }

// unpack writes the files of a zip archive to a directory that is there, and nothing outside of
// it: links are refused. Where all lies in one directory, as some tools pack it, that is the root
// which is returned.
func unpack(data []byte, dir string) (string, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", notTree("it is no zip archive: %w", err)
	}
	if len(z.File) > maxTreeFiles {
		return "", notTree("it has %d files; a tree has %d at most", len(z.File), maxTreeFiles)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	left := int64(maxTree)
	for _, f := range z.File {
		if left, err = unpackFile(root, f, left); err != nil {
			return "", err
		}
	}
	return topOf(dir)
}

// unpackFile writes a file, of which no more than left bytes are taken, and returns what is left.
func unpackFile(root *os.Root, f *zip.File, left int64) (int64, error) {
	name := strings.TrimSuffix(f.Name, "/")
	switch {
	case !fs.ValidPath(name) || strings.ContainsAny(name, "\\:\x00"):
		return left, notTree("%q is no name of a file in a tree", f.Name)
	case f.Mode().IsDir():
		return left, root.MkdirAll(filepath.FromSlash(name), 0o700)
	case !f.Mode().IsRegular():
		return left, notTree("%s is a link, or no file at all", f.Name)
	case path.Base(name) == "local-module.cue" && path.Base(path.Dir(name)) == "cue.mod":
		return left, notTree("%s replaces modules on one machine, and is not for a manager: leave it out", f.Name)
	}
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o700); err != nil {
		return left, treeError(f, err)
	}
	r, err := f.Open()
	if err != nil {
		return left, notTree("%s: %w", f.Name, err)
	}
	defer r.Close()
	w, err := root.OpenFile(filepath.FromSlash(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return left, treeError(f, err)
	}
	n, err := io.Copy(w, io.LimitReader(r, left+1))
	if closing := w.Close(); err == nil && closing != nil {
		return left, closing
	}
	switch {
	case n > left:
		return left, notTree("its files have more than %d MB", maxTree>>20)
	case err != nil:
		return left, notTree("%s: %w", f.Name, err)
	}
	return left - n, nil
}

// treeError is the error of a file that is there twice, or as a directory too.
func treeError(f *zip.File, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return notTree("%s is there twice", f.Name)
	}
	return err
}

// topOf is the directory of the module.
func topOf(dir string) (string, error) {
	if there(dir, "cue.mod", "kmodule.cue") {
		return dir, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) == 1 && there(filepath.Join(dir, entries[0].Name()), "cue.mod", "kmodule.cue") {
		return filepath.Join(dir, entries[0].Name()), nil
	}
	return "", notTree("it has no cue.mod: pack the root of the module, which has templates and environments")
}

func there(dir string, names ...string) bool {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
