package load

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"
)

// Survey is what a module holds, found without evaluating anything.
type Survey struct {
	// Dir is the module's root, absolute.
	Dir string
	// Module is the module itself.
	Module *spread.Module
	// Version is the module's own version, "2.0.0": for a native module, whose
	// file knows the major version only, the first of it.
	Version string
	// Dependencies are the versions that the module's file asks for, "1.0.11", by
	// module path; "" where it gives none.
	Dependencies map[string]string
	// Packages are the artifacts and deployments, sorted by Dir and Name.
	Packages []SurveyPackage
}

// SurveyPackage is a package with an #Artifact or a #Deployment.
type SurveyPackage struct {
	// Path is the import path that the package has in a [Program] whose main
	// module is the survey's.
	Path string
	// Dir is its directory within the module, with slashes; "." for the root.
	Dir string
	// Name is the package's name.
	Name string
	// Artifact and Deployment tell what it declares.
	Artifact, Deployment bool
}

// Look surveys the module that the directory lies in. Modules within the module
// are not part of it. The survey is nil only if there is no directory to look at.
func Look(dir string) (*Survey, diag.List) {
	l := newLoader(Input{Dir: dir}, embedded())
	defer l.close()
	if !l.checkDir() {
		return nil, l.diags.Sorted()
	}
	l.findMain()
	s := &Survey{Dir: l.main.dir, Module: l.main.Module, Version: l.main.ref.text(), Dependencies: map[string]string{}}
	for p, d := range l.main.deps {
		s.Dependencies[p] = d.version
	}
	for _, rel := range l.surveyed() {
		s.Packages = append(s.Packages, l.surveyDir(rel)...)
	}
	return s, l.diags.Sorted()
}

// surveyed returns the directories of the main module, sorted.
func (l *loader) surveyed() []string {
	var dirs []string
	_ = fs.WalkDir(l.main.files, ".", func(dir string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && dir == ".":
			return err
		case err != nil || !e.IsDir():
			return nil // what can't be read has no packages
		case dir != "." && (hidden(e.Name()) || hasModule(filepath.Join(l.main.dir, filepath.FromSlash(dir)))):
			return fs.SkipDir
		case len(dirs) == maxSearched:
			l.report(diag.New(diag.BadModule, diag.NoPos, "module %s has more than %d directories; kumiki looks at no more", l.main.Path, maxSearched))
			return fs.SkipAll
		}
		dirs = append(dirs, dir)
		return nil
	})
	return dirs
}

// hidden reports whether no package lies in directories of that name.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "cue.mod" || name == "node_modules"
}

func (l *loader) surveyDir(rel string) []SurveyPackage {
	var found []SurveyPackage
	d := l.scan(l.main, rel)
	for _, name := range d.packages() {
		p := SurveyPackage{
			Path:       l.main.importPath(rel, name, l.library),
			Dir:        path.Clean(rel),
			Name:       name,
			Artifact:   l.declaring(d, name, "#Artifact") != nil,
			Deployment: l.declaring(d, name, "#Deployment") != nil,
		}
		if p.Artifact || p.Deployment {
			found = append(found, p)
		}
	}
	return found
}

// Artifacts are the packages with an #Artifact and no #Deployment.
func (s *Survey) Artifacts() []SurveyPackage {
	return filter.Out(s.Packages, func(p SurveyPackage) bool { return !p.Artifact || p.Deployment })
}
