package load

import (
	"path/filepath"
	"strings"

	"kumiki.dev/internal/sorting"
)

// buffers are an editor's unsaved texts, which are found by every path that leads
// to the file, over whatever links.
type buffers struct {
	texts map[string][]byte
	real  map[string]string // the names of texts, by the path without links
}

func newBuffers(texts map[string][]byte) *buffers {
	b := &buffers{texts: texts, real: map[string]string{}}
	for _, name := range sorting.Ordered(texts) {
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
	buffer, ok := b.real[RealPath(name)]
	return b.texts[buffer], ok
}

// in are the names of the buffers in a directory. Links to them are on the disk.
func (b *buffers) in(dir string) []string {
	if b == nil || len(b.texts) == 0 {
		return nil
	}
	dir = RealPath(dir)
	var out []string
	for file := range b.real {
		if filepath.Dir(file) == dir {
			out = append(out, filepath.Base(file))
		}
	}
	return out
}

// below reports whether there are buffers below a directory.
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
