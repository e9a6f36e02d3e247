package lsp

import (
	"os"
	"path/filepath"
	"sync"

	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
)

// mirror knows the files that CUE's server sees in another form than they have:
// those of modules in the vendor's style, and dependencies that only kumiki
// finds. For them it keeps views, open all the time, whoever edits them.
type mirror struct {
	// read is the text of a file, of the editor's buffer if there is one.
	read func(file string) (text []byte, buffer bool)
	// send passes a notification on.
	send func(method string, params any)
	// modules are directories in which dependencies are looked for.
	modules func() []string

	mu     sync.Mutex
	views  map[string]*view   // by the path that CUE's server knows
	of     map[string][]*view // by the path on the disk
	homes  map[string]*home   // the modules that are shown, by directory
	others []*home            // those in modules; nil before the first use
	// described are the module.cue files that CUE's server has from us.
	described map[string]description
	stamps    map[string]string // of homes, or of what isn't one
}

func newMirror(read func(string) ([]byte, bool), modules func() []string, send func(string, any)) *mirror {
	return &mirror{
		read: read, send: send, modules: modules,
		views: map[string]*view{}, of: map[string][]*view{}, homes: map[string]*home{},
		described: map[string]description{}, stamps: map[string]string{},
	}
}

// changed brings what CUE's server sees of a file up to date, and reports whether
// it is to hear nothing else of it.
func (m *mirror) changed(file string) (all bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, kam := homeDir(file)
	if dir == "" {
		return false
	}
	if known, ok := m.stamps[dir]; !ok || file == manifest(dir, kam) && known != stamp(dir, kam) {
		m.adopt(dir, kam)
	}
	h := m.homes[dir]
	if h != nil && file == manifest(dir, false) {
		return m.describe(h)
	}
	if h != nil && (kam || len(h.local) > 0) && len(m.of[file]) == 0 && isSource(file) && !m.dependency(file) {
		m.show(&view{file: file, as: file, home: h})
	}
	for _, v := range m.of[file] {
		m.update(v)
		all = all || v.as == file
	}
	return all
}

// manifest is the file that describes a module.
func manifest(dir string, kam bool) string {
	if kam {
		return filepath.Join(dir, "kmodule.cue")
	}
	return filepath.Join(dir, "cue.mod", "module.cue")
}

// stamp tells one description of a module from another.
func stamp(dir string, kam bool) string { return string(readSource(manifest(dir, kam))) }

// dependency reports whether a file is one of the modules that a package manager
// has put where they are.
func (m *mirror) dependency(file string) bool {
	return filter.Contains(splitPath(file), "cue.mod")
}

func splitPath(file string) []string {
	var out []string
	for dir := file; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		out = append(out, filepath.Base(dir))
	}
	return out
}

// describe shows the module.cue that CUE's server is to see, if that is another
// one than it can read, and reports whether it has it from us.
func (m *mirror) describe(h *home) bool {
	file := manifest(h.dir, false)
	raw, buffer := m.read(file)
	text := []byte(h.moduleText())
	if !h.kam {
		text = without(raw, h.local)
		if full := withModel(string(text)); full != nil {
			text = full
		}
	}
	sent, open := m.described[file]
	switch {
	case !open && !buffer && string(text) == string(raw):
		return false
	case !open:
		m.send("textDocument/didOpen", map[string]any{"textDocument": documentItem(file, 1, string(text))})
	case sent.text != string(text):
		m.send("textDocument/didChange", changeOf(file, sent.version+1, string(text)))
	}
	m.described[file] = description{string(text), sent.version + 1}
	return true
}

// description is a module.cue that CUE's server has from us.
type description struct {
	text    string
	version int
}

// siblings are the modules in the directories that the client names.
func (m *mirror) siblings() []*home {
	if m.others != nil {
		return m.others
	}
	m.others = []*home{}
	for _, dir := range m.modules() {
		for _, at := range modulesIn(dir) {
			if h := homeAt(at); h != nil {
				m.others = append(m.others, h)
			}
		}
	}
	return m.others
}

// show begins a view, unless there is one.
func (m *mirror) show(v *view) {
	if m.views[v.as] == nil {
		m.views[v.as] = v
		m.of[v.file] = append(m.of[v.file], v)
	}
	m.views[v.as].home = v.home
	m.update(m.views[v.as])
}

// update sends what is new of a view, and ends one of a file that is gone. What
// CUE's server can read for itself it is not sent: it looks at all that it has
// whenever it is sent something.
func (m *mirror) update(v *view) {
	text, buffer := m.read(v.file)
	if text == nil {
		m.end(v)
		delete(m.views, v.as)
		m.of[v.file] = filter.Out(m.of[v.file], func(o *view) bool { return o == v })
		return
	}
	now := v.show(text)
	switch {
	case !buffer && len(v.cuts) == 0 && v.as == v.file:
		m.end(v)
	case !v.open:
		v.version++
		m.send("textDocument/didOpen", map[string]any{"textDocument": documentItem(v.as, v.version, now)})
		v.open = true
	case v.sent != now:
		v.version++
		m.send("textDocument/didChange", changeOf(v.as, v.version, now))
	}
	v.sent = now
}

// end lets CUE's server read the file for itself.
func (m *mirror) end(v *view) {
	if v.open {
		m.send("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(v.as)}})
	}
	v.open = false
}

func changeOf(file string, version int, text string) map[string]any {
	return map[string]any{
		"textDocument":   map[string]any{"uri": uriOf(file), "version": version},
		"contentChanges": []any{map[string]any{"text": text}},
	}
}

func documentItem(file string, version int, text string) map[string]any {
	return map[string]any{"uri": uriOf(file), "languageId": "cue", "version": version, "text": text}
}

// viewOf is the view that CUE's server has in place of a file, as it is now.
func (m *mirror) viewOf(file string) (view, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, v := range m.of[file] {
		if v.as == file {
			return *v, true
		}
	}
	return view{}, false
}

// viewAs is the view at a path of CUE's server, as it is now.
func (m *mirror) viewAs(as string) (view, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v := m.views[as]; v != nil {
		return *v, true
	}
	return view{}, false
}

// modulesIn are the roots of modules in a directory, itself included.
func modulesIn(dir string) []string {
	var out []string
	var look func(dir string, depth int)
	look = func(dir string, depth int) {
		if moduleRoot(dir) {
			out = append(out, dir)
			return
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.IsDir() && depth > 0 && len(out) < maxDirs && e.Name()[0] != '.' {
				look(filepath.Join(dir, e.Name()), depth-1)
			}
		}
	}
	look(dir, 4)
	return out
}

// read is the text of a file, of the editor's buffer if there is one.
func (s *server) read(file string) (text []byte, buffer bool) {
	s.mu.Lock()
	d := s.documents[load.RealPath(file)]
	s.mu.Unlock()
	if d != nil {
		return append([]byte{}, d.text...), true // not nil, as of a file that is gone
	}
	return readSource(file), false
}

func (s *server) moduleDirs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.modules()
}
