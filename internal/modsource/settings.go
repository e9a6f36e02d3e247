package modsource

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

// SettingsFile says where modules come from, and where names that no module path
// comes before are looked for; it lies in the working directory or above.
const SettingsFile = "kumiki.registry.cue"

// Settings are what a [SettingsFile] says.
type Settings struct {
	// Registry is what comes before a name: "example.org/artifacts".
	Registry string `json:"registry"`
	// Collections are what comes before the names of a collection. One that is
	// not there is a directory of the registry.
	Collections map[string]string `json:"collections"`
	// Directory is where modules come from, "" for where they usually do. A file
	// that comes with the sources names no other registry: it would be asked with
	// the user's logins, and what it says be kept in the user's cache.
	Directory string `json:"directory"`
	// Index is a file with an index, in which artifacts are looked for and which
	// says what has moved; "" for none.
	Index string `json:"index"`
}

// ReadSettings reads the settings file of dir or the nearest directory above it
// that has one; without any the settings are empty. Paths in it are taken
// from where it lies.
func ReadSettings(dir string) (Settings, error) {
	var s Settings
	dir, err := filepath.Abs(dir)
	if err != nil {
		return s, err
	}
	for ; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, SettingsFile)
		text, err := readSettingsFile(name)
		switch {
		case err == nil:
			s, err := parseSettings(text)
			for _, name := range []*string{&s.Directory, &s.Index} {
				if *name != "" && !filepath.IsAbs(*name) {
					*name = filepath.Join(dir, filepath.FromSlash(*name))
				}
			}
			return s, err
		case !errors.Is(err, fs.ErrNotExist):
			return s, err
		case dir == filepath.Dir(dir):
			return s, nil
		}
	}
}

// maxSettings bounds a settings file.
const maxSettings = 1 << 20

func readSettingsFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSettings {
		return nil, fmt.Errorf("%s is expected to be a file of no more than %d bytes", name, maxSettings)
	}
	return os.ReadFile(name)
}

func parseSettings(text []byte) (s Settings, err error) {
	ctx := cuecontext.New()
	schema := ctx.CompileString("close({registry?: string, collections?: [string]: string, directory?: string, index?: string})")
	v := ctx.CompileBytes(text, cue.Filename(SettingsFile)).Unify(schema)
	if err := v.Validate(cue.Concrete(true)); err != nil {
		return s, fmt.Errorf("%w; it is expected to have registry: \"example.org/artifacts\", collections: NAME: \"example.org/…\", directory: \"PATH\" and index: \"index.json\"", err)
	}
	err = v.Decode(&s)
	return s, err
}

// Full are the paths of the artifact that a reference's path may stand for, the
// likeliest first: what has a dot before the slash may be a domain or a collection.
func (s Settings) Full(p string) ([]string, error) {
	first, rest, deep := strings.Cut(p, "/")
	if at, ok := s.Collections[first]; ok && deep && !strings.Contains(rest, "/") {
		return []string{path.Join(at, rest)}, nil
	}
	if deep && strings.Contains(first, ".") {
		if s.Registry != "" && !strings.Contains(rest, "/") {
			return []string{p, path.Join(s.Registry, p)}, nil
		}
		return []string{p}, nil
	}
	switch {
	case strings.Contains(rest, "/"):
		return nil, fmt.Errorf("%s has more than a collection before the name; begin with the domain of its module, as in example.org/%s", p, p)
	case s.Registry == "":
		return nil, fmt.Errorf("%s names no module; write MODULE/%s, or say with --registry, or with registry: in %s, where names are looked for", p, p, SettingsFile)
	}
	return []string{path.Join(s.Registry, p)}, nil
}
