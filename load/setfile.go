package load

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"kumiki.dev/diag"
	"kumiki.dev/spread"
)

// setFile puts the contents of a file in place of @FILE, the value of a --set, and @ in
// place of @@. The file is named from the working directory, as a shell completes it, and
// lies in the directory or below it: what a command takes is seen in the command and in
// the sources, and nowhere else.
func setFile(s *spread.Set, dir string) *diag.Diagnostic {
	name, ok := strings.CutPrefix(s.Text, "@")
	if !ok {
		return nil
	}
	if strings.HasPrefix(name, "@") {
		s.Text = name
		return nil
	}
	text, err := readBelow(dir, name)
	switch {
	case name == "":
		err = errors.New("no file is named")
	case err == nil && !utf8.Valid(text):
		err = errors.New("it is not UTF-8 text; a value is a text")
	case err == nil && len(text) > maxFile:
		err = errors.New("it is larger than 16 MiB, the most that a value may have")
	}
	if err != nil {
		return diag.New(diag.BadSet, s.Pos, "the file %q cannot be the value of %s: %v; write @@ for a value that begins with @", name, strings.Join(s.Path, "."), pathError(err))
	}
	s.Text = string(text)
	return nil
}

// readBelow reads a file that lies in a directory or below it, whatever links say.
func readBelow(dir, name string) ([]byte, error) {
	outside := errors.New("it lies outside of the manifest's directory, and only files there can be taken: put a copy there")
	from, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	file, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(from, file)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, outside
	}
	root, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file; names are those from the working directory")
	case err != nil && !errors.Is(err, fs.ErrPermission):
		return nil, outside
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	}
	f, err := root.Open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}
