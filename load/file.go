package load

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/scanner"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
)

const (
	// maxFile bounds a source, so that a wrong directory doesn't fill the memory.
	maxFile = 16 << 20
	// maxSources bounds all sources of a run together. A syntax tree takes twenty times
	// as much memory as its source.
	maxSources = 64 << 20
	// maxNesting bounds the depth of the syntax tree: parser and evaluator are
	// recursive, and Go ends a program whose stack is exhausted.
	maxNesting = 10_000
	// maxBrackets bounds the brackets of a file, because the scanner itself is
	// recursive in attributes.
	maxBrackets = 1_000_000
	// maxSyntaxErrors bounds what is reported of one file.
	maxSyntaxErrors = 50
)

// directory is the sources of one directory, read but not parsed.
type directory struct {
	files []*source
	// broken says that there are more, of which nothing is known. That is
	// reported.
	broken bool
}

// source is one file. Its package clause is known, the rest not yet.
type source struct {
	rel  string // within the module
	name string // as positions have it
	pkg  string // "" if there is no package clause
	text []byte
	// fields are the names of those at the top, nil before they are looked for.
	fields map[string]diag.Pos
}

// packages returns the names of the packages in a directory, sorted.
func (d *directory) packages() []string {
	var names []string
	for _, f := range d.files {
		if f.pkg != "" {
			names = append(names, f.pkg)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// has reports whether a file of the directory belongs to the package.
func (d *directory) has(pkg string) bool { return filter.Contains(d.packages(), pkg) }

// scan reads the sources of a directory, once.
func (l *loader) scan(m *module, rel string) *directory {
	if d := m.scanned[rel]; d != nil {
		return d
	}
	d := &directory{}
	m.scanned[rel] = d
	for _, name := range m.list(rel) {
		switch f, ok := l.readSource(m, path.Join(rel, name)); {
		case !ok:
			d.broken = true
		case f != nil:
			d.files = append(d.files, f)
		}
	}
	return d
}

// readSource reads a file up to its package clause. It returns nil for a file
// that is left out of the build, and false for one that is reported.
func (l *loader) readSource(m *module, rel string) (f *source, ok bool) {
	text, err := m.read(rel)
	if err != nil {
		l.fileProblem(m, rel, err)
		return nil, false
	}
	if known := l.memory.source(m.file(rel), rel, text); known != nil {
		return known, true
	}
	f = &source{rel: rel, name: m.file(rel), text: text}
	if d := checkText(f.name, text); d != nil {
		l.report(d)
		return nil, false
	}
	if !l.fits(f) {
		return nil, false
	}
	head, text, problems, err := parseHead(f.name, text)
	l.diags, f.text = append(l.diags, problems...), text
	for _, d := range problems {
		l.mended[d] = true
	}
	if err != nil {
		l.syntaxErrors(f, err)
		return nil, false
	}
	build, err := included(head)
	l.syntaxErrors(f, err)
	if !build {
		return nil, err == nil
	}
	f.pkg = head.PackageName()
	l.memory.keep(f) // what was mended is not what is read again
	return f, true
}

// fits counts a source, and reports the first one that is too much.
func (l *loader) fits(f *source) bool {
	before := l.size
	l.size += len(f.text)
	if l.size > maxSources && before <= maxSources {
		l.report(diag.New(diag.BadFile, startOf(f.name), "with this file, there are more than %d MiB of sources, the most that can be taken in; move large contents out of them, or name a smaller package", maxSources>>20))
	}
	return l.size <= maxSources
}

// parseHead parses a file up to its package clause, which a mistake that is mended
// may hide.
func parseHead(name string, text []byte) (head *ast.File, mended []byte, problems diag.List, err error) {
	head, mended, problems, err = parseMended(name, text, parser.PackageClauseOnly)
	if err != nil || head.PackageName() != "" {
		return head, mended, problems, err
	}
	whole, mended, problems, _ := parseMended(name, text)
	if whole.PackageName() == "" {
		return head, text, nil, nil
	}
	head, err = parser.ParseFile(name, mended, parser.PackageClauseOnly)
	return head, mended, problems, err
}

// parse returns the file's syntax tree. A tree is never shared by two packages,
// since building a package writes into it. Where there are syntax errors, they
// are reported and the tree is what could be understood.
func (l *loader) parse(m *module, f *source) (file *ast.File, ok bool) {
	opts := []parser.Option{parser.ParseComments, parser.AllErrors}
	if m.language != "" {
		opts = append(opts, parser.Version(m.language))
	}
	file, _, problems, err := parseMended(f.name, f.text, opts...)
	if !m.embedded {
		l.in.Texts.File(file)
		l.foreignTexts(file, f.text)
		l.assigned(file)
		if err == nil && l.template(file, f.text) {
			return file, false
		}
	}
	if err != nil {
		l.in.Texts.source(f.text)
	}
	if l.once("syntax", f.name) {
		l.diags = append(l.diags, problems...)
		l.syntaxErrors(f, err)
	}
	if err == nil {
		for _, d := range problems {
			l.mended[d] = true
		}
	}
	return file, err == nil
}

// syntaxErrors reports the parser's errors, one a line: what follows in the
// same line is nearly always a consequence.
func (l *loader) syntaxErrors(f *source, err error) {
	lines := map[string]bool{}
	for _, e := range errors.Errors(err) {
		p := e.Position()
		line := fmt.Sprintf("%s:%d", p.Filename(), p.Line())
		if lines[line] {
			continue
		}
		format, args := e.Msg()
		atEnd := atEndOfFile(e)
		if len(lines) > 0 && (atEnd || strings.Contains(e.Error(), "string literal not terminated") || strings.HasSuffix(e.Error(), "found '}'")) {
			continue // a brace that is open, or closed, because of what came before
		}
		lines[line] = true
		d := diag.New(diag.Syntax, diag.At(p), format, args...)
		if missing := unclosed(f.name, f.text); atEnd && missing != nil {
			d = missing
		}
		if words := foreignSyntax(f.text, p.Line()); words != "" {
			d = diag.New(diag.Syntax, diag.At(p), "%s", words)
		}
		d.Message += remedyOfSyntax(d.Message)
		d.Cause = e
		l.report(d)
		if len(lines) >= maxSyntaxErrors || strings.Contains(d.Message, otherBracket) {
			return
		}
	}
}

// checkText finds what the parser can't be given.
func checkText(name string, text []byte) *diag.Diagnostic {
	if len(text) > maxFile {
		return diag.New(diag.BadFile, startOf(name), "the file is larger than %d MiB, the most that a source may have; move large contents out of the manifest", maxFile>>20)
	}
	if !utf8.Valid(text) {
		at := notUTF8(text)
		return diag.New(diag.BadFile, positionAt(name, text, at), "the byte 0x%02x is not valid UTF-8, the encoding of CUE files; save the file as UTF-8", text[at])
	}
	if at := bytes.IndexByte(text, 0); at >= 0 {
		return diag.New(diag.BadFile, positionAt(name, text, at), "a zero byte was found: the file is not text")
	}
	if bytes.Count(text, []byte("("))+bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > maxBrackets {
		return diag.New(diag.BadFile, startOf(name), "the file has more than %d brackets; split it into several files", maxBrackets)
	}
	if at, deep := tooDeep(name, text); deep {
		return diag.New(diag.BadFile, positionAt(name, text, at), "the file is nested deeper than %d levels; simplify it", maxNesting)
	}
	return nil
}

// notUTF8 is the offset of the first byte that is no character's; there is one.
func notUTF8(text []byte) (at int) {
	for {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && !bytes.HasPrefix(text[at:], []byte(string(utf8.RuneError))) {
			return at
		}
		at += size
	}
}

func positionAt(name string, text []byte, offset int) diag.Pos {
	return diag.NewFile(name, text).Pos(offset)
}

// tooDeep returns the offset at which the syntax tree may be deeper than
// maxNesting, if it is. Without building the tree it counts what can put one node
// below another: open brackets, and the tokens between two commas ("a: b: c",
// "!!x", "a & b & c", "x.y.z"). A line's end counts as a comma, as in CUE.
func tooDeep(name string, text []byte) (offset int, deep bool) {
	if len(text) <= maxNesting {
		return 0, false // every level takes a byte
	}
	type level struct {
		tokens   int
		inString bool // the bracket is that of an interpolation
	}
	// The scanner panics where a string isn't closed; so will the parser, which
	// then reports it.
	defer func() {
		if recover() != nil {
			deep = false
		}
	}()
	var s scanner.Scanner
	s.Init(token.NewFile(name, -1, len(text)), text, func(token.Pos, string, []any) {}, 0)
	stack := []level{{}}
	depth, inString := 0, false
	for {
		pos, tok, _ := s.Scan()
		top := &stack[len(stack)-1]
		switch tok {
		case token.EOF:
			return 0, false
		case token.COMMA:
			depth -= top.tokens
			top.tokens = 0
		case token.LPAREN, token.LBRACK, token.LBRACE:
			stack = append(stack, level{inString: inString})
			inString = false
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(stack) == 1 {
				continue // the parser reports it
			}
			depth -= top.tokens // the bracket itself now counts as a token
			stack = stack[:len(stack)-1]
			stack[len(stack)-1].tokens++
			if top.inString {
				inString = strings.HasSuffix(s.ResumeInterpolation(), "(")
			}
		default:
			inString = inString || tok == token.INTERPOLATION
			top.tokens++
			depth++
		}
		if depth > maxNesting {
			return pos.Offset(), true
		}
	}
}

// included reports whether a file's @ignore and @if attributes leave it in the
// build. No tags are ever set.
func included(f *ast.File) (bool, error) {
	for _, d := range f.Decls {
		a, ok := d.(*ast.Attribute)
		if !ok {
			continue
		}
		switch key, body := a.Split(); key {
		case "ignore":
			return false, nil
		case "if":
			x, err := parser.ParseExpr("@if", body)
			if err != nil {
				return false, errors.Newf(a.Pos(), "@if(%s): a condition over tags was expected, such as @if(prod && !test)", body)
			}
			ok, err := condition(a.Pos(), x)
			if err != nil || !ok {
				return false, err
			}
		}
	}
	return true, nil
}

// condition evaluates the condition of an @if attribute.
func condition(pos token.Pos, x ast.Expr) (bool, error) {
	switch x := x.(type) {
	case *ast.Ident:
		return false, nil
	case *ast.ParenExpr:
		return condition(pos, x.X)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			b, err := condition(pos, x.X)
			return !b, err
		}
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			break
		}
		a, err := condition(pos, x.X)
		if err != nil {
			return false, err
		}
		b, err := condition(pos, x.Y)
		if x.Op == token.LAND {
			return a && b, err
		}
		return a || b, err
	}
	return false, errors.Newf(pos, "@if takes tags, &&, ||, ! and parentheses only")
}
