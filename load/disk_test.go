package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cuelang.org/go/mod/modconfig"
	"cuelang.org/go/mod/modfile"
	modpkg "cuelang.org/go/mod/module"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/spread"
)

// TestLoadUnsaved loads a module of which nothing is saved yet, and one of which some
// is: files are taken in the order of their names, and each once.
func TestLoadUnsaved(t *testing.T) {
	t.Parallel()
	const db = "package component\n#Artifact: ref: name: \"db\"\n"
	root := tree(t, map[string]string{"saved/kmodule.cue": testKModule, "saved/d/b.cue": "package deployment\n", "saved/d/c.cue": testManifest})
	in := func(dir string, files ...string) Input {
		out := Input{Dir: filepath.Join(root, dir), Overlay: map[string][]byte{}}
		for i := 0; i < len(files); i += 2 {
			out.Overlay[filepath.Join(root, files[i])] = []byte(files[i+1])
		}
		return out
	}
	p, problems := newLoader(in("new/d", "new/kmodule.cue", testKModule, "new/d/a.cue", "package deployment\nimport c \"./db\"\n#Deployment: {name: \"x\", artifact: c.#Artifact}\n", "new/db/c.cue", db, "new/d/db/c.cue", db), testLibrary()).load()
	require.Equal(t, []string{"load/import-path new/d/a.cue:2:10"}, codes(problems, root))
	require.Equal(t, "example.com/shop/d:deployment", p.Root.Path)
	require.Contains(t, p.Root.Imports, "example.com/shop/d/db:component")
	p, problems = newLoader(in("saved/d", "saved/d/a.cue", "package deployment\n", "saved/d/b.cue", "package deployment\nx: 1\n"), testLibrary()).load()
	require.Empty(t, problems)
	var names []string
	for _, f := range p.Root.Files {
		names = append(names, filepath.Base(f.Filename))
	}
	require.Equal(t, []string{"a.cue", "b.cue", "c.cue", refFile}, names)
}

// TestLoadCloses: nothing is left open behind a run.
func TestLoadCloses(t *testing.T) {
	t.Parallel()
	l := newLoader(Input{Dir: tree(t, map[string]string{"kmodule.cue": testKModule, "a.cue": testManifest})}, testLibrary())
	_, problems := l.load()
	require.Empty(t, problems)
	_, err := l.main.root.Stat(".")
	require.ErrorIs(t, err, os.ErrClosed)
}

// fakeFile is a file of a file system of its own.
type fakeFile struct {
	mode   fs.FileMode
	denied error // what opening it says
	broken error // what reading it says
	closed bool
}

func (f *fakeFile) Open(string) (fs.File, error) { return f, f.denied }
func (f *fakeFile) Stat() (fs.FileInfo, error)   { return f, nil }
func (f *fakeFile) Read([]byte) (int, error)     { return 0, f.broken }
func (f *fakeFile) Close() error                 { f.closed = true; return nil }
func (f *fakeFile) Name() string                 { return "x.cue" }
func (f *fakeFile) Size() int64                  { return 0 }
func (f *fakeFile) Mode() fs.FileMode            { return f.mode }
func (f *fakeFile) ModTime() time.Time           { return time.Time{} }
func (f *fakeFile) IsDir() bool                  { return f.mode.IsDir() }
func (f *fakeFile) Sys() any                     { return nil }
func (f *fakeFile) module() *module {
	return &module{Module: &spread.Module{}, dir: "/m", files: f, scanned: map[string]*directory{}}
}

