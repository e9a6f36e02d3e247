package complete

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"kumiki.dev/internal/filter"
)

// Want is what a directory is completed for.
type Want struct {
	// Deployments and Artifacts are packages that a directory may have.
	Deployments, Artifacts bool
	// Ext are the ends of names of files that are offered too, such as ".json".
	Ext []string
}

// The bounds of a search: directories that are looked into, how deep, and how much of a
// file.
const (
	mostDirs = 2000
	deepest  = 6
	mostText = 1 << 20
)

var (
	deployment = regexp.MustCompile(`(?m)^#Deployment\s*:`)
	artifact   = regexp.MustCompile(`(?m)^#Artifact\s*:`)
)

// Paths are the directories and files that begin with a word and are wanted. Those in
// which there are others end with a slash.
func Paths(word string, want Want) []string {
	dir, base := filepath.Split(word)
	entries, err := os.ReadDir(filepath.Clean(filepath.Join(".", dir)))
	if filepath.IsAbs(dir) {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil
	}
	s := search{want: want, left: mostDirs}
	var out []string
	if word == "" && s.has(".") {
		out = append(out, ".")
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || strings.HasPrefix(name, ".") && base == "" {
			continue
		}
		if !e.IsDir() {
			if s.isFile(name) {
				out = append(out, dir+name)
			}
			continue
		}
		if s.has(dir + name) {
			out = append(out, dir+name)
		}
		if s.below(dir+name, 1) {
			out = append(out, dir+name+"/")
		}
	}
	return out
}

// search looks for packages in directories, and gives up after so many.
type search struct {
	want Want
	left int
}

func (s *search) isFile(name string) bool {
	return filter.Any(s.want.Ext, func(ext string) bool { return strings.HasSuffix(name, ext) })
}

// has reports whether a directory itself has what is wanted.
func (s *search) has(dir string) bool {
	names, err := filepath.Glob(filepath.Join(escaped(dir), "*.cue"))
	if err != nil {
		return false
	}
	return filter.Any(names, func(name string) bool {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > mostText {
			return false
		}
		text, err := os.ReadFile(name)
		return err == nil && (s.want.Deployments && deployment.Match(text) || s.want.Artifacts && artifact.Match(text))
	})
}

// below reports whether something in a directory is wanted: a file, or a directory.
func (s *search) below(dir string, depth int) bool {
	if s.left--; s.left < 0 || depth > deepest {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	isDir := func(e fs.DirEntry) bool {
		return e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "cue.mod"
	}
	for _, e := range entries {
		if !e.IsDir() && s.isFile(e.Name()) || isDir(e) && s.has(filepath.Join(dir, e.Name())) {
			return true
		}
	}
	return filter.Any(entries, func(e fs.DirEntry) bool { return isDir(e) && s.below(filepath.Join(dir, e.Name()), depth+1) })
}

// escaped is a path for filepath.Glob, in which nothing means more than itself.
func escaped(dir string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(dir, `\$0`)
}

// Has reports whether a directory itself has what is wanted.
func Has(dir string, want Want) bool { return (&search{want: want}).has(dir) }
