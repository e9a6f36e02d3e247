package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/solution"
)

// The names of files, all but the lock in the directory of a name.
const (
	logFile     = "log"
	currentFile = "current"
	lockFile    = ".lock" // of the store: no name begins like this
	newPrefix   = ".new-" // of files that are being written
)

// What an entry came about by.
const (
	Saved      = "save"
	RolledBack = "rollback"
	Deleted    = "delete"
)

// Entry is a solution that has been current.
type Entry struct {
	// Number counts from 1.
	Number int `json:"number"`
	// Digest is that of the solution; "" for nothing, after a deletion.
	Digest string `json:"digest,omitempty"`
	// What is one of [Saved], [RolledBack] and [Deleted].
	What string `json:"what"`
	// Artifact and Comment are the solution's, so that a list can be read.
	Artifact string `json:"artifact,omitempty"`
	Comment  string `json:"comment,omitempty"`
	// Input is the digest of the bundle that the solution was compiled from; "" where it
	// was not kept. Kumiki is the version that compiled it.
	Input  string `json:"input,omitempty"`
	Kumiki string `json:"kumiki,omitempty"`
}

// Store is a directory of solutions.
type Store struct {
	dir   string
	files files
	told  func(at, of int) // which solution is read, nil for nobody
}

// Open returns the store in a directory, which need not be there yet.
func Open(dir string) *Store { return &Store{dir: dir, files: disk{dir}} }

// Telling makes the store say which of the solutions it reads that it has to read.
func (s *Store) Telling(told func(at, of int)) *Store {
	s.told = told
	return s
}

// ErrNone says that there is no history under a name.
var ErrNone = errors.New("nothing has been saved")

// path is that of a file of a name.
func (s *Store) path(name string, file ...string) string {
	return filepath.Join(append([]string{s.dir, name}, file...)...)
}

// maxDirectory is how long the name of a directory can be.
const maxDirectory = 255

// check refuses names that are no names of directories.
func check(name string) error {
	if name == "" || len(name) > maxDirectory || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\:\x00") || !filepath.IsLocal(name) {
		return fmt.Errorf("%.80q is no name of a solution that can be saved: a directory is called so, which has at most %d bytes, does not begin with a dot, and has no slash, backslash or colon; --name gives another one", name, maxDirectory)
	}
	return nil
}

