package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"kumiki.dev/assist"
	"kumiki.dev/diag"
	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/inside"
)

// fix mends what can be mended for certain in the files below root: it writes
// them and says what it did, or with dryRun prints the difference only.
func fix(s streams, problems diag.List, root string, dryRun bool) error {
	changes, err := assist.Fixes(problems, root)
	if err != nil {
		return err
	}
	cwd, _ := os.Getwd()
	in, err := inside.Open(root)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, c := range changes {
		name := relative(c.File, cwd)
		if dryRun {
			if _, err := s.out.Write(diff.Diff(name, c.Old, name, c.New)); err != nil {
				return err
			}
			continue
		}
		if err := rewrite(in, root, c); err != nil {
			return err
		}
		for _, title := range c.Titles {
			fmt.Fprintf(s.err, "%s: %s\n", name, title)
		}
	}
	return nil
}

// rewrite puts a file of a module in the place of the one before it. A link is not
// followed: a module may be somebody else's.
func rewrite(in *inside.Dir, root string, c assist.Change) error {
	name, err := filepath.Rel(root, c.File)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(c.File); err == nil {
		mode = info.Mode().Perm()
	}
	return in.Write(filepath.ToSlash(name), bytes.NewReader(c.New), atomicfile.Options{Mode: mode, Sync: true})
}
