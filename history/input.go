package history

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// inputsDir holds the bundles that solutions were compiled from, each under its digest:
// entries that were compiled from the same have one.
const inputsDir = ".inputs"

// Input is what a solution was compiled from.
type Input struct {
	// Bundle is the file with all of it, nil where that is not to be kept.
	Bundle []byte
	// Kumiki is the version that compiled it.
	Kumiki string
}

// ErrNoInput says that the input of an entry was not kept.
var ErrNoInput = errors.New("its input was not kept")

// Input is the bundle that an entry was compiled from; [ErrNoInput] if there is none.
func (s *Store) Input(name string, e Entry) ([]byte, error) {
	if e.Input == "" {
		return nil, fmt.Errorf("%s, entry %d: %w", name, e.Number, ErrNoInput)
	}
	file := s.inputFile(e.Input)
	data, err := s.files.ReadFile(file)
	if err == nil && digestOf(data) != e.Input {
		err = fmt.Errorf("%s is damaged: it has the digest %s", file, digestOf(data))
	}
	return data, err
}

func digestOf(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

func (s *Store) inputFile(digest string) string {
	return s.path(inputsDir, strings.TrimPrefix(digest, "sha256:")+".bundle")
}

// putInput keeps a bundle, nil for none.
func (s *Store) putInput(bundle []byte) error {
	if bundle == nil {
		return nil
	}
	if _, err := s.files.ReadDir(s.path(inputsDir)); err != nil {
		if err := s.files.MkdirAll(s.path(inputsDir)); err != nil {
			return err
		}
	}
	if err := s.files.SyncDir(s.dir); err != nil {
		return err
	}
	return s.put(s.inputFile(digestOf(bundle)), bundle)
}

// addInput stores the input of the last entry if that has none, or a damaged one.
func (s *Store) addInput(name string, entries []Entry, e Entry, bundle []byte) error {
	last := &entries[len(entries)-1]
	if bundle == nil {
		return nil
	}
	if last.Input != "" {
		if _, err := s.Input(name, *last); err == nil {
			return nil
		}
	}
	if err := s.putInput(bundle); err != nil {
		return err
	}
	last.Input, last.Kumiki = e.Input, e.Kumiki
	log, err := lines(entries)
	if err != nil {
		return err
	}
	return s.put(s.path(name, logFile), log)
}

// collect removes the inputs that no entry has. Where a history cannot be read nothing is
// removed: it may have any of them.
func (s *Store) collect() error {
	files, err := s.files.ReadDir(s.path(inputsDir))
	if err != nil || len(files) == 0 {
		return nil // there is nothing to collect
	}
	used, err := s.inputs()
	if err != nil {
		return fmt.Errorf("the inputs that nothing names any more stay: %w", err)
	}
	for _, file := range files {
		digest, ok := strings.CutSuffix(strings.TrimPrefix(file, newPrefix), ".bundle")
		if !ok || len(digest) != 2*sha256.Size || used["sha256:"+digest] && !strings.HasPrefix(file, newPrefix) {
			continue // somebody else's, or needed
		}
		if err := s.files.Remove(s.path(inputsDir, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return s.files.SyncDir(s.path(inputsDir))
}

// inputs are those that entries have, those of logs whose names were never finished
// included.
func (s *Store) inputs() (map[string]bool, error) {
	names, err := s.files.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, name := range names {
		if check(name) != nil {
			continue
		}
		text, err := s.files.ReadFile(s.path(name, logFile))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries, err := readLog(text, bytes.Count(text, []byte("\n")))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path(name, logFile), err)
		}
		for _, e := range entries {
			used[e.Input] = true
		}
	}
	return used, nil
}
