// Package compose makes a module of a Compose file: a component for each of its
// services, a service that connects them, a deployment. What the model has no words for
// is listed, and nothing is dropped in silence.
//
// The file is somebody else's. Nothing is run and no network is asked; files are read
// from the directory of the Compose file only, and only those that it names; variables
// come from the file's own defaults and from .env beside it, never from the environment
// of the process.
package compose

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/compose-spec/compose-go/v2/types"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/module/scaffold"
)

// The most that is read of a Compose file, of a file that it mounts, of all of those,
// and how many services there may be.
const (
	maxFile     = 1 << 20
	maxMount    = 64 << 10
	maxMounted  = 512 << 10
	maxServices = 200
)

// Note is something of the Compose file that the module does not have, or has in another
// way, and that somebody has to know.
type Note struct {
	Service, Key string // Service is "" for what is outside of services
	Text         string
}

// String is the note as a line.
func (n Note) String() string {
	where := n.Key
	if n.Service != "" {
		where = n.Service + "." + n.Key
	}
	return where + ": " + n.Text
}

// Module is the files of a module for an application of that name, and what it could
// not carry. The module's path is as for [scaffold.Module].
func Module(file, name, path, ci string) ([]scaffold.File, []Note, error) {
	path, err := scaffold.ModulePath(name, path)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	text, err := readBounded(dir, filepath.Base(file), maxFile)
	if err != nil {
		return nil, nil, err
	}
	a := &application{name: name, module: path, dir: dir, ids: map[string]string{}}
	if err := a.load(filepath.Base(file), text); err != nil {
		return nil, nil, err
	}
	if err := a.read(); err != nil {
		return nil, nil, err
	}
	files, err := a.files()
	if err != nil {
		return nil, nil, err
	}
	more, err := scaffold.System(name, path, ci)
	sorting.By(a.notes, func(a, b Note) int { return strings.Compare(a.Service, b.Service) })
	return append(files, more...), slices.Compact(a.notes), err
}

// readBounded reads a file below a directory, in which links lead nowhere else.
func readBounded(dir *os.Root, name string, most int) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no file", name))
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > most:
		return nil, fmt.Errorf("%s has more than %d bytes", name, most)
	case !utf8.Valid(data):
		return nil, fmt.Errorf("%s is no text", name)
	}
	return data, nil
}

// application is what is made of a Compose file.
type application struct {
	name, module string
	dir          *os.Root
	project      *types.Project
	model        map[string]any // the project as a tree, to tell which keys it has
	roles        []*role        // by name
	mounted      int            // bytes of files that were read
	ids          map[string]string
	unlimited    []string // services without limits
	notes        []Note
}

func (a *application) note(service, key, text string, args ...any) {
	a.notes = append(a.notes, Note{service, key, fmt.Sprintf(text, args...)})
}

// read makes the roles of the services.
func (a *application) read() error {
	for _, name := range sorting.Ordered(a.project.Services) {
		word := word(name)
		if _, err := scaffold.Name(word, "a role", "web"); err != nil {
			return fmt.Errorf("service %s: %w", name, err)
		}
		if filter.Any(a.roles, func(r *role) bool { return r.name == word }) {
			return fmt.Errorf("two services would be called %s: rename %s", word, name)
		}
		a.roles = append(a.roles, &role{app: a, name: word, s: a.project.Services[name]})
	}
	for _, r := range a.roles {
		r.ports()
	}
	for _, r := range a.roles {
		r.container()
		if err := r.environment(); err != nil {
			return err
		}
		r.dependencies()
		r.volumes()
		r.configs()
		r.secretFiles()
		r.scale()
		r.size()
		r.hints()
	}
	for _, r := range a.roles { // once all ports are known
		r.connectAll()
		r.healthcheck()
		r.untold()
	}
	a.untold()
	return nil
}

// named is the role that a name on a network leads to; nil for none.
func (a *application) named(name string) *role {
	for _, r := range a.roles {
		if filter.Contains(r.names(), name) {
			return r
		}
	}
	return nil
}
