package lsp

import (
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/scanner"
	"cuelang.org/go/cue/token"
)

// cursor is a place in a text that need not be whole.
type cursor struct {
	// path are the fields that the cursor is in.
	path []string
	// value tells that a field's value is written there, not a label.
	value bool
	// start and end are the word that the cursor is in, or at the end of.
	start, end int
	// colon tells that a colon follows.
	colon bool
}

// frame is an open bracket, with the fields that lead to it.
type frame struct {
	brace bool
	path  []string
}

// cursorAt reads the text up to the offset, where the word that is being
// written begins, token by token: a parser would give up.
func cursorAt(text []byte, offset int) cursor {
	at := cursor{start: offset, end: offset}
	at.start = wordStart(text, offset)
	for at.end < len(text) && isWord(text[at.end]) {
		at.end++
	}
	if at.end < len(text) && text[at.end] == '"' && at.start < len(text) && text[at.start] == '"' && at.start != at.end {
		at.end++
	}
	at.colon = at.end < len(text) && text[at.end] == ':'
	stack := []frame{{brace: true}}
	var chain []string // the labels of a: b: c: since the last comma
	last, after := "", false
	inside := 0 // brackets of a value
	scan(text[:at.start], func(tok token.Token, word string) {
		top := &stack[len(stack)-1]
		switch tok {
		case token.IDENT, token.STRING:
			last = word
			return
		case token.OPTION, token.NOT:
			return
		case token.COLON:
			if inside == 0 && top.brace {
				chain, after = append(chain, last), true
			}
		case token.COMMA:
			chain, after = nil, false
		case token.LBRACE:
			stack = append(stack, frame{true, append(append([]string{}, top.path...), chain...)})
			chain, after = nil, false
		case token.LBRACK, token.LPAREN:
			inside++
		case token.RBRACK, token.RPAREN:
			inside = max(inside-1, 0)
		case token.RBRACE:
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
			chain, after = nil, false
		}
	})
	at.path = append(append([]string{}, stack[len(stack)-1].path...), chain...)
	at.value = after
	return at
}

// scan calls f for each token; the name of a quoted label is without quotes.
func scan(text []byte, f func(token.Token, string)) {
	defer func() { _ = recover() }() // the scanner panics where a string is not closed
	var s scanner.Scanner
	s.Init(token.NewFile("", -1, len(text)), text, func(token.Pos, string, []any) {}, 0)
	for {
		_, tok, word := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.STRING {
			if name, err := literal.Unquote(word); err == nil {
				word = name
			}
		}
		if tok.IsKeyword() {
			tok = token.IDENT
		}
		f(tok, word)
	}
}

func wordStart(text []byte, offset int) int {
	start := offset
	for start > 0 && isWord(text[start-1]) {
		start--
	}
	if start > 0 && text[start-1] == '"' {
		// An even number of quotes before it: this one begins a string.
		quotes := 0
		for i := start - 2; i >= 0 && text[i] != '\n'; i-- {
			if text[i] == '"' {
				quotes++
			}
		}
		if quotes%2 == 0 {
			start--
		}
	}
	return start
}

func isWord(b byte) bool {
	return b == '_' || b == '#' || b == '$' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
