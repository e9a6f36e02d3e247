package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes all of data or leaves name as it was: the data goes to a new
// file beside it, which then takes its place. A device or a pipe is written to.
func writeFile(name string, data []byte) error {
	switch info, err := os.Stat(name); {
	case err != nil || info.Mode().IsRegular():
	case info.IsDir():
		return fmt.Errorf("%s is a directory; name a file in it", name)
	default:
		return os.WriteFile(name, data, 0o644)
	}
	err := replaceFile(name, data)
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

// replaceFile makes a file that has the data take the place of name.
func replaceFile(name string, data []byte) (err error) {
	if target, evalErr := filepath.EvalSymlinks(name); evalErr == nil {
		name = target // a link stays a link
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".kumiki-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode(name))
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// mode keeps the permissions of a file that is replaced.
func mode(name string) os.FileMode {
	if info, err := os.Stat(name); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}
