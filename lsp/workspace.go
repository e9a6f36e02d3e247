package lsp

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/load"
)

// document is a buffer of the editor.
type document struct {
	*lines
	version int
	uris    []string // what the client calls it, the latest last
}

// target is a directory that is vetted: a deployment's, or that of an artifact
// which no deployment of the workspace uses.
type target struct {
	dir      string
	artifact bool
	// dirty tells that something has changed since last.
	dirty bool
	// cancel ends the compilation that is going on; nil for none.
	cancel context.CancelFunc
	// last is the newest result, good the newest that has something to show.
	last, good *result
	// texts are the buffers that good is about.
	texts map[string]*lines
	asked map[string]*lines // those of the compilation that is going on
}

// concerns reports whether a change of the file can change the result. Where
// something was missing or broken, anything may be what mends it.
func (t *target) concerns(file string) bool {
	if t.last == nil || !t.last.Whole {
		return true
	}
	dir := filepath.Dir(file)
	return dir == t.dir || filter.Contains(t.last.Dirs, dir) || ofModule(file)
}

// ofModule reports whether the file says what a module is.
func ofModule(file string) bool {
	base := filepath.Base(file)
	return filepath.Base(filepath.Dir(file)) == "cue.mod" || base == "kmodule.cue" || base == load.LockFile
}

// reaches reports whether the file is a part of what the target is made of.
func (t *target) reaches(file string) bool {
	return t.last != nil && filter.Contains(t.last.Sources, filepath.Dir(file))
}

// What a directory has to do with deployments can be told from its text.
var (
	definesDeployment = lazyregexp.New(`(?m)^"?#Deployment"?\s*:`)
	definesArtifact   = lazyregexp.New(`(?m)^"?#Artifact"?\s*:`)
)

// maxDirs bounds the directories of a workspace.
const maxDirs = 20_000

// discover returns the directories below root that have a deployment.
func (s *server) discover(root string) []string {
	var out []string
	n := 0
	_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // what can't be read has no deployments
		}
		if !e.IsDir() {
			return nil
		}
		base := e.Name()
		if n++; n > maxDirs {
			return fs.SkipAll
		}
		if name != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "cue.mod" || base == "node_modules") {
			return fs.SkipDir
		}
		if s.defines(name, definesDeployment()) {
			out = append(out, name)
		}
		return nil
	})
	return out
}

// defines reports whether a source of the directory, buffers first, defines it.
func (s *server) defines(dir string, what *regexp.Regexp) bool {
	names := map[string]bool{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names[filepath.Join(dir, e.Name())] = true
	}
	for file := range s.documents {
		if filepath.Dir(file) == dir {
			names[file] = true
		}
	}
	for file := range names {
		if base := filepath.Base(file); !strings.HasSuffix(base, ".cue") || strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
			continue
		}
		if d := s.documents[file]; d != nil {
			if what.Match(d.text) {
				return true
			}
			continue
		}
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > 4<<20 {
			continue
		}
		if text, err := os.ReadFile(file); err == nil && what.Match(text) {
			return true
		}
	}
	return false
}

// scan finds the deployments of all folders anew. It holds s.mu.
func (s *server) scan() {
	found := map[string]bool{}
	for _, root := range s.folders {
		for _, dir := range s.discover(root) {
			found[dir] = true
		}
	}
	for dir := range found {
		s.aim(dir, false)
	}
	for dir, t := range s.targets {
		if !t.artifact && !found[dir] && !s.editing(dir) {
			s.drop(t)
		}
	}
}

// editing reports whether a file of the directory is open: what was a deployment
// a moment ago is a broken one, not something else.
func (s *server) editing(dir string) bool {
	for file := range s.documents {
		if filepath.Dir(file) == dir {
			return true
		}
	}
	return false
}

// aim makes the directory a target, if it is none of that kind yet.
func (s *server) aim(dir string, artifact bool) {
	if t := s.targets[dir]; t != nil && t.artifact == artifact {
		return
	} else if t != nil {
		s.drop(t)
	}
	s.targets[dir] = &target{dir: dir, artifact: artifact, dirty: true}
}

func (s *server) drop(t *target) {
	if t.cancel != nil {
		t.cancel()
	}
	delete(s.targets, t.dir)
}

// changed notes that a file is another one than before. It holds s.mu.
func (s *server) changed(file string) {
	s.recheck = append(s.recheck, filepath.Dir(file))
	for _, t := range s.targets {
		if t.concerns(file) {
			t.dirty = true
			if t.cancel != nil {
				t.cancel()
			}
		}
	}
	s.recent = file
	s.wake()
}

// retarget brings the targets up to date with the buffers. It holds s.mu.
func (s *server) retarget() {
	for _, dir := range s.recheck {
		if s.defines(dir, definesDeployment()) {
			s.aim(dir, false)
		} else if t := s.targets[dir]; t != nil && !t.artifact && !s.editing(dir) {
			s.drop(t)
		}
	}
	s.recheck = nil
	for _, t := range s.targets {
		if !t.artifact && t.last == nil {
			return // what deployments reach is not known yet
		}
	}
	wanted := map[string]bool{}
	for file := range s.documents {
		if dir := filepath.Dir(file); !s.deployed(file) && !wanted[dir] && s.defines(dir, definesArtifact()) {
			wanted[dir] = true
			if s.targets[dir] == nil {
				s.aim(dir, true)
			}
		}
	}
	for dir, t := range s.targets {
		if t.artifact && !wanted[dir] {
			s.drop(t)
		}
	}
}

// deployed reports whether the file is part of a deployment of the workspace.
func (s *server) deployed(file string) bool {
	for _, t := range s.targets {
		if !t.artifact && (t.dir == filepath.Dir(file) || t.reaches(file)) {
			return true
		}
	}
	return false
}
