package load

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/internal/benchapp"
)

// readable is a module with a deployment of its component.
var readable = benchapp.App{
	"cue.mod/module.cue":  "module: \"kumiki.example/bad@v1\"\nlanguage: version: \"v0.12.0\"\n",
	"c/artifact.cue":      "package component\n\n#Artifact: ref: name: \"any\"\n",
	"deploy/manifest.cue": "package deployment\n\nimport (\n\tk \"kumori.systems/kumori:kumori\"\n\tc \"kumiki.example/bad/c@v1:component\"\n)\n\n#Deployment: k.#Deployment & {name: \"bad\", artifact: c.#Artifact}\n",
}

// TestUnreadable takes the right to read one part after another: what can't be
// read is what is told, and not what is missing for that.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{".", `-: error: directory ".": permission denied [load/no-directory]`},
		{"deploy", `-: error: directory "deploy" can't be read: permission denied [load/no-directory]`},
		{"deploy/manifest.cue", `deploy/manifest.cue:1:1: error: "manifest.cue" can't be read: permission denied [load/file]`},
		{"cue.mod", `cue.mod/module.cue:1:1: error: module.cue can't be read: permission denied [load/module]`},
		{"cue.mod/module.cue", `cue.mod/module.cue:1:1: error: module.cue can't be read: permission denied [load/module]`},
		{"c", `deploy/manifest.cue:5:4: error: "kumiki.example/bad/c@v1:component": directory c can't be read: permission denied [load/import]`},
		{"c/artifact.cue", `c/artifact.cue:1:1: error: "artifact.cue" can't be read: permission denied [load/file]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			require.NoError(t, os.Chmod(filepath.Dir(root), 0o755)) // else the test's own user's alone
			require.NoError(t, readable.Write(root))
			name := filepath.Join(root, tt.name)
			require.NoError(t, os.Chmod(name, map[bool]os.FileMode{true: 0o111}[tt.name == "."])) // what is in the root can be found
			defer func() { require.NoError(t, os.Chmod(name, 0o755)) }()
			var folded diag.List
			unprivileged(func() {
				if _, err = os.Stat(root); err == nil {
					_, problems := Load(Input{Dir: filepath.Join(root, "deploy")})
					for _, p := range problems.Sorted().Fold() {
						p.Consequences = nil
						folded = append(folded, p)
					}
				}
			})
			if err != nil {
				t.Skipf("temporary files are root's alone: %v", err)
			}
			if diff := cmp.Diff(tt.want+"\n", list(folded, root)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnreadableParts takes the right to read parts of other modules, or of files
// that are found.
func TestUnreadableParts(t *testing.T) {
	t.Parallel()
	app := benchapp.App{
		"kmodule.cue":      "package kmodule\n{domain: \"example.com\", module: \"shop\", version: [1, 0, 0], dependencies: {\"example.org/lib\": {}, \"example.org/more\": {}}}\n",
		"d/m.cue":          "package deployment\nimport (\n\tl \"example.org/lib/db:component\"\n\tm \"example.org/more/db:component\"\n)\n#Deployment: {name: \"x\", artifact: l.#Artifact, x: m.#Artifact}\n",
		"other/secret.cue": "package secret\n",
		"cue.mod/pkg/example.org/lib/kmodule.cue": "package kmodule\n{domain: \"example.org\", module: \"lib\", version: [1, 0, 0]}\n",
		"cue.mod/pkg/example.org/lib/db/c.cue":    "package component\n#Artifact: ref: name: \"db\"\n",
		"more/a/kmodule.cue":                      "package kmodule\n{domain: \"example.org\", module: \"more\", version: [1, 0, 0]}\n",
		"more/a/db/c.cue":                         "package component\n#Artifact: ref: name: \"db\"\n",
	}
	tests := []struct {
		name string
		mode os.FileMode
		want string
	}{
		{"cue.mod/pkg/example.org/lib", 0o311, `d/m.cue:3:4: error: module example.org/lib: permission denied [load/import]`},
		{"more/a", 0o311, `d/m.cue:4:4: error: the module of "example.org/more/db:component" was not found in cue.mod/pkg and the given module directories; kmodule.cue declares example.org/more, so put it at cue.mod/pkg/example.org/more/@1.0.0, or name a directory that holds it (--modules DIR) [load/module-not-found]`},
		{"cue.mod/pkg/example.org/lib/db", 0o444, `d/m.cue:3:4: error: "example.org/lib/db:component": directory db can't be read: permission denied [load/import]`},
		{"other/secret.cue", 0, `d/secret.cue:1:1: error: "secret.cue" can't be read: permission denied [load/file]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			require.NoError(t, os.Chmod(filepath.Dir(root), 0o755)) // else the test's own user's alone
			require.NoError(t, app.Write(root))
			require.NoError(t, os.Symlink("../other/secret.cue", filepath.Join(root, "d/secret.cue")))
			name := filepath.Join(root, tt.name)
			require.NoError(t, os.Chmod(name, tt.mode))
			defer func() { require.NoError(t, os.Chmod(name, 0o755)) }()
			var problems diag.List
			unprivileged(func() {
				if _, err = os.Stat(root); err == nil {
					_, problems = Load(Input{Dir: filepath.Join(root, "d"), Modules: []string{filepath.Join(root, "more")}})
				}
			})
			if err != nil {
				t.Skipf("temporary files are root's alone: %v", err)
			}
			if diff := cmp.Diff(tt.want+"\n", list(problems.Sorted(), root)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLoadSpecialFile: what a name that ends in .cue is, if no file, is told.
func TestLoadSpecialFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, readable.Write(root))
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "deploy/pipe.cue"), 0o644))
	require.NoError(t, os.Symlink("pipe.cue", filepath.Join(root, "deploy/link.cue")))
	require.NoError(t, os.Symlink("absent.cue", filepath.Join(root, "deploy/nowhere.cue")))
	_, problems := Load(Input{Dir: filepath.Join(root, "deploy")})
	want := `deploy/link.cue:1:1: error: "link.cue" is neither a file nor a link to one [load/file]
deploy/nowhere.cue:1:1: error: "nowhere.cue" is a link that leads out of the module or nowhere; put a copy of the file here, or import the package that it belongs to [load/outside-module]
deploy/pipe.cue:1:1: error: "pipe.cue" is neither a file nor a link to one [load/file]
`
	if diff := cmp.Diff(want, list(problems.Sorted(), root)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// unprivileged calls f on a thread that has no more rights to files than anybody:
// root may read everything.
func unprivileged(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock it: the thread ends with the goroutine
		if os.Getuid() == 0 {
			_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
		}
		f()
	}()
	<-done
}
