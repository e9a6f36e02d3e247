package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// writeFile writes all of data or leaves name as it was: the data goes to a new
// file beside it, which then takes its place.
func writeFile(name string, data []byte) (err error) {
	if target, evalErr := filepath.EvalSymlinks(name); evalErr == nil {
		name = target // a link stays a link
	}
	if info, statErr := os.Stat(name); statErr == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name) // a rename would replace a device or directory
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
