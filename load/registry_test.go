package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"cuelang.org/go/cue/load"
	"cuelang.org/go/mod/modconfig"
	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/modregistrytest"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// published is what the registry of the tests holds.
const published = `
-- example.org_lib_v1.0.0/cue.mod/module.cue --
module: "example.org/lib@v1"
language: version: "v0.16.0"
-- example.org_lib_v1.0.0/lib.cue --
package lib
#Artifact: ref: name: "old"
-- example.org_lib_v1.0.0/db/c.cue --
package component
#Artifact: ref: name: "old"
-- example.org_lib_v1.2.0/cue.mod/module.cue --
module: "example.org/lib@v1"
language: version: "v0.16.0"
deps: "kumori.systems/kumori@v1": v: "v1.0.3"
-- example.org_lib_v1.2.0/lib.cue --
package lib
#Artifact: ref: name: "lib"
-- example.org_lib_v1.2.0/db/c.cue --
package component
import k "kumori.systems/kumori"
#Artifact: {ref: name: "db", description: k.#Volume}
-- example.org_mid_v0.1.0/cue.mod/module.cue --
module: "example.org/mid@v0"
language: version: "v0.16.0"
deps: "example.org/lib@v1": v: "v1.2.0"
-- example.org_mid_v0.1.0/svc/s.cue --
package service
import "example.org/lib/db@v1:component"
#Artifact: {ref: name: "svc", description: component.#Artifact}
-- example.org_bare_v0.3.0/cue.mod/module.cue --
module: "example.org/bare@v0"
language: version: "v0.16.0"
-- example.org_bare_v0.3.0/db/c.cue --
package component
import k "kumori.systems/kumori"
#Artifact: {ref: name: "bare", description: k.#Volume}
-- example.org_kam_v3.0.1/cue.mod/module.cue --
module: "example.org/kam@v3"
language: version: "v0.16.0"
-- example.org_kam_v3.0.1/kmodule.cue --
package kmodule
{domain: "example.org", module: "kam", version: [3, 0, 1]}
-- example.org_kam_v3.0.1/db/c.cue --
package component
import b ".../base:component"
#Artifact: {ref: name: "db", description: b.#Artifact}
-- example.org_kam_v3.0.1/base/c.cue --
package component
#Artifact: ref: name: "base"
`

// testRegistry returns the way to a registry that serves published over the
// loopback interface.
func testRegistry(t *testing.T) func() (modconfig.Registry, error) {
	t.Helper()
	files := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(published)).Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	server, err := modregistrytest.New(files, "")
	require.NoError(t, err)
	t.Cleanup(server.Close)
	cache := t.TempDir()
	t.Cleanup(func() { makeWritable(cache) })
	return func() (modconfig.Registry, error) {
		return modconfig.NewRegistry(&modconfig.Config{
			Env: []string{"CUE_REGISTRY=" + server.Host() + "+insecure", "CUE_CACHE_DIR=" + cache},
		})
	}
}

// makeWritable lets the test remove CUE's cache, which is read-only.
func makeWritable(dir string) {
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			_ = os.Chmod(path, 0o777)
		}
		return nil
	})
}

