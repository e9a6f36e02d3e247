package lsp

import (
	"path/filepath"
	"slices"

	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
)

// The server knows files by their paths without links, so that it does not matter
// over which of them an editor, a folder of the workspace or an import comes.

// linked is a folder of the workspace that the client has over a link.
type linked struct{ dir, real string }

// locate returns the file of a URI, without links; "" if it is none.
func locate(uri string) string {
	file := fileOf(uri)
	if file == "" {
		return ""
	}
	return load.RealPath(file)
}

// entry is the place of a directory's entry, which may be a link itself.
func entry(uri string) string {
	file := fileOf(uri)
	if file == "" {
		return ""
	}
	return filepath.Join(load.RealPath(filepath.Dir(file)), filepath.Base(file))
}

// placeOf is the place of a document, which stays where it was when it was
// opened. It holds s.mu.
func (s *server) placeOf(uri string) string {
	for file, d := range s.documents {
		if filter.Contains(d.uris, uri) {
			return file
		}
	}
	return locate(uri)
}

// uri is what the client calls a file, most recently. It holds s.mu.
func (s *server) uri(file string) string {
	all := s.uris(file)
	return all[len(all)-1]
}

// uris are all that the client calls a file. It holds s.mu.
func (s *server) uris(file string) []string {
	if d := s.documents[file]; d != nil {
		return d.uris
	}
	for _, l := range s.linked {
		if rel, err := filepath.Rel(l.real, file); err == nil && filepath.IsLocal(rel) {
			return []string{uriOf(filepath.Join(l.dir, rel))}
		}
	}
	return []string{uriOf(file)}
}

// shown are problems as the client sees them. It holds s.mu.
func (s *server) shown(list []problem) []diagnostic {
	out := []diagnostic{}
	for _, p := range list {
		d := p.Shown
		d.Related = slices.Clone(d.Related)
		for i := range d.Related {
			d.Related[i].Location.URI = s.uri(fileOf(d.Related[i].Location.URI))
		}
		out = append(out, d)
	}
	return out
}

// edits are a fix's, of files as the client calls them. It holds s.mu.
func (s *server) edits(f change) map[string][]textEdit {
	out := map[string][]textEdit{}
	for uri, list := range f.Edits {
		out[s.uri(fileOf(uri))] = list
	}
	return out
}
