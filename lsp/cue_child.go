package lsp

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"cuelang.org/go/cmd/cue/cmd"
	"cuelang.org/go/mod/modregistrytest"
	"golang.org/x/tools/txtar"

	"kumiki.dev/internal/filter"
	"kumiki.dev/schema"
)

// CUE runs CUE's own language server over standard input and output. The model
// and the builtins, which come with kumiki, are served to it by a registry of
// its own on the loopback interface: it knows no other way to get them.
func CUE() (code int) {
	archive, err := modelArchive()
	if err != nil {
		return complain(err)
	}
	files, err := txtar.FS(archive)
	if err != nil {
		return complain(err)
	}
	registry, err := modregistrytest.New(files, "")
	if err != nil {
		return complain(err)
	}
	defer registry.Close()
	routes := []string{"kumori.systems=" + registry.Host() + "+insecure"}
	if r := os.Getenv("CUE_REGISTRY"); r != "" {
		routes = append(routes, r)
	}
	_ = os.Setenv("CUE_REGISTRY", strings.Join(routes, ","))
	if dir, err := os.UserCacheDir(); err == nil && os.Getenv("CUE_CACHE_DIR") == "" {
		// A cache for each version of the model: CUE never looks twice.
		digest := sha256.Sum256(txtar.Format(archive))
		_ = os.Setenv("CUE_CACHE_DIR", filepath.Join(dir, "kumiki", fmt.Sprintf("%x", digest[:8])))
	}
	c, err := cmd.New([]string{"lsp"})
	if err != nil {
		return complain(err)
	}
	if err := c.Execute(); err != nil {
		return 1
	}
	return 0
}

func complain(err error) int {
	fmt.Fprintf(os.Stderr, "kumiki: the language server of CUE: %v\n", err)
	return 1
}

// modelArchive is the modules that come with kumiki, as the registry wants them.
func modelArchive() (*txtar.Archive, error) {
	out := &txtar.Archive{}
	add := func(name string, data []byte) { out.Files = append(out.Files, txtar.File{Name: name, Data: data}) }
	for _, m := range schema.Modules() {
		root := strings.ReplaceAll(m.Path, "/", "_") + "_v" + m.Version
		add(path.Join(root, "cue.mod/module.cue"), []byte(moduleFile(m)))
		err := fs.WalkDir(schema.Files(), m.Path, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := fs.ReadFile(schema.Files(), name)
			add(path.Join(root, strings.TrimPrefix(name, m.Path+"/")), data)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// moduleFile is a module.cue; builtins need the model, which comes first.
func moduleFile(m schema.Module) string {
	text := fmt.Sprintf("module: %q\nlanguage: version: \"v0.12.0\"\n", m.Path+"@v1")
	if model := schema.Modules()[0]; m != model {
		text += requirement(model)
	}
	return text
}

func requirement(m schema.Module) string {
	return fmt.Sprintf("deps: %q: v: %q\n", m.Path+"@v1", "v"+m.Version)
}

// withModel is a module.cue that requires what comes with kumiki, which authors
// need not write; nil if there is nothing to add.
func withModel(text string) []byte {
	if !strings.Contains(text, "language") {
		return nil // of before CUE's modules
	}
	missing := filter.Out(schema.Modules(), func(m schema.Module) bool { return strings.Contains(text, `"`+m.Path+"@v1") })
	if len(missing) == 0 {
		return nil
	}
	for _, m := range missing {
		text = strings.TrimSuffix(text, "\n") + "\n" + requirement(m)
	}
	return []byte(text)
}
