package main

import (
	"fmt"
	"os"

	"github.com/rogpeppe/go-internal/diff"

	"kumiki.dev/assist"
	"kumiki.dev/diag"
)

// fix mends what can be mended for certain in the files below root: it writes
// them and says what it did, or with dryRun prints the difference only.
func fix(s streams, problems diag.List, root string, dryRun bool) error {
	changes, err := assist.Fixes(problems, root)
	if err != nil {
		return err
	}
	cwd, _ := os.Getwd()
	for _, c := range changes {
		name := relative(c.File, cwd)
		if dryRun {
			if _, err := s.out.Write(diff.Diff(name, c.Old, name, c.New)); err != nil {
				return err
			}
			continue
		}
		if err := writeFile(c.File, c.New); err != nil {
			return err
		}
		for _, title := range c.Titles {
			fmt.Fprintf(s.err, "%s: %s\n", name, title)
		}
	}
	return nil
}
