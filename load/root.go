package load

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread"
)

// findMain opens the main module and returns the input's directory within it.
// The nearest directory with a kmodule.cue or a module.cue is its root.
func (l *loader) findMain() (rel string) {
	if dir, ok := l.nearest(); ok {
		return l.useMain(dir)
	}
	return l.withoutModule()
}

// nearest is the root of the module that the input's directory is in.
func (l *loader) nearest() (dir string, ok bool) {
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		m := l.peek(dir)
		if m.exists(kmoduleFile) || l.isNative(m) {
			return dir, true
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

// peek returns a module that serves to look for files only. A file outside of
// the directory doesn't matter here.
func (l *loader) peek(dir string) *module {
	return &module{Module: &spread.Module{}, dir: dir, files: os.DirFS(dir), overlay: l.buffers}
}

// useMain makes the directory the root of the main module.
func (l *loader) useMain(dir string) (rel string) {
	m, err := l.openModule(dir)
	if err != nil {
		// The directory was there a moment ago.
		l.report(diag.New(diag.NoDirectory, diag.NoPos, "directory %q: %v", l.show(dir), pathError(err)))
		m = l.peek(dir)
		m.scanned = map[string]*directory{}
	}
	m.Main = true
	l.main = m
	l.registry.dir = dir
	l.identify(m, "mod.local", "", nil)
	rel, _ = filepath.Rel(dir, l.dir) // both are absolute
	return filepath.ToSlash(rel)
}

// selectPackage returns the name of the package to load and whether it is a
// deployment; "" if there is none, which is reported.
func (l *loader) selectPackage(m *module, rel string) (name string, deployment bool) {
	dir := l.scan(m, rel)
	names := filter.Out(dir.packages(), func(n string) bool { return n == "kmodule" })
	if want := l.in.Package; want != "" {
		if !dir.has(want) {
			l.report(diag.New(diag.NoPackage, diag.NoPos, "no file in %q has package %s; found: %s", l.in.Dir, want, orNothing(names)))
			return "", false
		}
		return want, l.declaring(dir, want, "#Deployment") != nil
	}
	for _, field := range []string{"#Deployment", "#Artifact"} {
		found := filter.Out(names, func(n string) bool { return l.declaring(dir, n, field) == nil })
		if filter.Contains(found, "deployment") {
			l.unread(dir, found, field)
			return "deployment", field == "#Deployment"
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], field == "#Deployment"
		default:
			l.manyPackages(dir, found, field)
			return "", false
		}
	}
	l.noDeployment(m, dir, names)
	return "", false
}

// declaring returns the file of the package that declares the field.
func (l *loader) declaring(dir *directory, pkg, field string) *source {
	for _, s := range dir.files {
		if s.pkg != pkg {
			continue
		}
		if s.declares(field) {
			return s
		}
	}
	return nil
}

// declares reports whether the file has the field at the top.
func (s *source) declares(field string) bool {
	if s.fields == nil {
		s.fields = map[string]diag.Pos{}
		f, _, _, _ := parseMended(s.name, s.text)
		for _, d := range f.Decls {
			if f, ok := d.(*ast.Field); ok {
				name, _, _ := ast.LabelName(f.Label) // "" for what has none
				s.fields[name] = fromcue.Pos(f.Label)
			}
		}
	}
	_, ok := s.fields[field]
	return ok
}

func (l *loader) manyPackages(dir *directory, found []string, field string) {
	first := l.declaring(dir, found[0], field)
	d := diag.New(diag.ManyDeployments, startOf(first.name), "several packages of %q have a %s: %s; say which one is meant, for example with --package %s",
		l.in.Dir, field, strings.Join(found, ", "), found[0])
	for _, name := range found[1:] {
		d.With(startOf(l.declaring(dir, name, field).name), "package %s", name)
	}
	l.report(d)
}

// unread tells of deployments beside the one of package deployment, which is taken
// without asking.
func (l *loader) unread(dir *directory, found []string, field string) {
	for _, name := range found {
		if name != "deployment" && field == "#Deployment" {
			l.report(diag.Warn(diag.ManyDeployments, startOf(l.declaring(dir, name, field).name), "package %s has a #Deployment too, but that of package deployment is read: put it into a directory of its own, or give --package %s for this one", name, name))
		}
	}
}

func (l *loader) noDeployment(m *module, dir *directory, names []string) {
	broken := l.diags.HasErrors() && len(names) == 0
	for _, s := range dir.files {
		if _, ok := l.parse(m, s); !ok {
			broken = true
		}
	}
	switch {
	case broken:
		// The files that might have it are reported.
	case len(dir.files) == 0:
		l.report(diag.New(diag.NoFiles, diag.NoPos, "no CUE file was found in %q; %s", l.in.Dir, l.elsewhere()))
	case len(names) == 0:
		l.report(diag.New(diag.NoDeployment, startOf(dir.files[0].name), "the file has no package clause; write \"package deployment\" in its first line"))
	default:
		if pos, name, near := meant(dir.files); near != "" {
			l.report(diag.New(diag.NoDeployment, pos, "no #Deployment and no #Artifact was found in %q; write %s: in place of %s:", l.in.Dir, near, name))
			return
		}
		first := dir.files[slices.IndexFunc(dir.files, func(s *source) bool { return s.pkg == names[0] })]
		l.report(diag.New(diag.NoDeployment, startOf(first.name), "no #Deployment and no #Artifact was found in %q (packages: %s); write #Deployment: {name: \"…\", artifact: …, config: {…}}", l.in.Dir, strings.Join(names, ", ")))
	}
}

// elsewhere says where the module has deployments, and if it has none, what one is.
func (l *loader) elsewhere() string {
	var dirs []string
	for _, rel := range l.surveyed() {
		for _, p := range l.surveyDir(rel) {
			if near, err := filepath.Rel(l.dir, filepath.Join(l.main.dir, filepath.FromSlash(p.Dir))); err == nil && p.Deployment {
				dirs = append(dirs, filepath.ToSlash(filepath.Join(l.in.Dir, near)))
			}
		}
	}
	const most = 3
	switch all := len(dirs); {
	case all == 0:
		return "a manifest is a file such as deployment.cue, with package deployment and a #Deployment"
	case all > most:
		return fmt.Sprintf("name the directory of a deployment: %s, or one of %d others", strings.Join(dirs[:most], ", "), all-most)
	default:
		return "name the directory of a deployment: " + strings.Join(dirs, " or ")
	}
}

// meant returns the first field that was to be #Deployment or #Artifact: where it is,
// what it is called and what it should be called; "" if there is none.
func meant(files []*source) (pos diag.Pos, name, near string) {
	for _, s := range files {
		for _, name := range sorting.Ordered(s.fields) {
			if near, ok := diag.Nearest(name, []string{"#Deployment", "#Artifact"}); ok {
				return s.fields[name], name, near
			}
		}
	}
	return diag.NoPos, "", ""
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
