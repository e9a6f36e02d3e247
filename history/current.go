package history

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Named is an entry with the name that it is saved under.
type Named struct {
	Name string `json:"name"`
	Entry
}

// Current are the solutions that are current, by name; names whose last entry is a
// deletion have none. Of an entry there are its number and digest: only the files that
// say what is current are read.
func (s *Store) Current() ([]Named, error) {
	names, err := s.files.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []Named
	for _, name := range names { // sorted
		if check(name) != nil {
			continue
		}
		pointer, err := s.pointer(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		n, digest, err := s.parsePointer(name, pointer)
		if err != nil {
			return nil, err
		}
		if digest != "" {
			out = append(out, Named{name, Entry{Number: n, Digest: digest}})
		}
	}
	return out, nil
}

// All are the solutions that are or have been current, by name and in the order in which
// they were saved; each is there once, with its last entry.
func (s *Store) All() ([]Named, error) {
	names, err := s.Names()
	if err != nil {
		return nil, err
	}
	var out []Named
	for _, name := range names {
		entries, err := s.Entries(name)
		if err != nil {
			return nil, err
		}
		last := map[string]int{}
		for _, e := range entries {
			last[e.Digest] = e.Number
		}
		for _, e := range entries {
			if e.Digest != "" && last[e.Digest] == e.Number {
				out = append(out, Named{name, e})
			}
		}
	}
	return out, nil
}

// parsePointer is what the file with the current entry says: its number and its digest.
func (s *Store) parsePointer(name string, pointer []byte) (n int, digest string, err error) {
	count, digest, _ := strings.Cut(strings.TrimSuffix(string(pointer), "\n"), " ")
	n, err = strconv.Atoi(count)
	if err != nil || n < 1 {
		return 0, "", fmt.Errorf("%s: %q is not NUMBER DIGEST", s.path(name, currentFile), pointer)
	}
	return n, digest, nil
}
