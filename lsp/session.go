package lsp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
)

// initialize says what the server can do.
func (s *server) initialize(params json.RawMessage) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = json.Unmarshal(params, &s.client) // what is not understood is not used
	for _, f := range s.client.Folders {
		s.enter(f.URI)
	}
	if len(s.client.Folders) == 0 {
		s.enter(s.client.RootURI)
	}
	capabilities := map[string]any{
		"positionEncoding":   "utf-16",
		"textDocumentSync":   map[string]any{"openClose": true, "change": incrementalSync, "save": true},
		"hoverProvider":      true,
		"inlayHintProvider":  true,
		"codeLensProvider":   map[string]any{},
		"codeActionProvider": map[string]any{"codeActionKinds": []string{"quickfix", fixAll}},
		"completionProvider": map[string]any{"triggerCharacters": []string{"\"", ":", "."}},
		"definitionProvider": true,
		"referencesProvider": true,
		"renameProvider":     map[string]any{"prepareProvider": true},
		"executeCommandProvider": map[string]any{
			"commands": []string{commandSolution},
		},
		"workspace": map[string]any{"workspaceFolders": map[string]any{"supported": true, "changeNotifications": true}},
	}
	if s.cue != nil {
		capabilities["documentFormattingProvider"] = s.cue.capabilities["documentFormattingProvider"]
		capabilities["documentSymbolProvider"] = s.cue.capabilities["documentSymbolProvider"]
	}
	if s.client.Options.Diagnostics == "pull" {
		capabilities["diagnosticProvider"] = map[string]any{"interFileDependencies": true, "workspaceDiagnostics": false}
	}
	return map[string]any{
		"capabilities": capabilities,
		"serverInfo":   map[string]any{"name": "kumiki", "version": s.options.Version},
	}
}

// enter adds a folder of the workspace.
func (s *server) enter(uri string) {
	dir := locate(uri)
	if dir == "" || filter.Contains(s.folders, dir) {
		return
	}
	s.folders = append(s.folders, dir)
	if as := fileOf(uri); as != dir {
		s.linked = append(s.linked, linked{as, dir})
	}
}

// initialized looks around, and asks to be told what changes on the disk.
func (s *server) initialized(ctx context.Context, _ json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scan()
	s.wake()
	if s.client.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		watch := map[string]any{"watchers": []any{
			map[string]any{"globPattern": "**/*.cue"},
			map[string]any{"globPattern": "**/" + load.LockFile},
		}}
		go func() {
			_ = s.conn.Call(ctx, "client/registerCapability", map[string]any{"registrations": []any{
				map[string]any{"id": "cue", "method": "workspace/didChangeWatchedFiles", "registerOptions": watch},
			}}, nil) // a client that can't doesn't
		}()
	}
}

// document decodes the params of a notification about a file.
func (s *server) document(params json.RawMessage) (p documentParams, file string) {
	if json.Unmarshal(params, &p) != nil {
		return p, ""
	}
	return p, locate(p.TextDocument.URI)
}

func (s *server) didOpen(_ context.Context, params json.RawMessage) {
	p, file := s.document(params)
	if file == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	uris := []string{p.TextDocument.URI}
	if d := s.documents[file]; d != nil { // it is open over another link
		uris = append(filter.Out(d.uris, func(uri string) bool { return uri == uris[0] }), uris...)
	}
	s.documents[file] = &document{newLines([]byte(p.TextDocument.Text)), p.TextDocument.Version, uris}
	s.changed(file)
}

func (s *server) didChange(_ context.Context, params json.RawMessage) {
	p, _ := s.document(params)
	s.mu.Lock()
	defer s.mu.Unlock()
	file := s.placeOf(p.TextDocument.URI)
	d := s.documents[file]
	if d == nil {
		return
	}
	now := d.lines
	for _, c := range p.Changes {
		now = now.change(c)
	}
	s.documents[file] = &document{now, p.TextDocument.Version, d.uris}
	s.changed(file)
}

func (s *server) didClose(_ context.Context, params json.RawMessage) {
	p, _ := s.document(params)
	s.mu.Lock()
	defer s.mu.Unlock()
	file := s.placeOf(p.TextDocument.URI)
	d := s.documents[file]
	if d == nil {
		return
	}
	d.uris = filter.Out(d.uris, func(uri string) bool { return uri == p.TextDocument.URI })
	if len(d.uris) > 0 {
		return // it is open over another link still
	}
	delete(s.documents, file)
	s.changed(file) // back to what is on the disk
}

// didSave is news where other tools have written the files around it.
func (s *server) didSave(_ context.Context, params json.RawMessage) {
	_, file := s.document(params)
	if file == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed(file)
}

func (s *server) didChangeFiles(_ context.Context, params json.RawMessage) {
	var p watchedFilesParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range p.Changes {
		if file := entry(c.URI); file != "" {
			s.changed(file)
			if target := locate(c.URI); target != file { // it is a link
				s.changed(target)
			}
			if info, err := os.Stat(file); err == nil && info.IsDir() || filepath.Ext(file) != ".cue" {
				s.scan() // a directory came, or went
			}
		}
	}
}

func (s *server) didChangeFolders(_ context.Context, params json.RawMessage) {
	var p foldersParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range p.Event.Removed {
		s.folders = filter.Out(s.folders, func(dir string) bool { return dir == locate(f.URI) })
		s.linked = filter.Out(s.linked, func(l linked) bool { return l.real == locate(f.URI) })
	}
	for _, f := range p.Event.Added {
		s.enter(f.URI)
	}
	for _, t := range s.targets {
		t.dirty = true
	}
	s.scan()
	s.wake()
}