func TestLoadRegistry(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, module, path string
		want               []string // the paths of the packages
		problems           []string
	}{
		{
			name:   "native",
			module: "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.2.0\"\n",
			path:   `"example.org/lib/db:component"`,
			want:   []string{"example.com/shop/prod:deployment", "example.org/lib/db@v1.2.0:component", "kumori.systems/kumori:kumori"},
		},
		{
			name:   "native, the versions selected by CUE",
			module: "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/mid@v0\": v: \"v0.1.0\"\n",
			path:   `"example.org/mid/svc@v0:service"`,
			want:   []string{"example.com/shop/prod:deployment", "example.org/lib/db@v1.2.0:component", "example.org/mid/svc@v0.1.0:service", "kumori.systems/kumori:kumori"},
		},
		{
			name:   "native, a kam module",
			module: "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/kam@v3\": v: \"v3.0.1\"\n",
			path:   `"example.org/kam/db:component"`,
			want:   []string{"example.com/shop/prod:deployment", "example.org/kam/base@v3.0.1:component", "example.org/kam/db@v3.0.1:component", "kumori.systems/kumori:kumori"},
		},
		{
			name:   "native, a module that does not declare what comes with kumiki",
			module: "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: {\"example.org/bare@v0\": v: \"v0.3.0\", \"kumori.systems/kumori@v1\": v: \"v1.0.2\"}\n",
			path:   `"example.org/bare/db:component"`,
			want:   []string{"example.com/shop/prod:deployment", "example.org/bare/db@v0.3.0:component", "kumori.systems/kumori:kumori"},
		},
		{
			name:   "native, as the module itself",
			module: "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/bare@v0\": v: \"v0.3.0\"\n",
			path:   `"example.org/bare/db:component"`,
			want:   []string{"example.com/shop/prod:deployment", "example.org/bare/db@v0.3.0:component", "kumori.systems/kumori:kumori"},
		},
		{
			name:     "native, not declared",
			module:   "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\n",
			path:     `"example.org/lib/db:component"`,
			problems: []string{"load/module-not-found prod/m.cue:2:10"},
		},
		{
			name:     "native, of before CUE's module system",
			module:   "module: \"example.com/shop\"\n",
			path:     `"example.org/lib/db:component"`,
			problems: []string{"load/module-not-found prod/m.cue:2:10"},
		},
		{
			name:   "native, another version than the declared one",
			module: "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.2.0\"\n",
			path:   `"example.org/lib/@1.0.0/db:component"`,
			want:   []string{"example.com/shop/prod:deployment", "example.org/lib/db@v1.0.0:component", "kumori.systems/kumori:kumori"},
		},
		{
			name:   "native, the package at the root",
			module: "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.2.0\"\n",
			path:   `"example.org/lib"`,
			want:   []string{"example.com/shop/prod:deployment", "example.org/lib@v1.2.0:lib", "kumori.systems/kumori:kumori"},
		},
		{
			name:   "native, the package at the root in another version",
			module: "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.2.0\"\n",
			path:   `"example.org/lib/@1.0.0"`,
			want:   []string{"example.com/shop/prod:deployment", "example.org/lib@v1.0.0:lib", "kumori.systems/kumori:kumori"},
		},
		{
			name:   "native, by its major version",
			module: "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.0.0\"\n",
			path:   `"example.org/lib/db@v1:component"`,
			want:   []string{"example.com/shop/prod:deployment", "example.org/lib/db@v1.0.0:component", "kumori.systems/kumori:kumori"},
		},
		{
			name:     "native, another major version than the declared one",
			module:   "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.0.0\"\n",
			path:     `"example.org/lib/db@v2:component"`,
			problems: []string{"load/module-not-found prod/m.cue:2:10"},
		},
		{
			name:     "native, no such package in the module",
			module:   "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.0.0\"\n",
			path:     `"example.org/lib/bd:component"`,
			problems: []string{"load/import prod/m.cue:2:10"},
		},
		{
			name: "kam",
			path: `"example.org/kam/db:component"`,
			want: []string{"example.com/shop/prod:deployment", "example.org/kam/base@v3.0.1:component", "example.org/kam/db@v3.0.1:component", "kumori.systems/kumori:kumori"},
		},
		{
			name:     "kam, no such version",
			path:     `"example.org/lib/@1.0.7/db:component"`,
			problems: []string{"load/module-not-found prod/m.cue:2:10"},
		},
	}
	open := testRegistry(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"prod/m.cue": "package deployment\nimport x " + test.path + "\n#Deployment: {name: \"x\", artifact: x.#Artifact}\n"}
			if test.module != "" {
				files["cue.mod/module.cue"] = test.module
			} else {
				files["kmodule.cue"] = "package kmodule\n{domain: \"example.com\", module: \"shop\", version: [1, 0, 0], dependencies: \"example.org/kam\": {target: \"example.org/kam/@3.0.1\"}}\n"
			}
			root := tree(t, files)
			l := newLoader(Input{Dir: filepath.Join(root, "prod")}, testLibrary())
			l.registry.open = open
			p, problems := l.load()
			if diff := cmp.Diff(test.problems, codes(problems, root)); diff != "" {
				t.Fatalf("(-want +got):\n%s\n%s", diff, list(problems, root))
			}
			if test.problems != nil {
				return
			}
			var got []string
			for _, k := range p.Packages {
				got = append(got, k.Path)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			builds(t, p)
		})
	}
}

// TestLoadRegistryNamed checks that CUE_REGISTRY counts where the input names no
// registry, and what the input names where it does.
func TestLoadRegistryNamed(t *testing.T) {
	root := tree(t, map[string]string{
		"kmodule.cue": "package kmodule\n{domain: \"example.com\", module: \"shop\", version: [1, 0, 0], dependencies: \"example.org/lib\": {target: \"example.org/lib/@1.0.0\"}}\n",
		"m.cue":       "package deployment\nimport x \"example.org/lib/db:component\"\n#Deployment: {name: \"x\", artifact: x.#Artifact}\n",
	})
	t.Setenv("CUE_REGISTRY", filepath.Join(root, "absent"))
	_, problems := newLoader(Input{Dir: root}, testLibrary()).load()
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Message, filepath.Join(root, "absent"))
	given, err := testRegistry(t)()
	require.NoError(t, err)
	p, problems := newLoader(Input{Dir: root, Registry: given}, testLibrary()).load()
	require.Empty(t, problems)
	require.Equal(t, "example.org/lib/db@v1.0.0:component", p.Packages[1].Path)
}

