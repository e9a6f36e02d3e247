package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeOutput writes to the file that -o names, all or nothing, or to standard
// output for none.
func writeOutput(s streams, output string, data io.WriterTo) error {
	if output == "" || output == "-" {
		return writeTo(s.out, data)
	}
	return writeParts(output, data)
}

// writeFile writes all of data or leaves name as it was.
func writeFile(name string, data []byte) error { return writeParts(name, bytes.NewReader(data)) }

// writeParts is [writeFile] for data in parts. They go to a new file beside it,
// which then takes its place. A device or a pipe is written to.
func writeParts(name string, data io.WriterTo) error {
	switch info, err := os.Stat(name); {
	case err != nil || info.Mode().IsRegular():
	case info.IsDir():
		return fmt.Errorf("%s is a directory; name a file in it", name)
	default:
		return writeDevice(name, data)
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

func writeDevice(name string, data io.WriterTo) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = writeTo(f, data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// writeTo writes data that comes in small pieces in larger ones.
func writeTo(w io.Writer, data io.WriterTo) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if _, err := data.WriteTo(b); err != nil {
		return err
	}
	return b.Flush()
}

// replaceFile makes a file that has the data take the place of name.
func replaceFile(name string, data io.WriterTo) (err error) {
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
	err = writeTo(f, data)
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
