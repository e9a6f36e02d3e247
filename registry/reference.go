package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/origin"
)

// Reference names a version of an artifact: "shop:v1.2", "data/kafka:v1",
// "example.org/data/kafka:v1.2.3".
type Reference struct {
	// Path is what comes before the colon.
	Path string
	// Version is what comes after it; omitted parts are zero.
	Version string
}

func (r Reference) String() string { return r.Path + ":" + r.Version }

// IsReference tells whether an argument can only be meant to be a reference: it
// has a colon, which no directory that is there has.
func IsReference(arg string) bool {
	if !strings.Contains(arg, ":") || filepath.VolumeName(arg) != "" {
		return false
	}
	_, err := os.Stat(arg)
	return errors.Is(err, fs.ErrNotExist)
}

// ParseReference reads a reference.
func ParseReference(s string) (Reference, error) {
	wrong := func(what string) error {
		return fmt.Errorf("reference %q %s; write NAME:VERSION, COLLECTION/NAME:VERSION or MODULE/NAME:VERSION, for example shop:v1.2", s, what)
	}
	at := strings.LastIndex(s, ":")
	if at < 0 {
		return Reference{}, wrong("has no version")
	}
	r := Reference{s[:at], s[at+1:]}
	if r.Version == "" || r.Version == "latest" {
		return r, wrong("has no version")
	}
	if _, err := parsePattern(r.Version); err != nil {
		return r, fmt.Errorf("reference %q: %w", s, err)
	}
	if r.Path == "" || !fs.ValidPath(r.Path) || r.Path == "." || strings.ContainsAny(r.Path, ":@\\ ") {
		return r, wrong("has no name that could be one")
	}
	return r, nil
}

// Settings say where modules come from and what short names stand for.
type Settings = origin.Settings

// ReadSettings reads the nearest [origin.SettingsFile] of a directory.
func ReadSettings(dir string) (Settings, error) { return origin.ReadSettings(dir) }

// Found is the artifact that a reference was resolved to.
type Found struct {
	// Module is the module in the version that was taken.
	Module module.Version
	// Import is how the artifact's package is imported.
	Import string
}

// Resolve finds the artifact that a reference stands for: in the innermost
// module that its path can be in, in the version with the highest PATCH.
func Resolve(ctx context.Context, reg Registry, s Settings, ref Reference) (Found, error) {
	full, err := s.Full(ref.Path)
	if err != nil {
		return Found{}, err
	}
	var seen []string
	for p := full; strings.Contains(p, "/"); p = path.Dir(p) {
		versions, err := reg.ModuleVersions(ctx, p)
		if err != nil && !errors.Is(err, modregistry.ErrNotFound) {
			return Found{}, fmt.Errorf("%s: %w", p, err)
		}
		if len(versions) == 0 {
			continue
		}
		best, err := HighestPatch(ref.Version, versions)
		if err != nil {
			return Found{}, err
		}
		if best == "" {
			seen = append(seen, fmt.Sprintf("%s has %s", p, strings.Join(versions, ", ")))
			continue
		}
		v, err := module.NewVersion(p+"@"+major(best), best)
		if err != nil {
			return Found{}, err
		}
		return artifactIn(ctx, reg, v, strings.TrimPrefix(strings.TrimPrefix(full, p), "/"))
	}
	if seen != nil {
		return Found{}, fmt.Errorf("%s: no such version is published; %s. A higher MINOR is not taken by itself: ask for it", ref, strings.Join(seen, "; "))
	}
	return Found{}, fmt.Errorf("%s: no module %s or above it is published", ref, full)
}

// artifactIn finds the artifact in a directory of a module.
func artifactIn(ctx context.Context, reg Registry, v module.Version, dir string) (Found, error) {
	root, err := rootOf(ctx, reg, v)
	if err != nil {
		return Found{}, err
	}
	survey, problems := compiler.Look(root)
	if survey == nil || problems.HasErrors() {
		return Found{}, fmt.Errorf("%s: %s", v, problems[0].Message)
	}
	all := survey.Artifacts()
	i := slices.IndexFunc(all, func(p compiler.SurveyPackage) bool { return p.Dir == path.Clean(dir) })
	if i < 0 {
		var names []string
		for _, p := range all {
			names = append(names, p.Dir)
		}
		return Found{}, fmt.Errorf("%s has no artifact in %s; it has some in: %s", v, path.Clean(dir), strings.Join(names, ", "))
	}
	return Found{v, fmt.Sprintf("%s@%s:%s", path.Join(v.BasePath(), dir), major(v.Version()), all[i].Name)}, nil
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
	text := fmt.Sprintf("package deployment\n\nimport a %q\n\n#Deployment: {\n\tname:     %q\n\tartifact: a.#Artifact\n}\n", found.Import, name)
	return os.WriteFile(filepath.Join(dir, "deployment.cue"), []byte(text), 0o644)
}