// TestLoadRegistryUnsaved checks that a module.cue which is not saved yet says what
// is taken.
func TestLoadRegistryUnsaved(t *testing.T) {
	t.Parallel()
	const module = "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: "
	root := tree(t, map[string]string{
		"cue.mod/module.cue": module + "\"v1.0.0\"\n",
		"m.cue":              "package deployment\nimport x \"example.org/lib/db:component\"\n#Deployment: {name: \"x\", artifact: x.#Artifact}\n",
	})
	open := testRegistry(t)
	for unsaved, want := range map[string]string{"": "example.org/lib/db@v1.0.0:component", module + "\"v1.2.0\"\n": "example.org/lib/db@v1.2.0:component"} {
		in := Input{Dir: root, Overlay: map[string][]byte{}}
		if unsaved != "" {
			in.Overlay[filepath.Join(root, "cue.mod/module.cue")] = []byte(unsaved)
		}
		l := newLoader(in, testLibrary())
		l.registry.open = open
		p, problems := l.load()
		require.Empty(t, problems, list(problems, root))
		require.Equal(t, want, p.Packages[1].Path)
		require.Contains(t, outline(p, root), fmt.Sprintf("version: *[1, %s, 0]", want[len("example.org/lib/db@v1."):][:1]))
	}
}

// TestLoadRegistryVendored: what a native module in cue.mod/pkg takes from the
// registry is what its own module.cue says, if the main module has none.
func TestLoadRegistryVendored(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{
		"kmodule.cue": "package kmodule\n{domain: \"example.com\", module: \"shop\", version: [1, 0, 0], dependencies: \"example.org/app\": {}}\n",
		"m.cue":       "package deployment\nimport x \"example.org/app/svc:service\"\n#Deployment: {name: \"x\", artifact: x.#Artifact}\n",
		"cue.mod/pkg/example.org/app/cue.mod/module.cue": "module: \"example.org/app@v0\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.2.0\"\n",
		"cue.mod/pkg/example.org/app/svc/s.cue":          "package service\nimport \"example.org/lib/db:component\"\n#Artifact: {ref: name: \"svc\", description: component.#Artifact}\n",
	})
	l := newLoader(Input{Dir: root}, testLibrary())
	l.registry.open = testRegistry(t)
	p, problems := l.load()
	require.Empty(t, problems, list(problems, root))
	require.Equal(t, "example.org/lib/db@v1.2.0:component", p.Packages[2].Path)
}

// TestLoadLocked: what comes from a registry is compared with the lock.
func TestLoadLocked(t *testing.T) {
	t.Parallel()
	open := testRegistry(t)
	for _, file := range []map[string]string{
		{"cue.mod/module.cue": "module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.2.0\"\n"},
		{"kmodule.cue": "package kmodule\n{domain: \"example.com\", module: \"shop\", version: [1, 0, 0], dependencies: \"example.org/lib\": {target: \"example.org/lib/@1.2.0\"}}\n"},
	} {
		file["m.cue"] = "package deployment\nimport x \"example.org/lib/db:component\"\n#Deployment: {name: \"x\", artifact: x.#Artifact}\n"
		file[LockFile] = "example.org/lib@v1.2.0 sha256:0\n"
		root := tree(t, file)
		l := newLoader(Input{Dir: root}, testLibrary())
		l.registry.open = open
		_, problems := l.load()
		require.Equal(t, []string{"load/locked m.cue:2:10"}, codes(problems, root))
	}
}

