package compiler

import (
	"io/fs"
	"path/filepath"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/mod/modfile"
	modpkg "cuelang.org/go/mod/module"
	"golang.org/x/mod/semver"

	"kumiki.dev/internal/diag"
)

// moduleLanguage is the language version of the module files that kumiki makes.
const moduleLanguage = "v0.9.0"

// parseModuleFile reads a module.cue. Those of before CUE's own module system
// have a module path and nothing else that counts.
func parseModuleFile(name string, text []byte) (f *modfile.File, modern bool, err error) {
	if f := shortModuleFile(text); f != nil {
		return f, true, nil
	}
	f, err = modfile.Parse(text, name)
	if err == nil {
		return f, true, nil
	}
	old, oldErr := modfile.ParseLegacy(text, name)
	if oldErr == nil {
		return old, false, nil
	}
	if errors.Is(err, modfile.ErrNoLanguageVersion) {
		err = oldErr
	}
	return nil, false, err
}

// shortModuleFile reads a module.cue that has a path and a language version, both
// valid, and nothing else: most of them. It is nil for any other. CUE compiles the
// schema of module files first, which takes a tenth of a small run.
func shortModuleFile(text []byte) *modfile.File {
	file, err := parser.ParseFile("", text)
	if err != nil {
		return nil
	}
	given, ok := texts(file.Decls, map[string]string{}, "")
	module, version := given["module"], given["language.version"]
	_, major, split := ast.SplitPackageVersion(module)
	switch {
	case !ok || len(given) != 2 || !split || major == "" || modpkg.CheckPath(module) != nil:
		return nil
	case !semver.IsValid(version) || semver.Canonical(version) != version,
		semver.Compare(version, moduleLanguage) < 0 || semver.Compare(version, cue.LanguageVersion()) > 0:
		return nil
	}
	return &modfile.File{Module: module, Language: &modfile.Language{Version: version}}
}

// texts adds the strings in structs to found, by their paths; false if there is
// anything else, or one of them is there twice.
func texts(decls []ast.Decl, found map[string]string, under string) (map[string]string, bool) {
	for _, d := range decls {
		f, ok := d.(*ast.Field)
		if !ok || f.Constraint != token.ILLEGAL || f.Alias != nil || len(f.Attrs) > 0 {
			return nil, false
		}
		name, _, err := ast.LabelName(f.Label)
		if _, isAlias := f.Label.(*ast.Alias); isAlias || err != nil {
			return nil, false
		}
		switch x := f.Value.(type) {
		case *ast.StructLit:
			if _, ok := texts(x.Elts, found, under+name+"."); !ok || len(x.Elts) == 0 {
				return nil, false
			}
		case *ast.BasicLit:
			value, err := literal.Unquote(x.Value)
			if _, again := found[under+name]; again || err != nil || !isText(x) {
				return nil, false
			}
			found[under+name] = value
		default:
			return nil, false
		}
	}
	return found, true
}

// isText reports whether a literal is a string: bytes are of the same token.
func isText(x *ast.BasicLit) bool {
	quotes, _, _, err := literal.ParseQuotes(x.Value, x.Value)
	return err == nil && x.Kind == token.STRING && quotes.IsDouble()
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
	f, _, err := parseModuleFile(m.file(moduleFile), text)
	return err != nil || f.Module != "" && f.Module != "..." || f.Module == "" && len(moduleLabels(text)) > 0 && !slices.Contains(moduleLabels(text), "module")
}

// moduleLabels are the fields at the top of a module file.
func moduleLabels(text []byte) []string {
	var out []string
	file, err := parser.ParseFile("", text)
	if err != nil {
		return nil
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.Field); ok {
			if name, _, err := ast.LabelName(f.Label); err == nil {
				out = append(out, name)
			}
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
		label, _, err := ast.LabelName(f.Label)
		if _, near := diag.Nearest(label, []string{"module"}); err != nil || !near {
			continue
		}
		start, end := f.Label.Pos().Offset(), f.Label.End().Offset()
		problem := diag.New(diag.BadModule, f.Label.Pos(), "%s is not a field of module.cue; did you mean module?", label)
		problem.Fixes = []diag.Fix{{Title: "rename " + label + " to module", Edits: []diag.Edit{{Pos: f.Label.Pos(), Len: end - start, Text: "module"}}}}
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
				pos = p
				break
			}
		}
		d := diag.New(diag.BadModule, pos, "%s: %v", filepath.Base(name), e)
		d.Cause = e
		l.report(d)
	}
}
