package environment

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/targets"
)

// Tree is what a module has of templates and environments.
type Tree struct {
	// Dir is the module's root.
	Dir          string
	Templates    []*Template
	Environments []*Environment
	// UnknownTemplates and UnknownEnvironments are those that are there and could not be
	// read, sorted: nothing is known of them, other than that they are not gone.
	UnknownTemplates, UnknownEnvironments []string
	// Problems are what is wrong with them.
	Problems diag.List
}

// Read reads the templates and environments of the module in a directory; the input says
// what else counts. Environments lie in envs, "" for the module's own directory.
func Read(in load.Input, root, envs string) *Tree {
	t := &Tree{Dir: root}
	if envs == "" {
		envs = filepath.Join(root, Directory)
	}
	in.Dir = envs
	var problems diag.List
	t.Environments, problems = Load(in)
	t.UnknownEnvironments = unread(envs, problems, func(name string) bool {
		return filter.Any(t.Environments, func(e *Environment) bool { return e.Name == name })
	})
	t.Problems = append(t.Problems, problems...)
	in.Dir = filepath.Join(root, Templates)
	t.Templates, problems = LoadTemplates(in)
	t.UnknownTemplates = unread(in.Dir, problems, func(name string) bool {
		return filter.Any(t.Templates, func(x *Template) bool { return x.Name == name })
	})
	t.Problems = append(t.Problems, problems...)
	return t
}

// Place puts the templates into the environments.
func (t *Tree) Place() (*Placement, diag.List) {
	p, problems := Place(t.Templates, t.Environments, slices.Concat(t.UnknownTemplates, t.UnknownEnvironments)...)
	return p, append(problems, t.oddValues()...).Sorted()
}

// oddValues warns of values that only one environment has and whose names are much like one
// that it lacks: a value that no artifact declares is given to nobody.
func (t *Tree) oddValues() (problems diag.List) {
	has := map[string]int{}
	for _, e := range t.Environments {
		for _, name := range valueNames(e) {
			has[name]++
		}
	}
	for _, e := range t.Environments {
		own := valueNames(e)
		var lacks []string
		for _, name := range targets.Keys(has) {
			if !filter.Contains(own, name) {
				lacks = append(lacks, name)
			}
		}
		for _, name := range own {
			if has[name] > 1 {
				continue
			}
			if near, ok := diag.Nearest(name, lacks); ok {
				path := strings.Split(name, " ")
				problems = append(problems, diag.Warn(diag.EnvironmentWord, e.Config.Get(path...).Pos, "config.%s is a value that no other environment has; did you mean %s?", strings.Join(path, "."), strings.ReplaceAll(near, " ", ".")).AtPath(append([]string{"config"}, path...)...))
			}
		}
	}
	return problems
}

// valueNames are the parameters and resources that an environment gives, each SECTION NAME.
func valueNames(e *Environment) (names []string) {
	for _, section := range []string{"parameter", "resource"} {
		for _, f := range e.Config.Get(section).Each() {
			names = append(names, section+" "+f.Name)
		}
	}
	return names
}

// unread returns the names of files in a directory that could not be read as what they
// declare. A file that may be such a one counts too.
func unread(dir string, problems diag.List, known func(string) bool) (names []string) {
	wrong := map[string]bool{}
	for _, d := range problems {
		if d.Severity == diag.Error {
			wrong[filepath.Base(d.Pos.Filename())] = true
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(wrong) == 0 {
		return nil
	}
	for _, f := range files {
		name, isSource := strings.CutSuffix(f.Name(), ".cue")
		if isSource && !known(name) && (wrong[f.Name()] || len(wrong) > 0 && declaresRecord(filepath.Join(dir, f.Name()))) {
			names = append(names, name)
		}
	}
	return names
}

// declaresRecord reports whether a file may be that of an environment or a template.
func declaresRecord(name string) bool {
	text, err := os.ReadFile(name)
	return err != nil || strings.Contains(string(text), "#Template") || strings.Contains(string(text), "#Environment")
}

// Missing is the directory that a tree needs and that is not there, "" for none.
func (t *Tree) Missing(envs string) string {
	if envs == "" {
		envs = filepath.Join(t.Dir, Directory)
	}
	for _, dir := range []string{envs, filepath.Join(t.Dir, Templates)} {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return dir
		}
	}
	return ""
}
