package load

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/mod/modconfig"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/internal/golden"
	"kumiki.dev/spread"
)

// testLibrary is a schema that is just large enough to be imported.
func testLibrary() library {
	return library{
		files: fstest.MapFS{
			"kumori.systems/kumori/artifact.cue": {Data: []byte(`package kumori
#Artifact: {spec: [1, 0], ref: {...}, description?: _}
#Deployment: {name: string, artifact: #Artifact, config?: _, ...}
#Volume: {volume: string}
`)},
			"kumori.systems/builtins/inbound/inbound.cue": {Data: []byte(`package service
import "kumori.systems/kumori"
#Artifact: {ref: name: "inbound", description: builtin: true, _v: kumori.#Volume}
`)},
			"kumori.systems/builtins/inbound/ports/ports.cue": {Data: []byte("package ports\nhttps: 443\n")},
		},
		modules: []libraryModule{{modelPath, "1.0.11"}, {"kumori.systems/builtins/inbound", "1.1.0"}},
	}
}

// TestLoad loads the trees in testdata/load and compares what is reported and
// what the program consists of.
func TestLoad(t *testing.T) {
	golden.Each(t, "testdata/load/*.txtar", func(t *testing.T, c *golden.Case) {
		in := Input{Dir: c.Dir(), Package: c.Setting("package")}
		for _, dir := range c.Settings["modules"] {
			in.Modules = append(in.Modules, filepath.Join(c.Root, dir))
		}
		l := newLoader(in, testLibrary())
		l.registry.open = func() (modconfig.Registry, error) { return nil, errors.New("nothing is fetched here") }
		p, problems := l.load()
		c.Check(t, "out/errors.txt", []byte(list(problems, c.Root)))
		c.Check(t, "out/program.txt", []byte(outline(p, c.Root)))
		if p != nil && !problems.HasErrors() {
			builds(t, p)
		}
	})
}

// list writes problems one a line, with file names relative to root.
func list(problems diag.List, root string) string {
	var b strings.Builder
	for _, d := range problems {
		fmt.Fprintf(&b, "%s: %s: %s [%s]\n", d.Pos, d.Severity, d.Message, d.Code)
		for _, r := range d.Related {
			fmt.Fprintf(&b, "    %s: %s\n", r.Pos, r.Message)
		}
	}
	out := strings.ReplaceAll(b.String(), root+string(filepath.Separator), "")
	return strings.ReplaceAll(out, root, ".")
}

// outline writes the packages of a program with their files and imports, and
// what is synthesized in full.
func outline(p *Program, root string) string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "root %s deployment=%v\n", p.Root.Path, p.Deployment)
	for _, m := range p.Modules {
		fmt.Fprintf(&b, "module %s@%s main=%v kam=%v\n", m.Path, m.Version, m.Main, m.Kam)
	}
	for _, k := range p.Packages {
		if k.Path == modelPath+":kumori" {
			continue
		}
		fmt.Fprintf(&b, "package %s missing=%v%s\n", k.Path, k.Missing, map[bool]string{true: " broken"}[k.Broken])
		for _, f := range k.Files {
			fmt.Fprintf(&b, "  %s\n", f.Filename)
			for _, d := range f.Decls {
				if a, ok := d.(*ast.Attribute); ok {
					fmt.Fprintf(&b, "    %s\n", a.Text)
				}
			}
			for spec := range f.ImportSpecs() {
				fmt.Fprintf(&b, "    %s %s\n", spec.Name.Name, spec.Path.Value)
			}
			if strings.HasPrefix(f.Filename, "kumiki:") {
				for _, d := range f.Decls {
					if field, ok := d.(*ast.Field); ok {
						src, _ := format.Node(field)
						fmt.Fprintf(&b, "    %s\n", src)
					}
				}
			}
		}
	}
	for _, place := range p.Places {
		if !place.Module.Main {
			fmt.Fprintf(&b, "place %s@%s %s\n", place.Module.Path, place.Module.Version, place.Dir)
		}
	}
	return strings.ReplaceAll(b.String(), root+string(filepath.Separator), "")
}

