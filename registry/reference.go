package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
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

// SettingsFile says where names that no module path comes before are looked
// for; it lies in the working directory or above.
const SettingsFile = "kumiki.registry.cue"

// Settings map short names to module paths.
type Settings struct {
	// Registry is what comes before a name: "example.org/artifacts".
	Registry string `json:"registry"`
	// Collections are what comes before the names of a collection. One that is
	// not there is a directory of the registry.
	Collections map[string]string `json:"collections"`
	// Index is a file with an index, in which artifacts are looked for and which
	// says what has moved; "" for none. In the settings file it is relative to it.
	Index string `json:"index"`
}

// ReadSettings reads the settings file of dir or the nearest directory above it
// that has one; without any the settings are empty.
func ReadSettings(dir string) (Settings, error) {
	var s Settings
	dir, err := filepath.Abs(dir)
	if err != nil {
		return s, err
	}
	for ; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, SettingsFile)
		text, err := os.ReadFile(name)
		switch {
		case err == nil:
			if s, err = parseSettings(text); err == nil && s.Index != "" && !filepath.IsAbs(s.Index) {
				s.Index = filepath.Join(dir, filepath.FromSlash(s.Index))
			}
			return s, err
		case !errors.Is(err, fs.ErrNotExist):
			return s, err
		case dir == filepath.Dir(dir):
			return s, nil
		}
	}
}

func parseSettings(text []byte) (s Settings, err error) {
	ctx := cuecontext.New()
	schema := ctx.CompileString("close({registry?: string, collections?: [string]: string, index?: string})")
	v := ctx.CompileBytes(text, cue.Filename(SettingsFile)).Unify(schema)
	if err := v.Validate(cue.Concrete(true)); err != nil {
		return s, fmt.Errorf("%w; it is expected to have registry: \"example.org/artifacts\" collections: NAME: \"example.org/…\" and index: \"index.json\"", err)
	}
	err = v.Decode(&s)
	return s, err
}

// Full is the path of the artifact that a reference's path stands for.
func (s Settings) Full(p string) (string, error) {
	first, rest, deep := strings.Cut(p, "/")
	if at, ok := s.Collections[first]; ok && deep && !strings.Contains(rest, "/") {
		return path.Join(at, rest), nil
	}
	if deep && strings.Contains(first, ".") {
		return p, nil
	}
	switch {
	case strings.Contains(rest, "/"):
		return "", fmt.Errorf("%s has more than a collection before the name; begin with the domain of its module, as in example.org/%s", p, p)
	case s.Registry == "":
		return "", fmt.Errorf("%s names no module; write MODULE/%s, or say with --registry, or with registry: in %s, where names are looked for", p, p, SettingsFile)
	}
	return path.Join(s.Registry, p), nil
}