// TestLoadRegistryOverlay shows what CUE's loader sees beside a module's files: those of
// the modules that come with kumiki, and a module.cue that requires these, unless it
// names a version of its own or is of before modules.
func TestLoadRegistryOverlay(t *testing.T) {
	t.Parallel()
	const module = "module: \"example.com/shop@v0\"\nlanguage: version: \"v0.9.0\"\n"
	const inbound, model, lib = "kumori.systems/builtins/inbound@v1 v1.1.0", "kumori.systems/kumori@v1 v1.0.", "example.org/lib@v1 v1.0.0"
	tests := []struct {
		name, text string
		want       []string // what module.cue requires, nil if none is made
	}{
		{"nothing required", module, []string{inbound, model + "11"}},
		{"another one required", module + "deps: \"example.org/lib@v1\": v: \"v1.0.0\"\n", []string{lib, inbound, model + "11"}},
		{"the model required", module + "deps: \"kumori.systems/kumori@v1\": v: \"v1.0.7\"\n", []string{inbound, model + "7"}},
		{"of before modules", "module: \"example.com/shop\"\n", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, map[string]string{"cue.mod/module.cue": test.text})
			l := newLoader(Input{Dir: root}, testLibrary())
			m, err := l.openModule(root)
			require.NoError(t, err)
			files, err := l.registry.overlay(m)
			require.NoError(t, err)
			name := filepath.Join(root, "cue.mod", "module.cue")
			if made := files[name]; test.want == nil {
				require.Nil(t, made)
			} else {
				require.Equal(t, test.want, required(t, fmt.Sprintf("%s", made)))
			}
			delete(files, name)
			want := map[string]load.Source{}
			for file, f := range testLibrary().files.(fstest.MapFS) {
				want[filepath.Join(virtualDir(""), filepath.FromSlash(file))] = load.FromBytes(f.Data)
			}
			require.Equal(t, want, files)
		})
	}
}

// required is what a module.cue requires: paths with versions, sorted.
func required(t *testing.T, text string) (out []string) {
	f, err := modfile.Parse([]byte(text), "module.cue")
	require.NoError(t, err)
	for dep, x := range f.Deps {
		out = append(out, dep+" "+x.Version)
	}
	slices.Sort(out)
	return out
}

// TestLoadReplaced checks that a replacement in cue.mod/local-module.cue counts.
func TestLoadReplaced(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{
		"shop/cue.mod/module.cue":       "module: \"example.com/shop\"\nlanguage: version: \"v0.17.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.2.0\"\n",
		"shop/cue.mod/local-module.cue": "deps: \"example.org/lib@v1\": {v: \"v1.2.0\", replaceWith: \"../lib\"}\n",
		"shop/m.cue":                    "package deployment\nimport x \"example.org/lib/db:component\"\n#Deployment: {name: \"x\", artifact: x.#Artifact}\n",
		"lib/cue.mod/module.cue":        "module: \"example.org/lib@v1\"\nlanguage: version: \"v0.16.0\"\n",
		"lib/db/c.cue":                  "package component\n#Artifact: ref: name: \"db\"\n",
	})
	l := newLoader(Input{Dir: filepath.Join(root, "shop")}, testLibrary())
	l.registry.open = func() (modconfig.Registry, error) { return nil, errors.New("nothing is to be fetched") }
	p, problems := l.load()
	require.Empty(t, problems, list(problems, root))
	builds(t, p)
}

// TestLoadLinks checks that cue.mod/pkg may be a link out of the module, as the
// vendor's tool makes it, and that a module behind two links is one module.
func TestLoadLinks(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{
		"shop/kmodule.cue":                         testKModule,
		"shop/cue.mod/usr/example.org/.keep":       "",
		"shop/m.cue":                               "package deployment\nimport x \"example.org/lib/db:component\"\nimport y \"example.org/lib/@1.0.0/db:component\"\n#Deployment: {name: \"x\", artifact: x.#Artifact, a: y.#Artifact}\n",
		"cache/example.org/lib/@1.0.0/kmodule.cue": "package kmodule\n{domain: \"example.org\", module: \"lib\", version: [1, 0, 0]}\n",
		"cache/example.org/lib/@1.0.0/db/c.cue":    "package component\n#Artifact: ref: name: \"db\"\n",
	})
	require.NoError(t, os.Symlink("../../cache", filepath.Join(root, "shop/cue.mod/pkg")))
	require.NoError(t, os.Symlink("../../../pkg/example.org/lib/@1.0.0", filepath.Join(root, "shop/cue.mod/usr/example.org/lib")))
	p, problems := newLoader(Input{Dir: filepath.Join(root, "shop")}, testLibrary()).load()
	require.Equal(t, []string{"load/undeclared-dependency shop/m.cue:2:10"}, codes(problems, root))
	require.Len(t, p.Packages, 3)
	require.Equal(t, filepath.Join(root, "cache/example.org/lib/@1.0.0/db/c.cue"), p.Packages[1].Files[0].Filename)
	require.Equal(t, Place{p.Packages[1].Module, filepath.Join(root, "cache/example.org/lib/@1.0.0"), filepath.Join(root, "shop/cue.mod/pkg/example.org/lib/@1.0.0")}, p.Places[1])
	builds(t, p)
}
