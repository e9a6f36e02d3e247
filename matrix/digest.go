package matrix

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"kumiki.dev/environment"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
)

// The kinds of names in [Sources].
const (
	ofDirectory = "dir:"      // the CUE files in it
	ofTemplate  = "template:" // the file of a template, and what several have in common
	ofFile      = "file:"
	ofModule    = "module:" // a published one, which does not change
)

// digests are those of sources, each taken once.
type digests struct {
	root string
	// overlay are texts in place of those of files, by their absolute paths.
	overlay map[string][]byte

	mu   sync.Mutex
	made map[string]string
}

func newDigests(root string, overlay map[string][]byte) *digests {
	return &digests{root: root, overlay: overlay, made: map[string]string{}}
}

// of is the digest of all sources of the names.
func (d *digests) of(names []string) string {
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%q %s\n", name, d.one(name))
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

func (d *digests) one(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if sum, ok := d.made[name]; ok {
		return sum
	}
	h := sha256.New()
	kind, rest, _ := strings.Cut(name, ":")
	switch kind + ":" {
	case ofFile:
		d.file(h, rest)
	case ofDirectory:
		for _, file := range d.sources(rest) {
			d.file(h, path.Join(rest, file))
		}
	case ofTemplate:
		for _, file := range d.sources(environment.Templates) {
			text, err := d.read(path.Join(environment.Templates, file))
			if err != nil || file == rest+".cue" || !strings.Contains(string(text), "#Template") {
				d.file(h, path.Join(environment.Templates, file))
			}
		}
	}
	d.made[name] = fmt.Sprintf("%x", h.Sum(nil))
	return d.made[name]
}

// file adds a file; one that is not there counts as well.
func (d *digests) file(h interface{ Write([]byte) (int, error) }, name string) {
	text, err := d.read(name)
	fmt.Fprintf(h, "%q %d %t\n", name, len(text), err == nil)
	_, _ = h.Write(text) // a hash takes everything
}

// read is the text of a file, by its name from the root.
func (d *digests) read(name string) ([]byte, error) {
	full := filepath.Join(d.root, filepath.FromSlash(name))
	if abs, err := filepath.Abs(full); err == nil {
		if text, ok := d.overlay[abs]; ok {
			return text, nil
		}
	}
	return os.ReadFile(full)
}

// sources are the CUE files in a directory, sorted.
func (d *digests) sources(dir string) (names []string) {
	files, _ := os.ReadDir(filepath.Join(d.root, filepath.FromSlash(dir))) // one that is not there has none
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".cue") {
			names = append(names, f.Name())
		}
	}
	return names
}

// program says what a template's program was loaded from.
func (d *digests) program(p *load.Program, template string) Sources {
	names := map[string]bool{ofTemplate + template: true}
	for _, file := range []string{"cue.mod/module.cue", "kmodule.cue", load.LockFile} {
		names[ofFile+file] = true
	}
	roots := map[string]string{}
	for _, place := range p.Places {
		roots[place.Module.Path+"@"+place.Module.Version] = place.Dir
	}
	for _, pkg := range p.Packages {
		key := pkg.Module.Path + "@" + pkg.Module.Version
		dir, ok := roots[key]
		if !ok {
			continue // it comes with kumiki
		}
		rel, err := filepath.Rel(p.Dir, dir)
		if strings.Contains(filepath.ToSlash(dir), "/mod/extract/") || err != nil {
			names[ofModule+key] = true
			continue
		}
		for _, e := range pkg.Embedded {
			names[ofFile+path.Join(filepath.ToSlash(rel), e.File)] = true
		}
		for _, f := range pkg.Files {
			d.above(names, p.Dir, dir, filepath.Dir(f.Filename))
		}
	}
	s := Sources{Names: sorting.Ordered(names)}
	s.Digest = d.of(s.Names)
	return s
}

// above adds a directory of a module and those above it: files of a package may lie in any.
func (d *digests) above(names map[string]bool, main, root, dir string) {
	if !filepath.IsAbs(dir) {
		return // what is synthesized
	}
	for {
		rel, err := filepath.Rel(root, dir)
		if err != nil || !filepath.IsLocal(rel) {
			return
		}
		if name, err := filepath.Rel(main, dir); err == nil && filepath.ToSlash(name) != environment.Templates {
			names[ofDirectory+filepath.ToSlash(name)] = true
		}
		if dir == root {
			return
		}
		dir = filepath.Dir(dir)
	}
}
