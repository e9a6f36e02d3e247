package lsp

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/load"
	"kumiki.dev/report"
)

// sources are the texts that a compilation has read.
type sources struct {
	overlay map[string][]byte
	files   map[string]*lines
	reals   map[string]string
}

func newSources(overlay map[string][]byte) *sources {
	return &sources{overlay: overlay, files: map[string]*lines{}, reals: map[string]string{}}
}

// real is a file's path without links; what lies on no disk is itself.
func (s *sources) real(file string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	if _, ok := s.reals[file]; !ok {
		s.reals[file] = load.RealPath(file)
	}
	return s.reals[file]
}

// get is a file's text, nil where there is none.
func (s *sources) get(file string) *lines {
	l, ok := s.files[file]
	if ok {
		return l
	}
	text, unsaved := s.overlay[file]
	if !unsaved && filepath.IsAbs(file) {
		text, _ = os.ReadFile(file)
	}
	if text != nil || unsaved {
		l = newLines(text)
	}
	s.files[file] = l
	return l
}

// at is the place of the token at pos.
func (s *sources) at(pos diag.Pos) (file string, where textRange, ok bool) {
	if !pos.IsValid() || !filepath.IsAbs(pos.Filename()) {
		return "", textRange{}, false
	}
	file = s.real(pos.Filename())
	p := pos.Position()
	line := position{max(p.Line-1, 0), max(p.Column-1, 0)}
	where = textRange{line, line}
	if l := s.get(file); l != nil {
		if start, end, ok := report.Range(pos, l.text); ok {
			where = l.span(start, end)
		}
	}
	return file, where, true
}

// problem makes a diagnostic of what vet says. One that is in no file is shown
// at the top of one of the directory's.
func (s *sources) problem(d *diag.Diagnostic, dir string) problem {
	file, where, ok := s.at(d.Pos)
	if !ok {
		file = firstSource(dir, s.overlay)
	}
	shown := diagnostic{Range: where, Severity: severityError, Code: string(d.Code), Source: "kumiki", Message: d.Message}
	if d.Severity == diag.Warning {
		shown.Severity = severityWarning
	}
	for _, r := range d.Related {
		if f, where, ok := s.at(r.Pos); ok {
			shown.Related = append(shown.Related, relatedInformation{location{uriOf(f), where}, r.Message})
		}
	}
	out := problem{File: file, Shown: shown}
	for _, f := range d.Fixes {
		if c, ok := s.change(f); ok {
			out.Fixes = append(out.Fixes, c)
		}
	}
	return out
}

// firstSource is the directory's first source, so that a problem of the whole
// directory has a place.
func firstSource(dir string, overlay map[string][]byte) string {
	first := ""
	consider := func(file string) {
		if filepath.Dir(file) == dir && strings.HasSuffix(file, ".cue") && (first == "" || file < first) {
			first = file
		}
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		consider(filepath.Join(dir, e.Name()))
	}
	for file := range overlay {
		consider(file)
	}
	if first == "" {
		return filepath.Join(dir, "deployment.cue")
	}
	return first
}

// change makes a client's edits of a fix.
func (s *sources) change(f diag.Fix) (change, bool) {
	c := change{Title: f.Title, Edits: map[string][]textEdit{}}
	for _, e := range f.Edits {
		file := s.real(e.Pos.Filename())
		l := s.get(file)
		if l == nil || e.Pos.Offset()+e.Len > len(l.text) {
			return c, false
		}
		start := e.Pos.Offset()
		edit := textEdit{l.span(start, start+e.Len), e.Text}
		if strings.HasPrefix(e.Text, "\n") {
			edit.NewText = indented(l.text, start, e.Text)
		}
		uri := uriOf(file)
		c.Edits[uri] = append(c.Edits[uri], edit)
	}
	return c, len(c.Edits) > 0
}

// indented is a line that is added behind an opening brace, as a formatter
// would have it.
func indented(text []byte, at int, line string) string {
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	indent := text[begin : begin+len(text[begin:at])-len(bytes.TrimLeft(text[begin:at], " \t"))]
	line = strings.TrimSuffix(strings.TrimPrefix(line, "\n"), ",")
	out := "\n" + string(indent) + "\t" + line
	rest, _, _ := bytes.Cut(text[at:], []byte("\n"))
	rest = bytes.TrimSpace(rest)
	switch {
	case len(rest) == 0 || bytes.HasPrefix(rest, []byte("//")):
		return out
	case rest[0] == '}':
		return out + "\n" + string(indent)
	}
	return out + "\n" + string(indent) + "\t"
}
