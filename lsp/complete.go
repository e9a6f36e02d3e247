package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
)

// completion offers what the artifact can take at the cursor: fields of its
// config, roles, channels, and names that a mapping refers to. Artifacts are
// known from the last result that was whole, or else from their sources; the
// place from what is written before the cursor, whatever comes after it. What
// CUE's server offers comes behind.
func (s *server) completion(ctx context.Context, params json.RawMessage) (any, error) {
	theirs := s.cue.ask(ctx, "textDocument/completion", params)
	p, file := s.document(params)
	s.mu.Lock()
	d := s.documents[file]
	own, all := s.shapes(file)
	doubtful := own == nil || s.broken(file)
	s.mu.Unlock()
	out := completionList{Items: []any{}}
	if d == nil {
		return out, nil
	}
	at := cursorAt(d.text, d.offset(p.Position))
	list := candidates(at, own, all)
	if len(list) == 0 && doubtful {
		own, all = s.symbols(file).shapes(file)
		list = candidates(at, own, all)
	}
	seen := map[string]bool{}
	for _, c := range list {
		item := c.item(d.lines, at)
		item.SortText = fmt.Sprintf("0%04d", len(out.Items))
		out.Items, seen[c.name] = append(out.Items, item), true
	}
	for _, item := range items(theirs) {
		if at.value && at.start < len(d.text) && d.text[at.start] == '"' {
			break // references are not written in strings
		}
		label, _ := item["label"].(string)
		if label = strings.Trim(label, `"`); !seen[label] {
			item["sortText"] = "1" + label
			out.Items, seen[label] = append(out.Items, item), true
		}
	}
	return out, nil
}

// items are those of a completion, which is a list or has one.
func items(answer json.RawMessage) []map[string]any {
	var list struct {
		Items []map[string]any `json:"items"`
	}
	if json.Unmarshal(answer, &list) != nil {
		_ = json.Unmarshal(answer, &list.Items) // else there are none
	}
	return list.Items
}

// broken reports whether a result is maybe not all that is known of the artifacts of
// a file.
func (s *server) broken(file string) bool {
	for _, t := range s.targets {
		if t.concerns(file) && (t.good == nil || t.last != t.good) {
			return true
		}
	}
	return len(s.targets) == 0
}

// candidate is something that can be written at the cursor.
type candidate struct {
	name, detail, doc string
	// value tells that it is a string, not a field.
	value bool
}

func (c candidate) item(l *lines, at cursor) completionItem {
	text := c.name
	if c.value || !ast.IsValidIdent(text) {
		text = `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
	}
	kind := completeField
	if c.value {
		kind = completeValue
	} else if !at.colon {
		text += ": "
	}
	return completionItem{
		Label: c.name, Kind: kind, Detail: c.detail, Documentation: c.doc, FilterText: strings.TrimSuffix(text, ": "),
		TextEdit: &textEdit{l.span(at.start, at.end), text},
	}
}
