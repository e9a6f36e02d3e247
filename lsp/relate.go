package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// definition leads from a name of the model's to where it is declared, and from
// anything else to where CUE's server says.
func (s *server) definition(ctx context.Context, params json.RawMessage) (any, error) {
	p, file := s.document(params)
	x := s.symbols(file)
	list, where, _ := x.at(file, p.Position)
	var out []location
	for _, place := range x.all(list) {
		if place.declared && !where.declared {
			out = append(out, location{uriOf(place.file), place.span})
		}
	}
	if len(out) == 0 {
		out = x.files[file].leads(x, file, p.Position)
	}
	if len(out) > 0 {
		return out, nil
	}
	return s.cue.ask(ctx, "textDocument/definition", params), nil
}

// leads are the files of the package that an import path at a position names.
func (i *index) leads(x *symbols, file string, p position) []location {
	var out []location
	if i == nil {
		return nil
	}
	for _, m := range i.imports {
		if !m.span.contains(p) {
			continue
		}
		pkg := x.imported(file, m.raw)
		for _, name := range sorting.Ordered(x.files) {
			if x.files[name].pkg == pkg {
				out = append(out, location{URI: uriOf(name)})
			}
		}
	}
	return out
}

// about are the places of what is written at a position, or of what CUE's server
// says is meant there.
func (s *server) about(ctx context.Context, params json.RawMessage) (*symbols, []place) {
	p, file := s.document(params)
	x := s.symbols(file)
	list, _, ok := x.at(file, p.Position)
	if !ok {
		for _, l := range locations(s.cue.ask(ctx, "textDocument/definition", params)) {
			found, where, _ := x.at(fileOf(l.URI), l.Range.Start)
			if where.span == l.Range {
				list = append(list, found...)
			}
		}
	}
	places := x.all(list)
	if !filter.Any(places, func(p place) bool { return p.declared }) {
		return x, nil // of something that is declared elsewhere
	}
	return x, places
}

func locations(answer json.RawMessage) []location {
	var out []location
	_ = json.Unmarshal(answer, &out) // what isn't a list has none
	return out
}

// maxAsked bounds the questions to CUE's server that one list is made of.
const maxAsked = 500

// references are the places of a name, and whatever refers to those by CUE's
// rules.
func (s *server) references(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Context struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		} `json:"context"`
	}
	_ = json.Unmarshal(params, &p) // without it, there are fewer
	_, places := s.about(ctx, params)
	if len(places) == 0 {
		return s.cue.ask(ctx, "textDocument/references", params), nil
	}
	out := map[location]bool{}
	for i, place := range places {
		at := location{uriOf(place.file), place.span}
		if p.Context.IncludeDeclaration || !place.declared {
			out[at] = true
		}
		if place.text || i >= maxAsked {
			continue
		}
		asked := s.askAt(ctx, "textDocument/references", place, map[string]any{"context": map[string]any{"includeDeclaration": p.Context.IncludeDeclaration}})
		for _, l := range locations(asked) {
			out[l] = true
		}
	}
	_, file := s.document(params)
	return sorting.Keys(out, func(a, b location) int {
		own := func(l location) int { return map[bool]int{true: 0, false: 1}[l.URI == uriOf(file)] }
		return cmp.Or(cmp.Compare(own(a), own(b)), strings.Compare(a.URI, b.URI),
			cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	}), nil
}

// askAt asks CUE's server about a place.
func (s *server) askAt(ctx context.Context, method string, p place, more map[string]any) json.RawMessage {
	params := map[string]any{"textDocument": map[string]any{"uri": uriOf(p.file)}, "position": p.span.Start}
	maps.Copy(params, more)
	data, err := json.Marshal(params)
	if err != nil {
		return nil
	}
	return s.cue.ask(ctx, method, data)
}

