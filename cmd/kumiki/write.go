package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"kumiki.dev/internal/atomicfile"
)

// private is the mode of files that may have secrets in them: solutions, objects, bundles.
const private fs.FileMode = 0o600

// writeParts writes all of the data or leaves name as it was. The data goes to a new file
// beside it, which then takes its place, with a mode, or for none with that of the file
// before. A device or a pipe is written to.
func writeParts(name string, data io.WriterTo, mode fs.FileMode) error {
	switch info, err := os.Stat(name); {
	case err != nil || info.Mode().IsRegular():
	case info.IsDir():
		return fmt.Errorf("%s is a directory; name a file in it", name)
	default:
		return writeDevice(name, data)
	}
	err := replaceFile(name, data, mode)
	// What went wrong is told of the file that was named, not of the one beside it.
	path, link := new(fs.PathError), new(os.LinkError)
	switch {
	case errors.As(err, &path):
		return &fs.PathError{Op: "write", Path: name, Err: path.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: "write", Path: name, Err: link.Err}
	}
	return err
}

func writeDevice(name string, data io.WriterTo) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(atomicfile.Copy(f, data), f.Close())
}

// replaceFile makes a file that has the data take the place of name.
func replaceFile(name string, data io.WriterTo, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target // a link stays a link
	}
	if info, err := os.Stat(name); mode == 0 && err == nil {
		mode = info.Mode().Perm()
	}
	mode = cmp.Or(mode, 0o644)
	return atomicfile.Write(name, data, atomicfile.Options{Mode: mode, Sync: true})
}
