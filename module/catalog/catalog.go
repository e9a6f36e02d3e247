// Package catalog keeps indexes: files that say which artifacts modules have,
// what those serve and take, and where they are found, so that artifacts can be
// looked for without having the modules.
//
// Its input is a module on disk ([Of]) or an index ([Read]), its output an index.
package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/mod/module"
	"golang.org/x/mod/semver"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/sorting"
)

// Format is the first field of every index; what has another one is none.
const Format = "kumiki.index/v1"

// MaxSize bounds the bytes of an index that is read.
const MaxSize = 16 << 20

// Index is what modules have.
type Index struct {
	Format string `json:"format"`
	// Modules are sorted by path and version.
	Modules []Module `json:"modules"`
}

// Module is what a version of a module has.
type Module struct {
	// Path is its path with the major version: "example.com/shop@v1".
	Path string `json:"module"`
	// Version is "v1.2.3".
	Version string `json:"version"`
	Notes
	// Artifacts are sorted by directory.
	Artifacts []Artifact `json:"artifacts"`
}

// Artifact is a component or service of a module.
type Artifact struct {
	// Path is what a reference has before the version: "example.com/shop/site".
	Path string `json:"path"`
	// Import is how its package is imported.
	Import string `json:"import"`
	// Name and Kind are the artifact's: "site", "service".
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Collection is the name of the collection that it is in, "" for none.
	Collection string `json:"collection,omitempty"`
	// Doc is its doc comment, a paragraph an element.
	Doc []string `json:"doc,omitempty"`
	// Deprecated says what to use in its place, "" if it is not deprecated.
	Deprecated string `json:"deprecated,omitempty"`
	// Channels are in the order of sides and names.
	Channels []Channel `json:"channels,omitempty"`
	// Config is a JSON schema of what a deployment gives.
	Config json.RawMessage `json:"config,omitempty"`
}

// Channel is a channel of an artifact.
type Channel struct {
	Name     string `json:"name"`
	Side     string `json:"side"`
	Protocol string `json:"protocol,omitempty"`
	// Port is its number, or "by its config".
	Port string `json:"port,omitempty"`
}

// New makes an index of modules. One that is there twice counts once.
func New(modules ...Module) *Index {
	return &Index{Format: Format, Modules: sorting.Distinct(slices.Clone(modules), func(a, b Module) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), semver.Compare(a.Version, b.Version), strings.Compare(a.Version, b.Version))
	})}
}

// Bytes writes the index: the same bytes for the same index.
func (ix *Index) Bytes() ([]byte, error) { return jsondata.Indented(ix) }

// Read reads an index that anybody may have written.
func Read(data []byte) (*Index, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("the index has more than %d bytes", MaxSize)
	}
	var ix Index
	if err := json.Unmarshal(data, &ix); err != nil {
		return nil, fmt.Errorf("it is no index: %w; write one with kumiki index", err)
	}
	if ix.Format != Format {
		return nil, fmt.Errorf("it is no index: its format is %q, expected %q; write one with kumiki index", ix.Format, Format)
	}
	for _, m := range ix.Modules {
		if err := m.check(); err != nil {
			return nil, err
		}
	}
	return New(ix.Modules...), nil
}

func (m Module) check() error {
	if _, err := module.NewVersion(m.Path, m.Version); err != nil {
		return fmt.Errorf("the index has module %q in version %q: %w", m.Path, m.Version, err)
	}
	for _, a := range m.Artifacts {
		if a.Path != m.Base() && !strings.HasPrefix(a.Path, m.Base()+"/") || !fs.ValidPath(a.Path) {
			return fmt.Errorf("the index has artifact %q in module %s, which it can't be in", a.Path, m.Path)
		}
	}
	if err := m.Notes.check(); err != nil {
		return fmt.Errorf("the index of module %s: %w", m.Path, err)
	}
	return nil
}

// Base is the module's path without the major version.
func (m Module) Base() string {
	base, _, _ := ast.SplitPackageVersion(m.Path)
	return base
}

// Entry is an artifact of an index in a version.
type Entry struct {
	Version string `json:"version"`
	Artifact
}

// Reference is what the artifact is deployed by: "example.com/shop/site:v1.2.0".
func (e Entry) Reference() string { return e.Path + ":" + e.Version }

// Description is the first sentence of the doc comment.
func (e Entry) Description() string {
	if len(e.Doc) == 0 {
		return ""
	}
	if end := strings.Index(e.Doc[0], ". "); end >= 0 {
		return e.Doc[0][:end+1]
	}
	return e.Doc[0]
}

// Entries are all artifacts in the index, sorted by path and version.
func (ix *Index) Entries() []Entry {
	var out []Entry
	for _, m := range ix.Modules {
		for _, a := range m.Artifacts {
			out = append(out, Entry{m.Version, a})
		}
	}
	sorting.By(out, func(a, b Entry) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return semver.Compare(a.Version, b.Version)
	})
	return out
}

// InCollection are those of the artifacts that are in a collection; an error if there is no
// such collection, with those that there are.
func InCollection(entries []Entry, name string) ([]Entry, error) {
	var found []Entry
	known := map[string]bool{}
	for _, e := range entries {
		if known[e.Collection] = true; e.Collection == name {
			found = append(found, e)
		}
	}
	delete(known, "")
	if len(found) > 0 {
		return found, nil
	}
	there := "there is none"
	if len(known) > 0 {
		there = "there is " + strings.Join(sorting.Ordered(known), ", ")
	}
	return nil, fmt.Errorf("no artifact is in a collection %q: %s", name, there)
}

// Search returns the artifacts that every word is found in, in letters of any
// case: in the path, the name, the kind, the collection, the doc comment or the
// name of a channel.
func (ix *Index) Search(words ...string) []Entry {
	return filter.Out(ix.Entries(), func(e Entry) bool {
		texts := append([]string{e.Path, e.Name, e.Kind, e.Collection, e.Deprecated}, e.Doc...)
		for _, c := range e.Channels {
			texts = append(texts, c.Name)
		}
		text := strings.ToLower(strings.Join(texts, "\n"))
		return filter.Any(words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
	})

}

// Moved follows what the modules of the index say about paths of artifacts: the
// path where an artifact is now, and whether it was moved from there, which
// who uses the old path should know. The innermost module has the say, in its
// greatest version. A path that nothing is said about stays as it is.
func (ix *Index) Moved(artifact string) (now string, moved bool) {
	greatest := map[string]Module{} // the last of the sorted ones, by base
	for _, m := range ix.Modules {
		if _, ok := Within(m.Base(), artifact); ok {
			greatest[m.Base()] = m
		}
	}
	bases := slices.SortedFunc(maps.Keys(greatest), func(a, b string) int { return len(b) - len(a) })
	for _, base := range bases {
		dir, _ := Within(base, artifact)
		if to, moved := greatest[base].Place(dir); to != dir {
			return Full(base, to), moved
		}
	}
	return artifact, false
}

// Within is the directory that the path of an artifact has in a module, if it
// lies in it.
func Within(base, artifact string) (string, bool) {
	if artifact == base {
		return ".", true
	}
	return strings.CutPrefix(artifact, base+"/")
}

// Full is the path of an artifact that is named from within a module: one that
// begins with a domain is full already.
func Full(base, to string) string {
	if first, _, deep := strings.Cut(to, "/"); deep && strings.Contains(first, ".") {
		return to
	}
	return path.Join(base, to)
}
