package lsp

import (
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
)

// view is a file as CUE's server sees it: maybe elsewhere, and with import paths
// that it understands. Nothing else differs, so positions differ in the lines of
// imports only.
type view struct {
	file string // on the disk
	as   string // the path that CUE's server knows it by
	home *home
	cuts []cut
	// open tells that CUE's server has it from us; version counts what was sent.
	open    bool
	version int
	// text is the file's own, and sent what CUE's server has.
	text *lines
	sent string
}

// cut is an import path that was replaced: where, and how long it was and is, in
// UTF-16 code units.
type cut struct {
	line, from, was, is int
}

// show makes the text that CUE's server is to see.
func (v *view) show(text []byte) string {
	v.text, v.cuts = newLines(text), nil
	rel := v.rel()
	var b strings.Builder
	done := 0
	for _, spec := range imports(v.file, text) {
		start, end := spec.Path.Pos().Offset(), spec.Path.End().Offset()
		raw, err := literal.Unquote(spec.Path.Value)
		if err != nil || start < done || end > len(text) || strings.Contains(spec.Path.Value, "\n") {
			continue
		}
		now := v.home.canonical(raw, rel)
		if now == raw {
			continue
		}
		now = literal.String.Quote(now)
		at := v.text.span(start, end)
		v.cuts = append(v.cuts, cut{at.Start.Line, at.Start.Character, at.End.Character - at.Start.Character, newLines([]byte(now)).position(len(now)).Character})
		b.Write(text[done:start])
		b.WriteString(now)
		done = end
	}
	b.Write(text[done:])
	return b.String()
}

// rel is the file's directory in its module.
func (v *view) rel() string {
	rel, err := filepath.Rel(v.home.dir, filepath.Dir(v.file))
	if err != nil {
		return "."
	}
	return filepath.ToSlash(rel)
}

// imports are those of a text that need not be whole.
func imports(name string, text []byte) []*ast.ImportSpec {
	f, _ := parser.ParseFile(name, text, parser.ImportsOnly)
	if f == nil {
		return nil
	}
	var out []*ast.ImportSpec
	for spec := range f.ImportSpecs() {
		if spec.Path != nil && spec.Path.Pos().IsValid() {
			out = append(out, spec)
		}
	}
	return out
}

// there is the position in what CUE's server sees.
func (v *view) there(p position) position {
	delta := 0
	for _, c := range v.cuts {
		switch {
		case c.line != p.Line || p.Character <= c.from:
		case p.Character >= c.from+c.was:
			delta += c.is - c.was
		default:
			return position{p.Line, c.from + delta + min(p.Character-c.from, c.is-1)}
		}
	}
	return position{p.Line, p.Character + delta}
}

// here is the inverse of there.
func (v *view) here(p position) position {
	delta := 0
	for _, c := range v.cuts {
		switch from := c.from + delta; {
		case c.line != p.Line || p.Character <= from:
		case p.Character >= from+c.is:
			delta += c.is - c.was
		default:
			return position{p.Line, c.from + min(p.Character-from, c.was-1)}
		}
	}
	return position{p.Line, p.Character - delta}
}
