package load

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cuelang.org/go/mod/modconfig"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// FuzzLoad loads a txtar of sources: no input makes the loader panic, hang, or
// return a program without a root.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/load/*.txtar")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	for _, manifest := range []string{
		"#Deployment: \"\\(1) (\n()",
		"import \"...\"\nx: y",
		"import (\n",
		"@if(\n)\npackage x",
		"a: @b({[(",
		"#Deployment: [for x in {[...]:}]",
	} {
		f.Add([]byte("-- kmodule.cue --\n" + testKModule + "-- a.cue --\npackage deployment\n" + manifest + "\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		in := Input{Dir: root, Modules: []string{root}, Overlay: map[string][]byte{}}
		for i, file := range txtar.Parse(data).Files {
			name := filepath.FromSlash(file.Name)
			if i == 20 || !filepath.IsLocal(name) {
				return
			}
			// Unsaved buffers, since writing files takes most of the time.
			in.Overlay[filepath.Join(root, name)] = file.Data
			if filepath.Base(name) == "manifest.cue" {
				in.Dir = filepath.Join(root, filepath.Dir(name))
			}
		}
		l := newLoader(in, testLibrary())
		l.registry.open = func() (modconfig.Registry, error) { return nil, errors.New("no registry") }
		start := time.Now()
		p, problems := l.load()
		require.Less(t, time.Since(start), 5*Slower*time.Second)
		if p == nil {
			require.NotEmpty(t, problems)
			return
		}
		require.NotNil(t, p.Root)
		for _, k := range p.Packages {
			for path, imp := range k.Imports {
				require.Equal(t, path, imp.Path)
			}
		}
	})
}
