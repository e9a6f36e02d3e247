package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
)

// Save makes a solution the current one under its name. If it is the current one already
// nothing is written, and false is returned; an entry that has no input gets it.
func (s *Store) Save(sol *solution.Solution, from Input) (Entry, bool, error) {
	encoded, err := sol.Encode()
	if err != nil {
		return Entry{}, false, err
	}
	e := entryOf(sol, encoded.Digest, Saved)
	if from.Bundle != nil {
		e.Input, e.Kumiki = digestOf(from.Bundle), from.Kumiki
	}
	return s.add(sol.Ref.Name, e, encoded.Bytes(), from.Bundle, nil)
}

// RollBack makes the solution of an older entry the current one, where nobody may have saved
// anything since another entry was that.
func (s *Store) RollBack(sol *solution.Solution, to, was Entry) (Entry, bool, error) {
	encoded, err := sol.Encode()
	if err != nil {
		return Entry{}, false, err
	}
	e := entryOf(sol, encoded.Digest, RolledBack)
	e.Input, e.Kumiki = to.Input, to.Kumiki
	return s.add(sol.Ref.Name, e, encoded.Bytes(), nil, &was)
}

func entryOf(sol *solution.Solution, digest, what string) Entry {
	e := Entry{Digest: digest, What: what, Comment: sol.Comment}
	if top := sol.Deployments[sol.Top]; top != nil && top.Artifact != nil {
		e.Artifact = artifact(top.Artifact.Ref)
	}
	return e
}

// Replaces is the artifact of what is current under a solution's name if that is another
// than the solution's, whatever their versions are; "" if it is not, or there is none.
func (s *Store) Replaces(sol *solution.Solution) (string, error) {
	e, err := s.Find(sol.Ref.Name, "")
	if errors.Is(err, ErrNone) {
		return "", nil
	}
	top := sol.Deployments[sol.Top]
	if err != nil || e.Digest == "" || e.Artifact == "" || top == nil || top.Artifact == nil {
		return "", err
	}
	was, _, _ := strings.Cut(e.Artifact, "@")
	if is, _, _ := strings.Cut(artifact(top.Artifact.Ref), "@"); is == was {
		return "", nil
	}
	return e.Artifact, nil
}

// artifact is a ref on one line.
func artifact(r solution.Ref) string {
	var version []string
	for _, n := range r.Version {
		version = append(version, fmt.Sprint(n))
	}
	text := strings.Trim(strings.Join([]string{r.Domain, r.Module, r.Name}, "/"), "/")
	if len(version) > 0 {
		text += "@" + strings.Join(version, ".")
	}
	return text
}

// Delete makes nothing the current solution under a name: the entries before
// stay, so that what is to be removed can be told. It does nothing if somebody has
// saved since an entry was the current one, where that is not nil.
func (s *Store) Delete(name string, was *Entry) (Entry, bool, error) {
	if _, err := s.Entries(name); err != nil {
		return Entry{}, false, err
	}
	return s.add(name, Entry{What: Deleted}, nil, nil, was)
}

