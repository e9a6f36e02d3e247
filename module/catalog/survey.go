package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/mod/modfile"
	"golang.org/x/mod/semver"

	"kumiki.dev/assist"
	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/load"
	"kumiki.dev/module/moduletest"
	"kumiki.dev/value"
)

// Of makes the entry of the module that dir lies in. A version of "" is that
// which the module's file says. Artifacts that only test cases use are left out.
// Texts, if not nil, is told of texts as in [load.Input].
func Of(ctx context.Context, dir, version string, texts load.Texts) (*Module, diag.List) {
	survey, problems := load.Look(dir)
	if survey == nil || problems.HasErrors() {
		return nil, problems
	}
	if version == "" {
		version = "v" + survey.Version
	}
	if major := semver.Major("v" + survey.Version); semver.Canonical(version) != version || semver.Major(version) != major {
		return nil, append(problems, diag.New(diag.BadModule, diag.NoPos, "module %s can't have version %q: expected one such as %s.2.3", survey.Module.Path, version, major))
	}
	m := &Module{Path: survey.Module.Path + "@" + semver.Major(version), Version: version, Artifacts: []Artifact{}}
	notes, err := readNotes(survey.Dir)
	if err != nil {
		return nil, append(problems, diag.New(diag.BadModule, diag.NoPos, "%v", err))
	}
	m.Notes = notes
	for _, p := range survey.Artifacts() {
		if moduletest.IsCase(p.Dir) {
			continue
		}
		a, found := m.artifact(ctx, survey.Dir, p, texts)
		problems = append(problems, found...)
		if a != nil {
			m.Artifacts = append(m.Artifacts, *a)
		}
	}
	return m, problems.Sorted()
}

// readNotes reads the notes of a native module; a kam-style one has none.
func readNotes(root string) (Notes, error) {
	text, err := os.ReadFile(filepath.Join(root, "cue.mod", "module.cue"))
	if errors.Is(err, fs.ErrNotExist) {
		return Notes{}, nil
	}
	if err != nil {
		return Notes{}, err
	}
	f, err := modfile.ParseNonStrict(text, "cue.mod/module.cue")
	if err != nil {
		return Notes{}, nil // load.Look says what is wrong with it, if it matters
	}
	return NotesOf(f)
}

func (m *Module) artifact(ctx context.Context, root string, p load.SurveyPackage, texts load.Texts) (*Artifact, diag.List) {
	d, problems := compiler.Describe(ctx, cuecontext.New(), load.Input{Dir: filepath.Join(root, filepath.FromSlash(p.Dir)), Package: p.Name, Texts: texts})
	if d == nil || d.Node == nil || problems.HasErrors() {
		return nil, problems
	}
	schema, err := assist.Schema("values of "+d.Program.Root.Path, d.Params)
	if err != nil {
		return nil, append(problems, diag.New(diag.Internal, diag.NoPos, "%v", err))
	}
	return &Artifact{
		Path:       path.Join(m.Base(), p.Dir),
		Import:     d.Program.ImportPath(),
		Name:       d.Node.Ref.Name,
		Kind:       d.Node.Ref.Kind,
		Collection: m.collection(p.Dir),
		Doc:        Doc(d),
		Deprecated: m.Deprecated[p.Dir],
		Channels:   Channels(d.Node),
		Config:     schema,
	}, problems
}

// Doc returns the doc comments of the artifact's package and of its #Artifact,
// without the model's, a paragraph an element.
func Doc(d *compiler.Description) []string {
	var out []string
	for _, group := range comments(d) {
		for part := range strings.SplitSeq(strings.TrimSpace(group.Text()), "\n\n") {
			if text := strings.Join(strings.Fields(part), " "); text != "" && !filter.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

func comments(d *compiler.Description) []*ast.CommentGroup {
	var out []*ast.CommentGroup
	for _, f := range d.Program.Root.Files {
		for _, decl := range f.Decls {
			if clause, ok := decl.(*ast.Package); ok {
				out = append(out, ast.Comments(f)...)
				out = append(out, ast.Comments(clause)...)
			}
		}
	}
	out = append(out, d.Artifact.Doc()...)
	return filter.Out(out, func(g *ast.CommentGroup) bool { return value.IsModel(fromcue.Pos(g)) || !g.Doc })
}

// Channels returns the channels of an artifact.
func Channels(n *value.Node) []Channel {
	var out []Channel
	for _, side := range []string{"server", "client", "duplex"} {
		for _, f := range n.Description.Get("srv", side).Each() {
			c := Channel{Name: f.Name, Side: side, Protocol: f.Value.Get("protocol").Str()}
			if port := f.Value.Get("port"); port != nil {
				if c.Port = port.Text; value.IsStandIn(port.Pos) {
					c.Port = "by its config"
				}
			}
			out = append(out, c)
		}
	}
	return out
}