// TestLoadFileProblems says why a file is not read, and closes those that are opened.
func TestLoadFileProblems(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file fakeFile
		want string
	}{
		{fakeFile{broken: &fs.PathError{Op: "read", Path: "/secret", Err: errors.New("the disk is on fire")}}, `"x.cue" can't be read: the disk is on fire`},
		{fakeFile{denied: &fs.PathError{Op: "open", Path: "/secret", Err: fs.ErrPermission}}, `"x.cue" can't be read: permission denied`},
		{fakeFile{mode: fs.ModeDir}, `"x.cue" is a directory; a name that ends in .cue is expected to be a file: rename the directory`},
		{fakeFile{mode: fs.ModeNamedPipe}, `"x.cue" is neither a file nor a link to one`},
	} {
		l, m := newLoader(Input{}, testLibrary()), test.file.module()
		for range 2 {
			_, ok := l.readSource(m, "x.cue")
			require.False(t, ok)
		}
		require.Len(t, l.diags, 1, "it is told once")
		require.Equal(t, test.want, l.diags[0].Message)
		require.Equal(t, "/m/x.cue:1:1", l.diags[0].Pos.String())
	}
	file := &fakeFile{broken: errors.New("no")}
	_, err := file.module().read("x.cue")
	require.Error(t, err)
	require.True(t, file.closed)
}

// TestLoadCheckText says what the parser cannot be given, just at the bounds.
func TestLoadCheckText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"as large as may be", "//" + strings.Repeat("x", maxFile-2), ""},
		{"larger", "//" + strings.Repeat("x", maxFile-1), "x:1:1: the file is larger than 16 MiB, the most that a source may have; move large contents out of the manifest"},
		{"as many brackets as may be", "//" + strings.Repeat("([{", maxBrackets/3) + "(", ""},
		{"more", "//" + strings.Repeat("([{", maxBrackets/3) + "([", "x:1:1: the file has more than 1000000 brackets; split it into several files"},
		{"a zero byte at the beginning", "\x00", "x:1:1: a zero byte was found: the file is not text"},
		{"all that UTF-8 has", "// é \uFFFD 😀 \U0010FFFF", ""},
		{"not UTF-8 behind that", "// é \uFFFD 😀 \U0010FFFF\xff", "x:1:20: the byte 0xff is not valid UTF-8, the encoding of CUE files; save the file as UTF-8"},
		{"half a character", "\xe2\x82", "x:1:1: the byte 0xe2 is not valid UTF-8, the encoding of CUE files; save the file as UTF-8"},
	} {
		got := ""
		if d := checkText("x", []byte(test.text)); d != nil {
			got = fmt.Sprintf("%s: %s", d.Pos, d.Message)
		}
		require.Equal(t, test.want, got, test.name)
	}
}

// TestLoadPackagesOf lists the packages of a directory, each once.
func TestLoadPackagesOf(t *testing.T) {
	t.Parallel()
	d := &directory{files: []*source{{pkg: "z"}, {pkg: "a"}, {}, {pkg: "z"}}}
	require.Equal(t, []string{"a", "z"}, d.packages())
}

// TestLoadDirectories bounds in how many directories a package is looked for, and
// how many are told.
func TestLoadDirectories(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for i := range maxSearched + 1 {
		files[fmt.Sprintf("d%05d/c.cue", i)] = &fstest.MapFile{Data: []byte("package component\n")}
	}
	l := newLoader(Input{}, testLibrary())
	m := &module{Module: &spread.Module{Path: "x.y/z"}, files: files, scanned: map[string]*directory{}}
	require.Len(t, l.directories(m), maxSearched)
	for n, want := range map[int]string{
		maxListed:     "d00008, d00009",
		maxListed + 1: "d00008, d00009, …",
	} {
		some := fstest.MapFS{}
		for i := range n {
			name := fmt.Sprintf("d%05d/c.cue", i)
			some[name] = files[name]
		}
		m := &module{Module: &spread.Module{Path: "x.y/z"}, dir: "x.y/z", files: some, scanned: map[string]*directory{}}
		d, meant := l.missingPackage(m, m, "kafka", spelling{raw: "x.y/z/kafka:component", pkg: "component"}, diag.NoPos)
		require.True(t, strings.HasSuffix(d.Message, want), d.Message)
		require.Empty(t, meant.dir)
	}
}

