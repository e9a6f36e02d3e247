package load

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/mod/modfile"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// moduleLanguage is the language version of the module files that kumiki makes.
const moduleLanguage = "v0.9.0"

// parseModuleFile reads a module.cue. Those of before CUE's own module system name
// no language version, and have a module path and nothing else that counts. So much
// is returned, beside the error, of others in which something is wrong.
func parseModuleFile(name string, text []byte) (*modfile.File, error) {
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

// parsedModuleFile is what was read of a module.cue of that text.
type parsedModuleFile struct {
	text []byte
	file *modfile.File // which nobody changes
	err  error
}

// moduleFile is [parseModuleFile], once for each text of a file: whether a module has one that counts is asked
// before the module is read.
func (l *loader) moduleFile(name string, text []byte) (*modfile.File, error) {
	if known, ok := l.moduleFiles[name]; ok && bytes.Equal(known.text, text) {
		return known.file, known.err
	}
	f, err := parseModuleFile(name, text)
	l.moduleFiles[name] = parsedModuleFile{text, f, err}
	return f, err
}

// isNative reports whether the module has a module.cue that counts: the one that
// kam generates has the path "..." and says nothing.
func (l *loader) isNative(m *module) bool {
	text, err := m.read(moduleFile)
	if err != nil {
		return errors.Is(err, fs.ErrPermission) // reported when it is read
	}
	if checkText("", text) != nil {
		return true // reported when it is read
	}
	f, _ := l.moduleFile(m.file(moduleFile), text)
	switch {
	case f == nil:
		return true // reported when it is read
	case f.Module == "":
		labels := moduleLabels(text)
		return len(labels) > 0 && !filter.Contains(labels, "module")
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
	if err != nil || filter.Contains(moduleLabels(text), "module") {
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
		d := diag.New(diag.BadModule, pos, "%s: %s", filepath.Base(name), ofModuleFile(name, e))
		d.Cause = e
		l.report(d)
	}
}
