package lsp

import (
	"encoding/json"
	"slices"
	"strings"

	"cuelang.org/go/cue/literal"

	"kumiki.dev/internal/sorting"
)

// there is a request as CUE's server understands it, and the path of the file
// that it is about, as that knows it.
func (m *mirror) there(params json.RawMessage) (out json.RawMessage, file string) {
	var p documentParams
	if json.Unmarshal(params, &p) != nil {
		return params, ""
	}
	file = fileOf(p.TextDocument.URI)
	v, ok := m.viewOf(file)
	if !ok {
		return params, file
	}
	var x any
	if json.Unmarshal(params, &x) != nil {
		return params, file
	}
	x = mapPlaces(x, v.as, func(string) string { return uriOf(v.as) }, func(_ string, p position) position { return v.there(p) })
	out, err := json.Marshal(x)
	if err != nil {
		return params, file
	}
	return out, v.as
}

// here is an answer of CUE's server about a file, in terms of the files that the
// client knows.
func (m *mirror) here(answer json.RawMessage, file string) json.RawMessage {
	var x any
	if len(answer) == 0 || json.Unmarshal(answer, &x) != nil {
		return answer
	}
	x = mapPlaces(x, file,
		func(uri string) string {
			if v, ok := m.viewAs(fileOf(uri)); ok {
				return uriOf(v.file)
			}
			return uri
		},
		func(file string, p position) position {
			if v, ok := m.viewAs(file); ok {
				return v.here(p)
			}
			return p
		})
	out, err := json.Marshal(x)
	if err != nil {
		return answer
	}
	return out
}

// mapPlaces rewrites the URIs and positions of a message. file is the one that
// positions without a URI are in.
func mapPlaces(x any, file string, name func(uri string) string, place func(file string, p position) position) any {
	again := func(x any, file string) any { return mapPlaces(x, file, name, place) }
	switch x := x.(type) {
	case []any:
		for i := range x {
			x[i] = again(x[i], file)
		}
	case map[string]any:
		line, isPosition := x["line"].(float64)
		if character, ok := x["character"].(float64); ok && isPosition {
			p := place(file, position{int(line), int(character)})
			x["line"], x["character"] = p.Line, p.Character
			return x
		}
		if uri, ok := x["uri"].(string); ok {
			file, x["uri"] = fileOf(uri), name(uri)
		}
		if document, ok := x["textDocument"].(map[string]any); ok {
			uri, _ := document["uri"].(string)
			file = fileOf(uri)
		}
		if changes, ok := x["changes"].(map[string]any); ok {
			now := map[string]any{}
			for uri, edits := range changes {
				now[name(uri)] = again(edits, fileOf(uri))
			}
			x["changes"] = now
		}
		for key, value := range x {
			if key != "changes" {
				x[key] = again(value, file)
			}
		}
	}
	return x
}

// formatted makes one edit of the file of what CUE's server would edit in its
// view of it, with the import paths as they were.
func (v view) formatted(answer json.RawMessage) json.RawMessage {
	var edits []textEdit
	if json.Unmarshal(answer, &edits) != nil || len(edits) == 0 {
		return answer
	}
	sorting.By(edits, func(a, b textEdit) int {
		if a.Range.Start.before(b.Range.Start) {
			return 1
		}
		return -1
	})
	now := newLines([]byte(v.sent))
	for _, e := range edits {
		now = now.change(contentChange{&e.Range, e.NewText})
	}
	var raw []string // import paths by the order that they are in, sorting aside
	for _, spec := range imports(v.file, v.text.text) {
		raw = append(raw, spec.Path.Value)
	}
	rel := v.rel()
	var b strings.Builder
	done := 0
	for _, spec := range imports(v.file, now.text) {
		i := slices.IndexFunc(raw, func(r string) bool {
			path, err := literal.Unquote(r)
			return err == nil && literal.String.Quote(v.home.canonical(path, rel)) == spec.Path.Value
		})
		if i < 0 {
			continue
		}
		b.Write(now.text[done:spec.Path.Pos().Offset()])
		b.WriteString(raw[i])
		done, raw = spec.Path.End().Offset(), slices.Delete(raw, i, i+1)
	}
	b.Write(now.text[done:])
	out, err := json.Marshal([]textEdit{{v.text.span(0, len(v.text.text)), b.String()}})
	if err != nil {
		return nil
	}
	return out
}