// TestLoadShared: a package that several import is loaded once, and so is what stands
// for one that is not there; what is there gets no more fields.
func TestLoadShared(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{
		"kmodule.cue": testKModule,
		"d/a.cue":     "package deployment\nimport (\n\ta \".../a:component\"\n\tb \".../b:component\"\n)\n#Deployment: {name: \"x\", artifact: a.#Artifact, x: b.#Artifact}\n",
		"a/c.cue":     "package component\nimport c \".../c:component\"\nimport n \".../none:none\"\n#Artifact: {ref: name: \"a\", description: c.more, x: n.a}\n",
		"b/c.cue":     "package component\nimport c \".../c:component\"\nimport n \".../none:none\"\n#Artifact: {ref: name: \"b\", description: c.more, x: n.b}\n",
		"c/1.cue":     "package component\n",
		"c/2.cue":     "package component\nmore: 1\n",
	})
	p, problems := newLoader(Input{Dir: filepath.Join(root, "d")}, testLibrary()).load()
	require.Equal(t, []string{"load/import a/c.cue:3:10", "load/import b/c.cue:3:10"}, codes(problems, root))
	a, b := p.Root.Imports["example.com/shop/a:component"].Imports, p.Root.Imports["example.com/shop/b:component"].Imports
	require.Len(t, a, 3)
	for path, imp := range a {
		require.Same(t, imp, b[path])
	}
	require.Len(t, a["example.com/shop/c:component"].Files[0].Decls, 1)
	missing := a["example.com/shop/none:none"].Files
	require.True(t, hasField(missing, "a"))
	require.True(t, hasField(missing, "b"))
}

// TestLoadCauses: what CUE says is beneath what is told.
func TestLoadCauses(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"cue.mod/module.cue": "module: \"example.com/shop@v1\"\nlanguage: version: \"v0.12.0\"\nx: 1\n",
		"a.cue":              "package deployment\nimport x \"example.org/none:component\"\n#Deployment: {name: \"x\", artifact: x.#Artifact}\n",
		"b.cue":              "package deployment\ny: ]\n",
	}
	l := newLoader(Input{Dir: tree(t, files)}, testLibrary())
	l.registry.open = func() (modconfig.Registry, error) { return nil, errors.New("nothing is fetched here") }
	_, problems := l.load()
	require.Len(t, problems, 3)
	for _, d := range problems {
		require.Error(t, errors.Unwrap(d), d.Message)
	}
}

// fakeRegistry has one module.
type fakeRegistry struct {
	asked []string
	loc   modpkg.SourceLoc
}

func (r *fakeRegistry) ModFile(_ context.Context, mv modpkg.Version) (*modfile.File, error) {
	r.asked = append(r.asked, "file "+mv.String())
	return &modfile.File{Module: mv.Path()}, nil
}

func (r *fakeRegistry) Fetch(_ context.Context, mv modpkg.Version) (modpkg.SourceLoc, error) {
	r.asked = append(r.asked, "fetch "+mv.String())
	return r.loc, nil
}

func (r *fakeRegistry) ModuleVersions(_ context.Context, modpath string) ([]string, error) {
	r.asked = append(r.asked, "versions "+modpath)
	return []string{"v1.0.0"}, nil
}

