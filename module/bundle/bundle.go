// Package bundle keeps a deployment and everything that it is compiled from in
// one file, which compiles to the same solution where there is neither a registry
// nor a cache.
//
//	data, problems, err := bundle.Pack(ctx, compiler.Input{LoadInput: load.Input{Dir: "prod"}})
//	opened, err := bundle.Open(data)
//	defer opened.Close()
//	solution, problems := compiler.Compile(ctx, opened.Input)
package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"kumiki.dev/internal/sorting"
)

// A bundle is a zip archive whose files are stored and not compressed, so that
// the bytes are the same whatever wrote them and nothing is larger than it looks.
// The archive's comment, at its very end, is the digest of all that comes before.
const (
	// contentsFile says what the others are.
	contentsFile = "bundle.json"
	// filesDir has the main module and what lies in directories, as they lie to
	// each other.
	filesDir = "files"
	// modulesDir has the modules that were given by name of a directory.
	modulesDir = "modules"
	// registryDir has the modules of the registry, PATH@VERSION.
	registryDir = "registry"
	// moduleFilesDir has the module files that decided on versions, PATH@VERSION.cue.
	moduleFilesDir = "versions"
	// givenDir has what is given beside the sources, linksDir the directories of links
	// that lie elsewhere.
	givenDir = "given"
	linksDir = "links"

	// format is that of a bundle in which there is nothing but sources, formatGiven of one
	// that has more.
	format      = 1
	formatGiven = 2
	// maxSize bounds a bundle.
	maxSize  = 256 << 20
	maxFiles = 100_000
)

const digestSize = len("sha256:") + 2*sha256.Size

// contents is what the file of the same name holds.
type contents struct {
	Format int `json:"format"`
	// Dir is the directory of the deployment.
	Dir string `json:"dir"`
	// Package is the name of its package.
	Package string `json:"package"`
	// Modules are all modules that take part.
	Modules []Module `json:"modules"`
	// Given is what there is beside the sources, nil for nothing.
	Given *Given `json:"given,omitempty"`
	// Files are the digests of all other files.
	Files map[string]string `json:"files"`
}

// Module is a module in a bundle.
type Module struct {
	// Path is its path, without a version.
	Path string `json:"path"`
	// Version is "1.2.0", "" for a native module that is not published.
	Version string `json:"version,omitempty"`
	// Dir is where it is in the bundle.
	Dir string `json:"dir"`
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// encode writes the archive.
func encode(c contents, files map[string][]byte) ([]byte, error) {
	c.Format, c.Files = format, map[string]string{}
	if c.Given != nil {
		c.Format = formatGiven
	}
	for name, data := range files {
		c.Files[name] = digest(data)
	}
	head, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name string, data []byte) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	if err := add(contentsFile, append(head, '\n')); err != nil {
		return nil, err
	}
	for _, name := range sorting.Ordered(files) {
		if err := add(name, files[name]); err != nil {
			return nil, err
		}
	}
	if err := z.SetComment(strings.Repeat(" ", digestSize)); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	data := b.Bytes()[:b.Len()-digestSize]
	if b.Len() > maxSize || len(files) > maxFiles {
		return nil, fmt.Errorf("the bundle would have %d files and %d bytes; it may have %d and %d", len(files), b.Len(), maxFiles, maxSize)
	}
	return append(data, digest(data)...), nil
}

// Is reports whether data begins as a bundle does.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte("PK\x03\x04")) }

// Written reports whether data begins as the bundles that are written do: another
// archive is none.
func Written(data []byte) bool {
	const header = 30 // bytes of a zip archive before its first name
	return Is(data) && len(data) > header && bytes.HasPrefix(data[header:], []byte(contentsFile))
}

// decode reads an archive, and takes nothing that encode would not have written.
func decode(data []byte) (c contents, files map[string][]byte, err error) {
	if len(data) < digestSize || len(data) > maxSize {
		return c, nil, fmt.Errorf("it has %d bytes; a bundle has %d at least and %d at most", len(data), digestSize, maxSize)
	}
	body, end := data[:len(data)-digestSize], string(data[len(data)-digestSize:])
	if got := digest(body); got != end {
		return c, nil, fmt.Errorf("it is damaged or incomplete: its digest is %s, and it ends in %q", got, end)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return c, nil, err
	}
	if files, err = unzip(z, len(data)); err != nil {
		return c, nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(files[contentsFile]))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, nil, fmt.Errorf("%s: %w", contentsFile, err)
	}
	delete(files, contentsFile)
	return c, files, c.check(files)
}

// unzip reads the files of an archive: names that stay inside, each once, and
// none that is more than it takes up.
func unzip(z *zip.Reader, size int) (map[string][]byte, error) {
	if len(z.File) > maxFiles {
		return nil, fmt.Errorf("it has %d files; a bundle has no more than %d", len(z.File), maxFiles)
	}
	files, total := map[string][]byte{}, uint64(0)
	for _, f := range z.File {
		total += f.UncompressedSize64
		switch _, twice := files[f.Name]; {
		case !fs.ValidPath(f.Name) || strings.ContainsAny(f.Name, "\\:"):
			return nil, fmt.Errorf("%q is no name of a file in a bundle", f.Name)
		case !f.Mode().IsRegular():
			return nil, fmt.Errorf("%s is a link, or no file at all", f.Name)
		case f.Method != zip.Store || f.UncompressedSize64 != f.CompressedSize64:
			return nil, fmt.Errorf("%s is compressed; the files of a bundle are not", f.Name)
		case twice:
			return nil, fmt.Errorf("%s is there twice", f.Name)
		case total > uint64(size):
			return nil, errors.New("its files are larger than it is")
		}
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		files[f.Name] = data
	}
	return files, nil
}

// check compares the files with what is said of them.
func (c contents) check(files map[string][]byte) error {
	if c.Format != format && c.Format != formatGiven || c.Given != nil && c.Format == format {
		return fmt.Errorf("its format is %d; expected %d or %d", c.Format, format, formatGiven)
	}
	for _, name := range sorting.Ordered(files) {
		switch want, ok := c.Files[name]; {
		case !ok:
			return fmt.Errorf("%s is not in %s", name, contentsFile)
		case want != digest(files[name]):
			return fmt.Errorf("%s is not what %s says: its digest is %s, expected %s", name, contentsFile, digest(files[name]), want)
		}
	}
	for _, name := range sorting.Ordered(c.Files) {
		if _, ok := files[name]; !ok {
			return fmt.Errorf("%s is missing", name)
		}
	}
	if c.Dir != filesDir && !strings.HasPrefix(c.Dir, filesDir+"/") || !fs.ValidPath(c.Dir) {
		return fmt.Errorf("%s: dir is %q, which is not in %s", contentsFile, c.Dir, filesDir)
	}
	return c.Given.check(files)
}