// builds checks that CUE can build and evaluate what was loaded.
func builds(t *testing.T, p *Program) {
	t.Helper()
	byPath := map[string]*build.Instance{}
	var ctx *build.Context
	var load func(k *spread.Package) *build.Instance
	load = func(k *spread.Package) *build.Instance {
		if inst := byPath[k.Path]; inst != nil {
			return inst
		}
		inst := ctx.NewInstance(k.Path, func(_ token.Pos, path string) *build.Instance {
			if imp := k.Imports[path]; imp != nil {
				return load(imp)
			}
			return nil
		})
		inst.ImportPath = k.Path
		byPath[k.Path] = inst
		for _, f := range k.Files {
			require.NoError(t, inst.AddSyntax(f))
		}
		require.NoError(t, inst.Complete())
		return inst
	}
	ctx = build.NewContext()
	require.NoError(t, cuecontext.New().BuildInstance(load(p.Root)).Validate())
}

// tree writes files below a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(files[name]), 0o644))
	}
	return root
}

const (
	testKModule  = "package kmodule\n{domain: \"example.com\", module: \"shop\", version: [1, 2, 3], spec: [1, 0], dependencies: \"kumori.systems/kumori\": {query: \"1.0.11\", target: \"kumori.systems/kumori/@1.0.11\"}}\n"
	testManifest = "package deployment\n#Deployment: {name: \"x\", artifact: {spec: [1, 0], ref: {}}}\n"
)

// codes lists the problems as CODE file:line:col.
func codes(problems diag.List, root string) []string {
	var out []string
	for _, d := range problems {
		pos := strings.TrimPrefix(d.Pos.String(), root+string(filepath.Separator))
		out = append(out, strings.TrimSpace(string(d.Code)+" "+pos))
	}
	return out
}

// TestLoadBadInput feeds what can't be written into a txtar.
func TestLoadBadInput(t *testing.T) {
	t.Parallel()
	const deep = 200_000
	tests := []struct {
		name  string
		files map[string]string
		make  func(t *testing.T, root string)
		dir   string
		want  []string
	}{
		{name: "absent directory", dir: "nowhere", want: []string{"load/no-directory -"}},
		{name: "a file", files: map[string]string{"a.cue": testManifest}, dir: "a.cue", want: []string{"load/no-directory -"}},
		{name: "no files", files: map[string]string{"kmodule.cue": testKModule, "d/README": ""}, dir: "d", want: []string{"load/no-files -"}},
		{name: "not UTF-8", files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest + "// caf\xe9\n"}, dir: "d", want: []string{"load/file d/a.cue:3:7"}},
		{name: "zero byte", files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest + "\x00"}, dir: "d", want: []string{"load/file d/a.cue:3:1"}},
		{name: "zero byte in what is imported", files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": "package deployment\nimport c \".../db:component\"\n#Deployment: {name: \"x\", artifact: c.#Artifact}\n", "db/c.cue": "package component\x00"}, dir: "d", want: []string{"load/file db/c.cue:1:18"}},
		{name: "zero byte without a module", files: map[string]string{"shop/d/a.cue": "package deployment\nimport c \"example.com/shop/db:component\"\x00\n", "shop/db/c.cue": "package component\n"}, dir: "shop/d", want: []string{"load/no-module -", "load/file shop/d/a.cue:2:41"}},
		{name: "zero byte in what is imported without a module", files: map[string]string{"shop/d/a.cue": "package deployment\nimport c \"example.com/shop/db:component\"\n#Deployment: {name: \"x\", artifact: c.#Artifact}\n", "shop/db/c.cue": "package component\n\x00"}, dir: "shop/d", want: []string{"load/no-module -", "load/module-not-found shop/d/a.cue:2:10"}},
		{name: "many mistakes", files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest + strings.Repeat("a: \"\\q\"\n", maxSyntaxErrors+1)}, dir: "d", want: slices.Collect(func(yield func(string) bool) {
			for i := range maxSyntaxErrors {
				if !yield(fmt.Sprintf("load/syntax d/a.cue:%d:6", 3+i)) {
					return
				}
			}
		})},
		{name: "too large", files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest, "d/b.cue": "package deployment\n" + strings.Repeat("\n", maxFile)}, dir: "d", want: []string{"load/file d/b.cue:1:1"}},
		{name: "brackets", files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest + "a: " + strings.Repeat("[", deep)}, dir: "d", want: []string{"load/file d/a.cue:3:10002"}},
		{name: "labels", files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest + strings.Repeat("a:", deep) + "1"}, dir: "d", want: []string{"load/file d/a.cue:3:10001"}},
		{name: "operators", files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest + "a: " + strings.Repeat("!", deep) + "true"}, dir: "d", want: []string{"load/file d/a.cue:3:10002"}},
		{name: "attribute", files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest + "a: 1 @b" + strings.Repeat("(", maxBrackets)}, dir: "d", want: []string{"load/file d/a.cue:1:1"}},
		{name: "directory with the name of a source", files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest, "d/b.cue/x": ""}, dir: "d", want: []string{"load/file d/b.cue:1:1"}},
		{
			name:  "link out of the module",
			files: map[string]string{"m/kmodule.cue": testKModule, "m/d/a.cue": testManifest, "b.cue": "package deployment\n"},
			make: func(t *testing.T, root string) {
				require.NoError(t, os.Symlink("../../b.cue", filepath.Join(root, "m/d/b.cue")))
			},
			dir: "m/d", want: []string{"load/outside-module m/d/b.cue:1:1"},
		},
		{
			name:  "link within the module",
			files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest, "b.cue": "package deployment\n"},
			make: func(t *testing.T, root string) {
				require.NoError(t, os.Symlink("../b.cue", filepath.Join(root, "d/c.cue")))
			},
			dir: "d",
		},
		{
			name: "unclosed interpolation", dir: "d", want: []string{"load/syntax d/a.cue:3:8", "load/syntax d/a.cue:4:2"},
			files: map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest + "a: \"\\(1) (\n()"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, test.files)
			if test.make != nil {
				test.make(t, root)
			}
			_, problems := newLoader(Input{Dir: filepath.Join(root, test.dir)}, testLibrary()).load()
			if diff := cmp.Diff(test.want, codes(problems, root)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, list(problems, root))
			}
		})
	}
}