// Names are those under which something is saved, sorted.
func (s *Store) Names() ([]string, error) {
	entries, err := s.files.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range entries {
		if check(name) != nil {
			continue
		}
		if _, err := s.pointer(name); err == nil || errors.Is(err, errLost) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Entries are those of a name, the current one last; [ErrNone] if there are
// none.
func (s *Store) Entries(name string) ([]Entry, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	pointer, err := s.pointer(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w under %s in %s", ErrNone, name, s.dir)
	}
	if err != nil {
		return nil, err
	}
	n, digest, err := s.parsePointer(name, pointer)
	if err != nil {
		return nil, err
	}
	// The log is read after the pointer: it only grows.
	text, err := s.files.ReadFile(s.path(name, logFile))
	if err != nil {
		return nil, err
	}
	entries, err := readLog(text, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path(name, logFile), err)
	}
	if entries[n-1].Digest != digest {
		return nil, fmt.Errorf("%s says %q, and line %d of the log %q", s.path(name, currentFile), digest, n, entries[n-1].Digest)
	}
	return entries, nil
}

// pointer is what says which entry is current, [fs.ErrNotExist] if nothing is saved.
func (s *Store) pointer(name string) ([]byte, error) {
	pointer, err := s.files.ReadFile(s.path(name, currentFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return pointer, err
	}
	if lost := s.lost(name); lost != nil {
		if pointer, err := s.files.ReadFile(s.path(name, currentFile)); err == nil {
			return pointer, nil // others saved for the first time between the two looks
		}
		return nil, lost
	}
	return nil, err
}

var errLost = errors.New("it is not taken for the end of the history")

// lost is the error that there is a history, and nothing that says what is current.
// The first save of a name, and a purge, which follows a deletion, may have been
// killed in that state: then nothing is saved.
func (s *Store) lost(name string) error {
	text, err := s.files.ReadFile(s.path(name, logFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	n := bytes.Count(text, []byte("\n"))
	entries, err := readLog(text, n)
	for _, e := range entries[max(0, len(entries)-2):] {
		if e.What == Deleted {
			return nil
		}
	}
	if err == nil && n < 2 {
		return nil
	}
	last := ""
	if len(entries) > 0 {
		last = fmt.Sprintf(": write %q into it if the last one is", fmt.Sprintf("%d %s", len(entries), entries[len(entries)-1].Digest))
	}
	return fmt.Errorf("%s is missing, and %s has %d entries; %w%s", s.path(name, currentFile), s.path(name, logFile), n, errLost, last)
}

// readLog reads the first n lines; what comes after them was never finished.
func readLog(text []byte, n int) ([]Entry, error) {
	var entries []Entry
	for line := range bytes.Lines(text) {
		if len(entries) == n {
			break
		}
		var e Entry
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&e); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(entries)+1, err)
		}
		if e.Number != len(entries)+1 {
			return nil, fmt.Errorf("line %d has number %d", len(entries)+1, e.Number)
		}
		entries = append(entries, e)
	}
	if len(entries) < n {
		return nil, fmt.Errorf("it has %d lines, and number %d is current", len(entries), n)
	}
	return entries, nil
}

// Find is the entry that a text names: "" or "current" for the current one,
// "previous" for the one before, a number, or what a digest begins with, after
// "sha256:" or without that.
func (s *Store) Find(name, text string) (Entry, error) {
	entries, err := s.Entries(name)
	if err != nil {
		return Entry{}, err
	}
	switch text {
	case "", "current":
		return entries[len(entries)-1], nil
	case "previous":
		if len(entries) < 2 {
			return Entry{}, fmt.Errorf("%s has one entry, and none before it", name)
		}
		return entries[len(entries)-2], nil
	}
	if n, err := strconv.Atoi(text); err == nil && len(text) < leastPrefix {
		if n < 1 || n > len(entries) {
			return Entry{}, fmt.Errorf("%s has entries 1 to %d, not %d", name, len(entries), n)
		}
		return entries[n-1], nil
	}
	return byDigest(name, entries, text)
}

// leastPrefix is how much of a digest names it; what is shorter may be a number.
const leastPrefix = 6

// byDigest is the last entry of the only digest that begins with a text.
func byDigest(name string, entries []Entry, text string) (Entry, error) {
	prefix := "sha256:" + strings.TrimPrefix(text, "sha256:")
	var found *Entry
	for i := range entries {
		e := &entries[i]
		if len(prefix) < len("sha256:")+leastPrefix || !strings.HasPrefix(e.Digest, prefix) {
			continue
		}
		if found != nil && found.Digest != e.Digest {
			return Entry{}, fmt.Errorf("several digests of %s begin with %s", name, text)
		}
		found = e
	}
	if found == nil {
		return Entry{}, fmt.Errorf("%s has no entry %s: give a number from 1 to %d, or the first %d digits or more of a digest", name, text, len(entries), leastPrefix)
	}
	return *found, nil
}

// Solution is that of an entry; nil for nothing.
func (s *Store) Solution(name string, e Entry) (*solution.Solution, error) {
	if e.Digest == "" {
		return nil, nil
	}
	file := s.path(name, objectFile(e.Digest))
	data, err := s.files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sol, problems := solution.Read(data, file)
	switch {
	case problems.HasErrors():
		return nil, fmt.Errorf("%s: %s", file, problems.Sorted()[0].Message)
	case sol.Digest != e.Digest:
		return nil, fmt.Errorf("%s holds the solution with digest %s", file, sol.Digest)
	}
	return sol, nil
}

// objectFile is the name of the file with a digest's solution.
func objectFile(digest string) string { return strings.TrimPrefix(digest, "sha256:") + ".json" }

// Is reports whether a directory is a store in which something has been saved.
func Is(dir string) bool {
	names, err := Open(dir).Names()
	return err == nil && len(names) > 0
}
