package compiler

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// buffers are an editor's unsaved texts, which are found by every path that leads
// to the file, over whatever links.
type buffers struct {
	texts map[string][]byte
	real  map[string]string // the names of texts, by the path without links
	dirs  map[string]string // directories without links, as far as known
}

func newBuffers(texts map[string][]byte) *buffers {
	b := &buffers{texts: texts, real: map[string]string{}, dirs: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b.real[RealPath(name)] = name
	}
	return b
}

// text is the unsaved text of a file.
func (b *buffers) text(name string) ([]byte, bool) {
	if b == nil || len(b.texts) == 0 {
		return nil, false
	}
	if text, ok := b.texts[name]; ok {
		return text, true
	}
	if buffer, ok := b.real[filepath.Join(b.dir(filepath.Dir(name)), filepath.Base(name))]; ok {
		return b.texts[buffer], true
	}
	if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil, false
	}
	buffer, ok := b.real[RealPath(name)]
	return b.texts[buffer], ok
}

// in are the names of the buffers in a directory.
func (b *buffers) in(dir string) []string {
	if b == nil || len(b.texts) == 0 {
		return nil
	}
	var out []string
	for file, name := range b.real {
		if filepath.Dir(name) == dir {
			out = append(out, filepath.Base(name))
		} else if filepath.Dir(file) == b.dir(dir) {
			out = append(out, filepath.Base(file))
		}
	}
	return out
}

// below tells whether there are buffers below a directory.
func (b *buffers) below(dir string) bool {
	for file, name := range b.real {
		for _, x := range []string{file, name} {
			if strings.HasPrefix(x, dir+string(filepath.Separator)) {
				return true
			}
		}
	}
	return false
}

// dir is the directory without links.
func (b *buffers) dir(name string) string {
	real, ok := b.dirs[name]
	if !ok {
		real = RealPath(name)
		b.dirs[name] = real
	}
	return real
}

// RealPath is the path of a file with no links in it, as far as there is such a
// file: what is missing is taken as it stands.
func RealPath(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	dir := filepath.Dir(name)
	if dir == name {
		return name
	}
	return filepath.Join(RealPath(dir), filepath.Base(name))
}
