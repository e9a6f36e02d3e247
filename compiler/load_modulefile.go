package compiler

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/mod/modfile"
	modpkg "cuelang.org/go/mod/module"
	"golang.org/x/mod/semver"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
)

// moduleLanguage is the language version of the module files that kumiki makes.
const moduleLanguage = "v0.9.0"

// parseModuleFile reads a module.cue. Those of before CUE's own module system name
// no language version, and have a module path and nothing else that counts. So much
// is returned, beside the error, of others in which something is wrong.
func parseModuleFile(name string, text []byte) (*modfile.File, error) {
	if f := shortModuleFile(text); f != nil {
		return f, nil
	}
	f, err := modfile.Parse(text, name)
	if err == nil {
		return f, nil
	}
	old, oldErr := modfile.ParseLegacy(text, name)
	if errors.Is(err, modfile.ErrNoLanguageVersion) {
		return old, oldErr
	}
	return old, err
}

// shortModuleFile reads a module.cue that has a path and a language version, both
// valid, and nothing else: most of them. It is nil for any other. CUE compiles the
// schema of module files first, which takes a tenth of a small run.
func shortModuleFile(text []byte) *modfile.File {
	file, err := parser.ParseFile("", text)
	if err != nil {
		return nil
	}
	given := texts(file.Decls, map[string]string{}, "")
	module, version := given["module"], given["language.version"]
	_, _, split := ast.SplitPackageVersion(module)
	switch {
	case len(given) != 2 || !split || modpkg.CheckPath(module) != nil:
		return nil
	case semver.Canonical(version) != version,
		semver.Compare(version, moduleLanguage) < 0 || semver.Compare(version, cue.LanguageVersion()) > 0:
		return nil
	}
	return &modfile.File{Module: module, Language: &modfile.Language{Version: version}}
}

// texts adds the strings in structs to found, by their paths; nil if there is
// anything else, or one of them is there twice. What is no path has the name "".
func texts(decls []ast.Decl, found map[string]string, under string) map[string]string {
	for _, d := range decls {
		f, ok := d.(*ast.Field)
		if !ok || f.Constraint != token.ILLEGAL || len(f.Attrs) > 0 {
			return nil
		}
		name, _, _ := ast.LabelName(f.Label)
		if _, isAlias := f.Label.(*ast.Alias); isAlias {
			return nil
		}
		switch x := f.Value.(type) {
		case *ast.StructLit:
			if len(x.Elts) == 0 || texts(x.Elts, found, under+name+".") == nil {
				return nil
			}
		case *ast.BasicLit:
			if _, again := found[under+name]; again || !isText(x) {
				return nil
			}
			found[under+name], _ = literal.Unquote(x.Value) // "" is no path and no version
		default:
			return nil
		}
	}
	return found
}

// isText reports whether a literal is a string: bytes are of the same token.
func isText(x *ast.BasicLit) bool {
	quotes, _, _, _ := literal.ParseQuotes(x.Value, x.Value)
	return quotes.IsDouble()
}

// isNative tells whether the module has a module.cue that counts: the one that
// kam generates has the path "..." and says nothing.
func isNative(m *module) bool {
	text, err := m.read(moduleFile)
	if err != nil {
		return errors.Is(err, fs.ErrPermission) // reported when it is read
	}
	if checkText("", text) != nil {
		return true // reported when it is read
	}
	f, _ := parseModuleFile(m.file(moduleFile), text)
	switch {
	case f == nil:
		return true // reported when it is read
	case f.Module == "":
		labels := moduleLabels(text)
		return len(labels) > 0 && !slices.Contains(labels, "module")
	}
	return f.Module != "..."
}

// moduleLabels are the fields at the top of a module file, "" for what has no name.
func moduleLabels(text []byte) []string {
	var out []string
	file, _ := parser.ParseFile("", text)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.Field); ok {
			name, _, _ := ast.LabelName(f.Label)
			out = append(out, name)
		}
	}
	return out
}

// moduleKey reports a module file that calls the path of its module otherwise, and
// returns it with the right name; nil if there is nothing to report.
func moduleKey(name string, text []byte) ([]byte, *diag.Diagnostic) {
	file, err := parser.ParseFile(name, text)
	if err != nil || slices.Contains(moduleLabels(text), "module") {
		return nil, nil
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		label, _, _ := ast.LabelName(f.Label)
		if _, near := diag.Nearest(label, []string{"module"}); !near {
			continue
		}
		start, end := f.Label.Pos().Offset(), f.Label.End().Offset()
		problem := diag.New(diag.BadModule, fromcue.Pos(f.Label), "%s is not a field of module.cue; did you mean module?", label)
		problem.Fixes = []diag.Fix{{Title: "rename " + label + " to module", Edits: []diag.Edit{{Pos: fromcue.Pos(f.Label), Len: end - start, Text: "module"}}}}
		return slices.Replace(slices.Clone(text), start, end, []byte("module")...), problem
	}
	return nil, nil
}

// moduleFileErrors passes on what CUE says of a module's own file.
func (l *loader) moduleFileErrors(name string, err error) {
	for _, e := range errors.Errors(err) {
		pos := startOf(name)
		for _, p := range errors.Positions(e) {
			if p.Filename() == name {
				pos = diag.At(p)
				break
			}
		}
		what := strings.TrimPrefix(e.Error(), "invalid module file "+name+": ")
		d := diag.New(diag.BadModule, pos, "%s: %s", filepath.Base(name), what)
		d.Cause = e
		l.report(d)
	}
}
