package load

import (
	"io/fs"
	"path/filepath"
	"slices"
)

// Below returns the directories at a directory and below it that have a #Deployment, and
// those with an #Artifact if they are wanted too; sorted, and named from dir on. Modules
// within modules count.
func Below(dir string, artifacts bool) ([]string, error) {
	var modules []string
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name == dir:
			return err
		case err != nil || !e.IsDir():
			return nil // what can't be read has no packages
		case name != dir && hidden(e.Name()):
			return fs.SkipDir
		case name == dir || hasModule(name):
			modules = append(modules, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	base, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	var found []string
	for _, m := range modules {
		survey, _ := Look(m) // what is wrong is told of the packages
		if survey == nil {
			continue
		}
		for _, p := range survey.Packages {
			rel, err := filepath.Rel(base, filepath.Join(survey.Dir, filepath.FromSlash(p.Dir)))
			if err == nil && filepath.IsLocal(rel) && (p.Deployment || artifacts) {
				found = append(found, filepath.Join(dir, rel))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
