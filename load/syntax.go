package load

import (
	"bytes"
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/scanner"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
)

// maxMended bounds how many mistakes of a file's syntax are mended.
const maxMended = 50

// parseMended is parseCUE for a file in which mistakes may be mended that are
// common to those who know other languages, so that what else is wrong can be
// found; they are returned. The text that was parsed is as long as that of the
// file. err is what cannot be mended.
func parseMended(name string, text []byte, opts ...parser.Option) (f *ast.File, mended []byte, problems diag.List, err error) {
	for f, err = parser.ParseFile(name, text, opts...); err != nil && len(problems) < maxMended; {
		helps := func(m *mendedSyntax) bool {
			next, nextErr := parser.ParseFile(name, m.text, opts...)
			if nextErr != nil && !after(nextErr, err) {
				return false
			}
			f, err, text = next, nextErr, m.text
			problems = append(problems, m.problem)
			return true
		}
		if !filter.Any(mendable(name, text, err), helps) {
			break
		}
	}
	return f, text, problems, err
}

// after reports whether the first error of a list comes after that of another.
func after(list, other error) bool { return firstOf(list).Offset() > firstOf(other).Offset() }

func firstOf(list error) diag.Pos { return diag.At(errors.Errors(list)[0].Position()) }

// mendedSyntax is a mistake with the text that has none there.
type mendedSyntax struct {
	text    []byte
	problem *diag.Diagnostic
}

var (
	// hashComment is a number sign that begins what is no name.
	hashComment = lazyregexp.New(`(?:^|\s)(#+)(?:\s|$)|^\s*(#+)[A-Za-z][^:?!={\[]*$`)
	// assignment is a field whose value stands behind an equals sign.
	assignment = lazyregexp.New(`(?:^|[{,]|\s)\s*("[^"]+"|[A-Za-z_$][A-Za-z0-9_$]*)\s*(=)\s*[^=~:\s][^:]*$`)
)

// mendable finds what may be the cause of the first error in its line and in the one
// before that holds anything.
func mendable(name string, text []byte, err error) (found []*mendedSyntax) {
	line := firstOf(err).Line()
	for n, before := line, false; n >= 1 && !before; n-- {
		start, code := lineAt(text, n)
		code = withoutStrings(code)
		before = n < line && string(bytes.TrimSpace(code)) != ""
		if at := hashComment().FindSubmatchIndex(code); at != nil {
			from, to := at[2], at[3]
			if from < 0 {
				from, to = at[4], at[5]
			}
			found = append(found, hash(name, text, start+from, start+to))
		} else if at := assignment().FindSubmatchIndex(code); at != nil {
			found = append(found, equals(name, text, start+at[2], start+at[3], start+at[4]))
		}
	}
	return found
}

// hash mends a comment that begins as in YAML or a shell.
func hash(name string, text []byte, from, to int) *mendedSyntax {
	d := diag.New(diag.Syntax, positionAt(name, text, from), "a comment begins with //, not with #")
	d.Fixes = []diag.Fix{{Title: "write // for #", Edits: []diag.Edit{{Pos: d.Pos, Len: to - from, Text: "//"}}}}
	mended := bytes.Clone(text)
	mended[from] = ' '
	if rest := text[from+1:]; len(rest) > 0 && rest[0] != '\n' {
		copy(mended[from:], "//")
	}
	return &mendedSyntax{mended, d}
}

// equals mends a field that is written like a variable: its name is from one offset
// to another.
func equals(name string, text []byte, from, to, at int) *mendedSyntax {
	d := diag.New(diag.Syntax, positionAt(name, text, at), "a field has a colon in place of the =: write %s: …", text[from:to])
	d.Fixes = []diag.Fix{{Title: "write : for =", Edits: []diag.Edit{{Pos: d.Pos, Len: 1, Text: ":"}}}}
	mended := bytes.Clone(text)
	mended[at] = ':'
	return &mendedSyntax{mended, d}
}

// lineAt is a line, counted from 1, with its offset.
func lineAt(text []byte, n int) (start int, line []byte) {
	for ; n > 1; n-- {
		start += bytes.IndexByte(text[start:], '\n') + 1
	}
	line, _, _ = bytes.Cut(text[start:], []byte("\n"))
	return start, line
}

// inert is a string of a line, which may not be closed, or the comment at its end.
var inert = lazyregexp.New(`"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|//.*`)

// withoutStrings is a line with what is in its strings replaced by something that
// means nothing, and without its comment.
func withoutStrings(line []byte) []byte {
	return inert().ReplaceAllFunc(line, func(found []byte) []byte {
		if found[0] == '/' {
			return nil
		}
		out := bytes.Repeat([]byte("x"), len(found))
		out[0], out[len(out)-1] = found[0], found[len(out)-1]
		return out
	})
}

// unclosed words an error at the end of a file that a missing brace causes: the
// first brace that something closes further out than it was opened, else the last
// that is open. It is nil where that is not known.
func unclosed(name string, text []byte) *diag.Diagnostic {
	type brace struct{ offset, line, indent int }
	var open []brace
	file := token.NewFile(name, -1, len(text))
	file.SetLinesForContent(text)
	var s scanner.Scanner
	s.Init(file, text, func(token.Pos, string, []any) {}, 0)
	for {
		pos, tok, _ := s.Scan()
		line := pos.Line()
		switch tok {
		case token.LBRACE:
			open = append(open, brace{pos.Offset(), line, indentOf(text, line)})
		case token.RBRACE:
			if len(open) == 0 {
				return nil
			}
			top := open[len(open)-1]
			if line > top.line && indentOf(text, line) < top.indent {
				return missingBrace(name, text, top.offset, line)
			}
			open = open[:len(open)-1]
		case token.EOF:
			if len(open) == 0 {
				return nil
			}
			return missingBrace(name, text, open[len(open)-1].offset, 0)
		}
	}
}

func missingBrace(name string, text []byte, offset, line int) *diag.Diagnostic {
	where := "at the end of the file"
	if line > 0 {
		where = fmt.Sprintf("before the one in line %d, which is further out", line)
	}
	return diag.New(diag.Syntax, positionAt(name, text, offset), "this brace is not closed: a } is missing, probably %s", where)
}

// indentOf is how much white space a line begins with.
func indentOf(text []byte, line int) int {
	_, code := lineAt(text, line)
	return len(code) - len(strings.TrimLeft(string(code), " \t"))
}
