package catalog

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/load"
)

// Remark says where a module does not do as most do.
type Remark struct {
	// File is in the module, with slashes.
	File string
	Line int
	Text string
}

func (r Remark) String() string { return fmt.Sprintf("%s:%d: %s", r.File, r.Line, r.Text) }

// maxSource bounds the files that are looked into.
const maxSource = 16 << 20

// Lint compares the module that dir lies in with what is the custom: that an
// artifact is in a file component.cue or service.cue and a deployment in
// deployment.cue, and that artifacts have doc comments.
func Lint(ctx context.Context, dir string, texts load.Texts) ([]Remark, diag.List) {
	survey, problems := load.Look(dir)
	if survey == nil || problems.HasErrors() {
		return nil, problems
	}
	m, problems := Of(ctx, dir, "", texts)
	if m == nil || problems.HasErrors() {
		return nil, problems
	}
	var out []Remark
	for _, p := range survey.Packages {
		custom, def, what := "deployment.cue", "#Deployment", "the deployment"
		i := slices.IndexFunc(m.Artifacts, func(a Artifact) bool { return a.Path == path.Join(m.Base(), p.Dir) })
		switch {
		case !p.Deployment && i < 0:
			continue // a test's own artifact
		case !p.Deployment:
			a := m.Artifacts[i]
			custom, def, what = a.Kind+".cue", "#Artifact", a.Kind+" "+cmp.Or(a.Name, a.Import)
		}
		at, ok := declaring(filepath.Join(survey.Dir, filepath.FromSlash(p.Dir)), p.Name, def)
		if !ok {
			continue
		}
		remark := func(format string, args ...any) {
			out = append(out, Remark{path.Join(p.Dir, filepath.Base(at.Filename())), at.Line(), fmt.Sprintf(format, args...)})
		}
		if filepath.Base(at.Filename()) != custom {
			remark("%s is by custom in a file %s", what, custom)
		}
		if !p.Deployment && len(m.Artifacts[i].Doc) == 0 {
			remark("%s has no doc comment, which doc, list and search would show", what)
		}
	}
	return out, problems
}

// declaring is the place in a directory where a package declares a definition
// first.
func declaring(dir, pkg, def string) (diag.Pos, bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return diag.NoPos, false
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".cue") || info.Size() > maxSource {
			continue
		}
		f, err := parser.ParseFile(filepath.Join(dir, e.Name()), nil)
		if err != nil || f.PackageName() != pkg {
			continue
		}
		for _, decl := range f.Decls {
			field, ok := decl.(*ast.Field)
			if !ok {
				continue
			}
			if label, ok := field.Label.(*ast.Ident); ok && label.Name == def {
				return fromcue.Pos(label), true
			}
		}
	}
	return diag.NoPos, false
}