// TestLoadRegistryParts: what comes with kumiki is asked of nobody, all else of the
// registry, which is opened once; and what it says is passed on if it cannot be.
func TestLoadRegistryParts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	model, other, below := modpkg.MustNewVersion("kumori.systems/kumori@v1", "v1.0.7"), modpkg.MustNewVersion("example.org/lib@v1", "v1.2.0"), modpkg.MustNewVersion("kumori.systems/kumori/more@v1", "v1.0.0")
	next, opened := &fakeRegistry{}, 0
	r := newRegistry(testLibrary())
	r.open = func() (modconfig.Registry, error) { opened++; return next, nil }
	f, err := r.ModFile(ctx, model)
	require.NoError(t, err)
	require.Equal(t, "kumori.systems/kumori@v1", f.QualifiedModule())
	loc, err := r.Fetch(ctx, model)
	require.NoError(t, err)
	text, err := fs.ReadFile(loc.FS, "artifact.cue")
	require.NoError(t, err)
	require.Contains(t, string(text), "package kumori")
	versions, err := r.ModuleVersions(ctx, "kumori.systems/kumori@v1")
	require.NoError(t, err)
	require.Equal(t, []string{"v1.0.11"}, versions)
	require.Zero(t, opened)
	for _, mv := range []modpkg.Version{other, below} {
		f, err = r.ModFile(ctx, mv)
		require.NoError(t, err)
		require.Equal(t, mv.Path(), f.Module)
		_, err = r.Fetch(ctx, mv)
		require.NoError(t, err)
		versions, err = r.ModuleVersions(ctx, mv.Path())
		require.NoError(t, err)
		require.Equal(t, []string{"v1.0.0"}, versions)
	}
	require.Equal(t, 1, opened)
	require.Equal(t, []string{
		"file example.org/lib@v1.2.0", "fetch example.org/lib@v1.2.0", "versions example.org/lib@v1",
		"file kumori.systems/kumori/more@v1.0.0", "fetch kumori.systems/kumori/more@v1.0.0", "versions kumori.systems/kumori/more@v1",
	}, next.asked)

	r = newRegistry(testLibrary())
	r.open = func() (modconfig.Registry, error) { return nil, errors.New("closed") }
	_, err = r.ModFile(ctx, other)
	require.EqualError(t, err, "closed")
	_, err = r.Fetch(ctx, other)
	require.EqualError(t, err, "closed")
	_, err = r.ModuleVersions(ctx, other.Path())
	require.EqualError(t, err, "closed")
	_, err = r.fetch("example.org/lib", "1.2.0")
	require.EqualError(t, err, "closed")
}

// TestLoadFetch says where a module of a registry lies, or why it is nowhere.
func TestLoadFetch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path       string
		files      fs.FS
		want, fail string
	}{
		{"example.org/lib", virtualFS{fstest.MapFS{}, "/cache"}, "/cache/sub", ""},
		{"example.org/lib", virtualFS{fstest.MapFS{}, ""}, "", "the registry keeps example.org/lib@v1.2.0 in no directory"},
		{"example.org/lib", fstest.MapFS{}, "", "the registry keeps example.org/lib@v1.2.0 in no directory"},
		{"example.org/Lib", virtualFS{fstest.MapFS{}, "/cache"}, "", "malformed module path \"example.org/Lib@v1\": invalid char 'L'"},
	} {
		r := newRegistry(testLibrary())
		r.next = &fakeRegistry{loc: modpkg.SourceLoc{FS: test.files, Dir: "sub"}}
		got, err := r.fetch(test.path, "1.2.0")
		require.Equal(t, test.want, got)
		if test.fail == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, test.fail)
		}
	}
}

// TestLoadOverlayFails: what CUE's loader is to see beside a module can be wrong.
func TestLoadOverlayFails(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"good/cue.mod/module.cue": "module: \"example.com/shop@v1\"\nlanguage: version: \"v0.12.0\"\n", "bad/cue.mod/module.cue": "]", "none/x": ""})
	l := newLoader(Input{Dir: root}, testLibrary())
	for dir, want := range map[string]string{"bad": "invalid module file syntax", "none": "no such file or directory"} {
		_, _, err := l.registry.locate(l.peek(filepath.Join(root, dir)), "example.org/lib:lib")
		require.ErrorContains(t, err, want)
	}
	l.registry.library.files = fstest.MapFS{}
	_, err := l.registry.overlay(l.peek(filepath.Join(root, "good")))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestLoadRegistryDir: the file that names a registry is looked for from the main
// module on, wherever the deployment lies in it.
func TestLoadRegistryDir(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest})
	l := newLoader(Input{Dir: filepath.Join(root, "d")}, testLibrary())
	_, problems := l.load()
	require.Empty(t, problems)
	require.Equal(t, root, l.registry.dir)
}
