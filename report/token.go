package report

import (
	"bytes"
	"path/filepath"
	"unicode"
	"unicode/utf8"

	"cuelang.org/go/cue/scanner"
	"cuelang.org/go/cue/token"
)

// tokenLen is the length of the token that text begins with: in YAML a scalar
// or key, else a word, a path of words or a literal of CUE (and so of JSON).
func tokenLen(file string, text []byte) int {
	switch filepath.Ext(file) {
	case ".yaml", ".yml":
		return yamlLen(text)
	}
	var s scanner.Scanner
	s.Init(token.NewFile("", -1, len(text)), text, nil, 0)
	pos, tok, literal := s.Scan()
	if pos.Offset() > 0 || len(literal) == 0 && tok == token.EOF {
		return 0 // nothing but space or a comment begins here
	}
	switch {
	case tok == token.IDENT || tok.IsKeyword():
		return pathLen(text, len(literal))
	case tok == token.INTERPOLATION:
		return len(literal) - len(`\(`)
	case tok == token.COMMA && literal == "\n":
		return 0
	case tok == token.ILLEGAL:
		_, n := utf8.DecodeRune(text)
		return n
	case tok.IsLiteral() || tok == token.STRING || tok == token.ATTRIBUTE:
		return len(literal)
	case unary[tok]:
		if pos, tok, literal := s.Scan(); tok.IsLiteral() {
			return pos.Offset() + len(literal)
		}
	}
	return len(tok.String())
}

// unary are the operators that make one value with the literal behind them.
var unary = map[token.Token]bool{
	token.SUB: true, token.ADD: true, token.NOT: true, token.MUL: true,
	token.LSS: true, token.LEQ: true, token.GTR: true, token.GEQ: true,
	token.NEQ: true, token.MAT: true, token.NMAT: true,
}

// pathLen is the length of a.b.c, of which the first n bytes are a.
func pathLen(text []byte, n int) int {
	for n+1 < len(text) && text[n] == '.' {
		r, _ := utf8.DecodeRune(text[n+1:])
		if !startsWord(r) {
			break
		}
		n++
		end := bytes.IndexFunc(text[n:], func(r rune) bool { return !startsWord(r) && !unicode.IsDigit(r) })
		if end < 0 {
			return len(text)
		}
		n += end
	}
	return n
}

func startsWord(r rune) bool { return r == '_' || r == '#' || r == '$' || unicode.IsLetter(r) }

// yamlLen is the length of a scalar in one line, quoted or plain.
func yamlLen(text []byte) int {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if len(line) > 1 && (line[0] == '"' || line[0] == '\'') {
		if i := bytes.IndexByte(line[1:], line[0]); i >= 0 {
			return i + 2
		}
	}
	for i, b := range line {
		next := byte(' ')
		if i+1 < len(line) {
			next = line[i+1]
		}
		if b == ':' && next == ' ' || b == ' ' && next == '#' || bytes.IndexByte([]byte(",]}"), b) >= 0 {
			line = line[:i]
			break
		}
	}
	return len(bytes.TrimRight(line, " \t\r"))
}
