package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"

	"kumiki.dev/load"
	"kumiki.dev/module/catalog"
)

// maxMoves bounds how often an artifact is followed to where it was moved.
const maxMoves = 10

// Found is the artifact that a reference was resolved to.
type Found struct {
	// Module is the module in the version that was taken.
	Module module.Version
	// Path is the artifact's, module and directory.
	Path string
	// Import is how the artifact's package is imported.
	Import string
	// Moved tells that it has another path than it had, which the reference has.
	Moved bool
	// Deprecated says what to use in its place, "" if it is not deprecated.
	Deprecated string
}

// Resolve finds the artifact that a reference stands for: in the innermost
// module that its path can be in, in the version with the highest PATCH. An
// artifact that was moved is followed, as the index and the modules say.
func Resolve(ctx context.Context, reg Registry, s Settings, ref Reference) (Found, error) {
	places, err := s.Full(ref.Path)
	if err != nil {
		return Found{}, err
	}
	index, err := readIndex(s)
	if err != nil {
		return Found{}, err
	}
	var absent error
	for _, at := range places {
		found, err := follow(ctx, reg, index, ref, at)
		if !errors.As(err, new(noModule)) {
			return found, err
		}
		absent = cmp.Or(absent, err)
	}
	return Found{}, absent
}

// follow finds an artifact from where it was.
func follow(ctx context.Context, reg Registry, index *catalog.Index, ref Reference, at string) (Found, error) {
	moved := false
	for range maxMoves {
		next, again := index.Moved(at)
		if next == at {
			found, to, err := resolve(ctx, reg, ref, at)
			if err != nil || to == "" {
				found.Moved = found.Moved || moved
				return found, err
			}
			next, again = to, true
		}
		at, moved = next, moved || again
	}
	return Found{}, fmt.Errorf("%s has moved too often: the last place is %s", ref, at)
}

// readIndex reads the index that the settings name; without one it is empty.
func readIndex(s Settings) (*catalog.Index, error) {
	if s.Index == "" {
		return catalog.New(), nil
	}
	return ReadIndexFile(s.Index)
}

// ReadIndexFile reads a file with an index.
func ReadIndexFile(name string) (*catalog.Index, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > catalog.MaxSize {
		return nil, fmt.Errorf("%s is expected to be a file of no more than %d bytes", name, catalog.MaxSize)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	ix, err := catalog.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return ix, nil
}

// resolve finds the artifact with a full path, or where else to look for it.
func resolve(ctx context.Context, reg Registry, ref Reference, full string) (found Found, elsewhere string, err error) {
	var seen []string
	for p := full; strings.Contains(p, "/"); p = path.Dir(p) {
		p, full := strings.ToLower(p), strings.ToLower(p)+full[len(p):] // module paths have no capitals
		versions, err := reg.ModuleVersions(ctx, p)
		if err != nil && !errors.Is(err, modregistry.ErrNotFound) {
			return found, "", fmt.Errorf("%s: %w", p, err)
		}
		if len(versions) == 0 {
			continue
		}
		best, err := ref.highest(versions)
		if err != nil {
			return found, "", err
		}
		if best == "" {
			seen = append(seen, fmt.Sprintf("%s has %s", p, strings.Join(versions, ", ")))
			continue
		}
		v, err := module.NewVersion(p+"@"+major(best), best)
		if err != nil {
			return found, "", err
		}
		return placed(ctx, reg, v, full)
	}
	if seen != nil {
		return found, "", fmt.Errorf("%s: no such version is published; %s. A higher MINOR is not taken by itself: ask for it", ref, strings.Join(seen, "; "))
	}
	return found, "", noModule{ref, full}
}

// noModule says that there is no module that a reference may be of.
type noModule struct {
	ref  Reference
	full string
}

// Error implements error.
func (e noModule) Error() string {
	return fmt.Sprintf("%s: no module %s or above it is published", e.ref, e.full)
}

// placed finds the artifact with a full path in a module, whose file says what
// its collections are and what has moved.
func placed(ctx context.Context, reg Registry, v module.Version, full string) (found Found, elsewhere string, err error) {
	f, err := reg.ModFile(ctx, v)
	if err != nil {
		return found, "", fmt.Errorf("%s: %w", v, err)
	}
	notes, err := catalog.NotesOf(f)
	if err != nil {
		return found, "", fmt.Errorf("%s: %w", v, err)
	}
	dir, _ := catalog.Within(v.BasePath(), full)
	dir, moved := notes.Place(dir)
	now := dir
	if moved { // maybe to another module
		here := false
		if now, here = catalog.Within(v.BasePath(), catalog.Full(v.BasePath(), dir)); !here {
			return found, dir, nil
		}
	}
	found, err = artifactIn(ctx, reg, v, now)
	found.Moved, found.Deprecated = moved, notes.Deprecated[now]
	return found, "", err
}

// artifactIn finds the artifact in a directory of a module.
func artifactIn(ctx context.Context, reg Registry, v module.Version, dir string) (Found, error) {
	root, err := rootOf(ctx, reg, v)
	if err != nil {
		return Found{}, err
	}
	survey, problems := load.Look(root)
	if survey == nil || problems.HasErrors() {
		return Found{}, fmt.Errorf("%s: %s", v, problems[0].Message)
	}
	all := survey.Artifacts()
	i := slices.IndexFunc(all, func(p load.SurveyPackage) bool { return p.Dir == path.Clean(dir) })
	if i < 0 {
		var names []string
		for _, p := range all {
			names = append(names, p.Dir)
		}
		return Found{}, fmt.Errorf("%s has no artifact in %s; it has some in: %s", v, path.Clean(dir), strings.Join(names, ", "))
	}
	full := path.Join(v.BasePath(), dir)
	return Found{Module: v, Path: full, Import: fmt.Sprintf("%s@%s:%s", full, major(v.Version()), all[i].Name)}, nil
}

// DirectoryOf fetches what was found, and returns the directory of its package.
func DirectoryOf(ctx context.Context, reg Registry, found Found) (string, error) {
	root, err := rootOf(ctx, reg, found.Module)
	if err != nil {
		return "", err
	}
	dir, _ := catalog.Within(found.Module.BasePath(), found.Path)
	return filepath.Join(root, filepath.FromSlash(dir)), nil
}

// Manifest writes a module to dir that deploys what was found under a name, and
// takes everything else from values.
func Manifest(ctx context.Context, reg Registry, dir, name string, found Found) error {
	m, err := Init(dir, "kumiki.local/"+name+"@v0")
	if err != nil {
		return fmt.Errorf("deployment %q: %w", name, err)
	}
	g, err := m.selected(ctx, reg, []module.Version{found.Module})
	if err != nil {
		return err
	}
	if err := m.require(g.Selected); err != nil {
		return err
	}
	if err := m.Write(); err != nil {
		return err
	}
	if err := m.lock(ctx, reg, g.Selected); err != nil { // what is compiled is what was looked at here
		return err
	}
	text := fmt.Sprintf("package deployment\n\nimport a %q\n\n#Deployment: {\n\tname:     %q\n\tartifact: a.#Artifact\n}\n", found.Import, name)
	return os.WriteFile(filepath.Join(dir, "deployment.cue"), []byte(text), 0o644)
}