// Purge removes all that is saved under a name, whose current solution has to
// be nothing, and the inputs that no entry of another name has.
func (s *Store) Purge(name string) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := s.Entries(name)
	if err != nil {
		return err
	}
	if entries[len(entries)-1].Digest != "" {
		return fmt.Errorf("%s has a current solution: delete it first, and remove what runs for it", name)
	}
	files, err := s.files.ReadDir(s.path(name))
	if err != nil {
		return err
	}
	files = filter.Out(files, func(file string) bool { return !own(file) })
	// Without the pointer nothing is saved, whatever is left.
	if err := s.files.Remove(s.path(name, currentFile)); err != nil {
		return err
	}
	if err := s.files.SyncDir(s.path(name)); err != nil {
		return err
	}
	for _, file := range files {
		if err := s.files.Remove(s.path(name, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := s.removeEmpty(name); err != nil {
		return err
	}
	return s.collect()
}

// removeEmpty removes the directory of a name, unless somebody else keeps something there.
func (s *Store) removeEmpty(name string) error {
	if left, err := s.files.ReadDir(s.path(name)); err != nil || len(left) > 0 {
		return err
	}
	if err := s.files.Remove(s.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.files.SyncDir(s.dir)
}

// own reports whether a file of a name's directory is one that a store writes, whole
// or not.
func own(file string) bool {
	file = strings.TrimPrefix(file, newPrefix)
	return file == logFile || file == currentFile || regexp.MustCompile(`^[0-9a-f]{64}\.json$`).MatchString(file)
}

// lock keeps other writers out until what it returns is called.
func (s *Store) lock() (unlock func(), err error) {
	if err := s.files.MkdirAll(s.dir); err != nil {
		return nil, err
	}
	return s.files.Lock(s.path(lockFile))
}

// add appends an entry, behind a certain one if that is not nil, with its solution and the
// bundle of its input, nil for none or one that is there. The order of its steps is what
// keeps the history whole.
func (s *Store) add(name string, e Entry, data, bundle []byte, was *Entry) (Entry, bool, error) {
	if err := check(name); err != nil {
		return Entry{}, false, err
	}
	unlock, err := s.lock()
	if err != nil {
		return Entry{}, false, err
	}
	defer unlock()
	entries, err := s.Entries(name)
	if err != nil && !errors.Is(err, ErrNone) {
		return Entry{}, false, err
	}
	if was != nil && (len(entries) != was.Number || entries[len(entries)-1] != *was) {
		return Entry{}, false, fmt.Errorf("%s has been saved by somebody else at the same time: look at it, and try again", name)
	}
	if n := len(entries); n > 0 && entries[n-1].Digest == e.Digest {
		err := s.addInput(name, entries, e, bundle)
		return entries[n-1], false, err
	}
	if err := s.prepare(name); err != nil {
		return Entry{}, false, err
	}
	e.Number = len(entries) + 1
	if e.Digest != "" {
		if err := s.put(s.path(name, objectFile(e.Digest)), data); err != nil {
			return Entry{}, false, err
		}
	}
	if err := s.putInput(bundle); err != nil {
		return Entry{}, false, err
	}
	log, err := lines(append(entries, e))
	if err != nil {
		return Entry{}, false, err
	}
	if err := s.put(s.path(name, logFile), log); err != nil {
		return Entry{}, false, err
	}
	if err := s.put(s.path(name, currentFile), fmt.Appendf(nil, "%d %s\n", e.Number, e.Digest)); err != nil {
		return Entry{}, false, err
	}
	return e, true, nil
}

// prepare makes the directory of a name, and sees to it that it stays.
func (s *Store) prepare(name string) error {
	if _, err := s.files.ReadFile(s.path(name, currentFile)); err == nil {
		return nil
	}
	if err := s.files.MkdirAll(s.path(name)); err != nil {
		return err
	}
	for _, dir := range []string{s.dir, filepath.Dir(s.dir)} {
		if err := s.files.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// put gives a file its content, all or nothing: when it returns without an
// error, a failure of power changes nothing any more.
func (s *Store) put(name string, data []byte) error {
	if old, err := s.files.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return s.files.SyncDir(filepath.Dir(name)) // whoever wrote it may not have come so far
	}
	dir, base := filepath.Split(name)
	// The lock is held, so that a file of this name is what somebody left.
	temporary := filepath.Join(dir, newPrefix+base)
	if err := s.files.WriteSynced(temporary, data); err != nil {
		return err
	}
	if err := s.files.Rename(temporary, name); err != nil {
		return err
	}
	return s.files.SyncDir(filepath.Dir(name))
}

// lines writes entries as a log.
func lines(entries []Entry) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		if err := enc.Encode(e); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