// rename gives a name another one, wherever it is written.
func (s *server) rename(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		NewName string `json:"newName"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	at, file := s.document(params)
	x, places := s.about(ctx, params)
	edits := map[string]map[textRange]string{}
	add := func(uri string, r textRange, text string) {
		if edits[uri] == nil {
			edits[uri] = map[textRange]string{}
		}
		edits[uri][r] = text
	}
	if len(places) > 0 {
		if err := x.renameable(places, p.NewName); err != nil {
			return nil, err
		}
	} else if what := x.foreign(file, at.Position); what != "" {
		return nil, fmt.Errorf("%s is declared by an artifact that is not in this workspace; it can't get another name here", what)
	} else {
		addEdits(s.cue.ask(ctx, "textDocument/rename", params), add)
	}
	for _, place := range places {
		if !place.text {
			answer := s.askAt(ctx, "textDocument/rename", place, map[string]any{"newName": p.NewName})
			if answer == nil {
				return nil, fmt.Errorf("the language server of CUE, which knows other places of the name, does not answer; try again")
			}
			addEdits(answer, add)
		}
		add(uriOf(place.file), place.span, place.written(p.NewName))
	}
	return s.renaming(edits)
}

// addEdits reads the edits of CUE's server.
func addEdits(answer json.RawMessage, add func(uri string, r textRange, text string)) {
	var e struct {
		Changes   map[string][]textEdit `json:"changes"`
		Documents []struct {
			TextDocument documentID `json:"textDocument"`
			Edits        []textEdit `json:"edits"`
		} `json:"documentChanges"`
	}
	_ = json.Unmarshal(answer, &e) // what isn't understood has none
	for uri, list := range e.Changes {
		for _, edit := range list {
			add(uri, edit.Range, edit.NewText)
		}
	}
	for _, d := range e.Documents {
		for _, edit := range d.Edits {
			add(d.TextDocument.URI, edit.Range, edit.NewText)
		}
	}
}

// renaming makes the answer, unless it would change what is somebody else's.
func (s *server) renaming(edits map[string]map[textRange]string) (any, error) {
	if len(edits) == 0 {
		return nil, nil
	}
	out := change{Edits: map[string][]textEdit{}}
	for _, uri := range sorting.Ordered(edits) {
		for r, text := range edits[uri] {
			out.Edits[uri] = append(out.Edits[uri], textEdit{r, text})
		}
		sorting.By(out.Edits[uri], func(a, b textEdit) int {
			return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, uri := range sorting.Ordered(edits) {
		one := change{Edits: map[string][]textEdit{uri: nil}}
		if !s.ours(one) || filter.Contains(splitPath(fileOf(uri)), "cue.mod") {
			return nil, fmt.Errorf("the name is written in %s as well, which is not of this workspace; choose another name where you refer to it", fileOf(uri))
		}
	}
	return workspaceEdit{out.Edits}, nil
}

// written is the name as it is to be written in the place.
func (p place) written(name string) string {
	switch {
	case p.text:
		quoted := literal.String.Quote(name)
		return quoted[1 : len(quoted)-1]
	case ast.IsValidIdent(name):
		return name
	}
	return literal.Label.Quote(name)
}

// renameable reports whether all places of a name are known.
func (x *symbols) renameable(places []place, name string) error {
	switch {
	case name == "":
		return fmt.Errorf("a name was expected")
	case x.cut:
		return fmt.Errorf("the workspace has more than %d files, and not all were searched for the name; open the module alone", maxDirs)
	}
	if strings.Contains(name, ".") && filter.Any(places, func(p place) bool { return p.text }) {
		return fmt.Errorf("%q has a dot, which mappings take apart; write a name without", name)
	}
	for _, p := range places {
		list, _, _ := x.at(p.file, p.span.Start)
		for _, sym := range list {
			section, _, _ := strings.Cut(sym.name, ".")
			if passed := x.places[symbol{sym.pkg, whole, section}]; sym.kind == configSymbol && len(passed) > 0 {
				return fmt.Errorf("%s:%d passes the whole of config.%s on, so that other artifacts have the name as well; write the fields there first",
					filepath.Base(passed[0].file), passed[0].span.Start.Line+1, section)
			}
		}
	}
	old := places[0].last()
	for _, file := range sorting.Ordered(x.files) {
		if i := x.files[file]; i.broken && i.mentions(old) {
			return fmt.Errorf("%s can't be read to its end, and may have %s as well; mend it first", filepath.Base(file), old)
		}
	}
	return nil
}

// foreign is the name at a position if something declares it that is not in the
// workspace, else "".
func (x *symbols) foreign(file string, p position) string {
	i := x.files[file]
	if i == nil {
		return ""
	}
	for n, m := range i.marks {
		if m.kind != whole && m.span.contains(p) && len(m.via) > 0 && strings.Count(m.name, ".") < 2 &&
			!filter.Any(x.places[x.of[file][n]], func(p place) bool { return p.declared }) {
			return m.last()
		}
	}
	return ""
}

// prepareRename is where the name at a position begins and ends.
func (s *server) prepareRename(ctx context.Context, params json.RawMessage) (any, error) {
	p, file := s.document(params)
	x := s.symbols(file)
	if _, where, ok := x.at(file, p.Position); ok {
		return map[string]any{"range": where.span, "placeholder": where.last()}, nil
	}
	return s.cue.ask(ctx, "textDocument/prepareRename", params), nil
}