// TestLoadLarge checks that a manifest of ten megabytes is nothing special.
func TestLoadLarge(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(testManifest)
	for i := 0; b.Len() < 10<<20; i++ {
		fmt.Fprintf(&b, "f%d: {text: %q, n: [1, 2, %d]}\n", i, strings.Repeat("x", 1000), i)
	}
	root := tree(t, map[string]string{"kmodule.cue": testKModule, "a.cue": b.String()})
	p, problems := newLoader(Input{Dir: root}, testLibrary()).load()
	require.Empty(t, problems)
	require.True(t, p.Deployment)
}

// TestLoadOverlay checks that unsaved buffers replace files and add new ones,
// new directories included.
func TestLoadOverlay(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"kmodule.cue": testKModule, "d/a.cue": "package deployment\nbroken: ("})
	in := Input{Dir: filepath.Join(root, "new"), Overlay: map[string][]byte{
		filepath.Join(root, "new", "a.cue"): []byte("package deployment\nimport c \".../db:component\"\n#Deployment: {name: \"x\", artifact: c.#Artifact}\n"),
		filepath.Join(root, "db", "c.cue"):  []byte("package component\n#Artifact: ref: name: \"db\"\n"),
	}}
	p, problems := newLoader(in, testLibrary()).load()
	require.Empty(t, problems)
	require.Equal(t, "example.com/shop/new:deployment", p.Root.Path)
	builds(t, p)
}

// TestLoadDigest checks what a package's digest depends on: names and contents
// of its own files, not where the module lies.
func TestLoadDigest(t *testing.T) {
	t.Parallel()
	digestOf := func(files map[string]string) string {
		p, problems := newLoader(Input{Dir: filepath.Join(tree(t, files), "d")}, testLibrary()).load()
		require.Empty(t, problems)
		return p.Root.Digest
	}
	base := digestOf(map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest})
	require.Equal(t, base, digestOf(map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest}))
	require.NotEqual(t, base, digestOf(map[string]string{"kmodule.cue": testKModule, "d/b.cue": testManifest}))
	require.NotEqual(t, base, digestOf(map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest + "\n"}))
	require.NotEqual(t, base, digestOf(map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest, "x.cue": "package deployment\n"}))
}
