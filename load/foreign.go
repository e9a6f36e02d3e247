package load

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/lazyregexp"
)

// foreign is a way to write that other languages have, found in the line that CUE's
// parser stops at, or in the one before.
type foreign struct {
	like *regexp.Regexp
	// say words the mistake; $1 and so on are what was found.
	say string
}

const isTemplate = "this is a template, as Helm has them, and CUE is none: refer to what is configured by its path, description.config.parameter.NAME; within a text write \"\\(x)\""

// otherBracket is part of what is said of a bracket that another one closes: what the parser
// finds after that follows from it.
const otherBracket = "ends with"

// foreigners are tried in their order, on a line without the insides of its strings.
var foreigners = sync.OnceValue(func() []foreign {
	return []foreign{
		{regexp.MustCompile(`\{\{|:\s*\.[A-Z]\w*`), isTemplate},
		{regexp.MustCompile(`:\s*\$[({]?\w`), "CUE knows no variables of a shell: refer to what is configured by its path, description.config.parameter.NAME; within a text write \"\\(x)\""},
		{regexp.MustCompile(`^\s*variable\s+("\w*"|\w+)\s*\{`), "this is a block of Terraform's: what can be configured is declared as config: parameter: NAME: string"},
		{regexp.MustCompile(`^\s*(resource|module|output|provider|data|terraform|locals)\s*("\w*"\s*)*\{`), "this is a block of Terraform's: in CUE a field has a colon, $1: {…}"},
		{regexp.MustCompile(`<<-?\s*"?[A-Za-z]+`), "a text of several lines is between three double quotes, each in a line of its own: \"\"\""},
		{regexp.MustCompile(`^\s*([A-Za-z_#][\w-]*)\s*\{`), "a field has a colon before its brace: write $1: {"},
		{regexp.MustCompile("[“”„]"), "a text is in plain double quotes, \"…\", not in those of a word processor"},
		{regexp.MustCompile(`;\s*$`), "a field ends with its line: leave the ; out, or write a comma between fields of one line"},
		{regexp.MustCompile(`:\s*[|>][-+]?\s*$`), "this is YAML's text of several lines: in CUE it is between three double quotes, \"\"\""},
		{regexp.MustCompile(`^\s*-\s+[\w"]+\s*:`), "this is YAML's list: in CUE a list is in brackets, [{…}, {…}]"},
		{regexp.MustCompile(`\s\?\s.*\s:\s`), "CUE has no ?: to choose by: write [if CONDITION {A}, B][0], or two ifs around the field"},
		{regexp.MustCompile(`:\s*([A-Za-z][\w.-]*( +[\w.-]+)+)\s*,?\s*$`), "a text is in double quotes: write \"$1\""},
		{regexp.MustCompile(`[{,]\s*\w+\s*:\s*("[^"]*"|[\w.]+)\s+(\w+)\s*:`), "a comma is missing before $2: fields of one line are parted by commas"},
		{regexp.MustCompile(`[\["\w]\s*\]?\s*=>`), "a field has a colon in place of the =>"},
		{regexp.MustCompile(`^\s*(import)\b.*\bfrom\b|^\s*(import)\b.*\bas\b|^\s*(include|require|use|using)\b`), "a package is imported as import NAME \"PATH:PACKAGE\""},
		{regexp.MustCompile(`^\s*package\s*["':=]`), "the package clause is the word package and a name: write package deployment, or package component, or package service"},
		{regexp.MustCompile("`"), "a text is in double quotes, \"…\", or between three of them if it has several lines"},
		{regexp.MustCompile(`:\s*[A-Za-z]"`), "a text is in double quotes alone, and a value is put into it by \"\\(x)\""},
		{regexp.MustCompile(`/\*|\*/`), "a comment begins with // in each of its lines"},
		{regexp.MustCompile(`\?\?`), "CUE has no ??: a default is written where the field is declared, *\"…\" | string"},
		{regexp.MustCompile(`\bthen\b.*\belse\b|:.*\sif\s.*\selse\b`), "CUE chooses by [if CONDITION {A}, B][0], or two ifs around the field"},
		{regexp.MustCompile(`:\s*(![A-Za-z]+|&\w+|\*\w+\s*$)|<<:`), "this is YAML's: CUE gives a value a name by let x = …, and puts structs together by &"},
		{regexp.MustCompile(`\bfor\s+([\w, ]+)\s+in\s+(.*\S)\s*:`), "CUE's for has a struct behind it: write for $1 in $2 {…}"},
		{regexp.MustCompile(`(?:^|[{,:])\s*([A-Za-z_]\w*(?:-\w+)+|[0-9]+[A-Za-z_-][\w-]*)\s*:`), "a name with anything but letters, digits and _ is in quotes: write \"$1\": …"},
		{regexp.MustCompile(`(?:^|[{,])\s*(\w+)\.(\w+)\s*:`), "a field in a field is written with colons: $1: $2: …"},
		{regexp.MustCompile(`(?:^|[{,])\s*([a-z]\w*)\s+([A-Za-z]\w*)\s*:`), "a colon is missing behind $1: write $1: $2: …"},
		{regexp.MustCompile(`:\s*(?:\[\](\w+)|(\w+)\[\])`), "a list of any length is written [...$1$2]"},
		{regexp.MustCompile(`:\s*(/\S+/)\s*$`), "a regular expression is written =~\"…\""},
		{regexp.MustCompile(`(?:[&|:,(]|^)\s*~\s*"`), "a text that matches a regular expression is written =~\"…\""},
		{regexp.MustCompile(`\[\s*("[^"]*"|[A-Za-z_]\w*)\s*:\s*[^\s\]]`), "fields stand in braces: write {$1: …}, or in a list [{$1: …}]"},
		{regexp.MustCompile(`\[[^\[\]{}]*\}`), "a list that [ begins " + otherBracket + " ], and a } stands here"},
		{regexp.MustCompile(`\{[^\[\]{}]*\]`), "a struct that { begins " + otherBracket + " }, and a ] stands here"},
		{regexp.MustCompile(`([0-9]+)\.\.\.?([0-9]+)`), "a range is written >=$1 & <=$2"},
		{regexp.MustCompile(`:\s*0([0-7]+)\b`), "a number to the base of eight begins with 0o: write 0o$1"},
		{regexp.MustCompile(`:\s*([0-9]+[.:/-][0-9A-Za-z.:/-]+|\.{0,2}/[\w./-]*)`), "a text is in double quotes: write \"$1\""},
		{regexp.MustCompile(`,\s*,`), "there is a comma too many"},
		{regexp.MustCompile(`"\s*%`), "a value is put into a text by \"\\(x)\""},
		{regexp.MustCompile(`(\w+)\s*:=`), "a field has a colon: write $1: …; a name of your own for a value is let $1 = …"},
	}
})

// foreignSyntax words a mistake of syntax that comes from another language; "" for any
// other.
func foreignSyntax(text []byte, line int) string {
	for n := line; n >= max(1, line-1); n-- {
		_, code := lineAt(text, n)
		bare := withoutStrings(code)
		for _, f := range foreigners() {
			found := f.like.FindSubmatchIndex(bare)
			if found == nil {
				continue
			}
			return string(f.like.Expand(nil, []byte(f.say), code, found))
		}
	}
	if found := assignedDefinition().FindSubmatch(text); found != nil {
		return fmt.Sprintf("a definition has a colon: write %s: {", found[1])
	}
	return ""
}

// assignedDefinition is a definition that is written like a variable, of which CUE sees
// the mistake far below only.
var assignedDefinition = lazyregexp.New(`(?m)^\s*(#\w+)\s*=\s*[{\[]`)

// remedyOfSyntax says what to write where the parser's words alone do not.
func remedyOfSyntax(message string) string {
	switch {
	case strings.Contains(message, "unknown escape sequence"):
		return `; a backslash is written \\, and a text with several stands between #" and "#`
	case strings.Contains(message, "string literal not terminated"):
		return `; the text has no closing quote in its line, and one of several lines stands between three, """`
	case strings.Contains(message, "expected 'EOF', found '}'"):
		return "; this brace closes nothing that is open: one } is too many, here or above"
	case strings.Contains(message, "invalid import path"):
		return "; it is a path and a package, with one colon between them"
	}
	return ""
}

// template reports a template that CUE's parser makes something of: {{- if x }} is a struct
// in a struct, with the number -if.
func (l *loader) template(f *ast.File, text []byte) bool {
	found := false
	for spec := range f.ImportSpecs() {
		name, ok := strings.CutPrefix(spec.Path.Value, "'")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, "'")
		if l.once("import quotes", fromcue.Pos(spec.Path).String()) {
			l.report(diag.New(diag.Syntax, fromcue.Pos(spec.Path), "an import's path is in double quotes: write %q", name))
		}
		spec.Path.Value = strconv.Quote(name)
		astutil.Resolve(f, func(token.Pos, string, ...any) {})
	}
	ast.Walk(f, func(n ast.Node) bool {
		if scheme, ok := n.(*ast.Field); ok && isAddress(scheme, text) {
			if l.once("address", f.Filename) {
				l.report(diag.New(diag.Syntax, fromcue.Pos(scheme), "an address is a text, and in double quotes: write \"%s://…\"", scheme.Label.(*ast.Ident).Name))
			}
			found = true
		}
		inner, ok := structIn(n)
		if !ok || len(inner.Elts) == 0 {
			return true
		}
		first, _ := inner.Elts[0].(*ast.EmbedDecl)
		if first == nil {
			return true
		}
		if x, ok := first.Expr.(*ast.UnaryExpr); ok && x.Op == token.SUB {
			if at := fromcue.Pos(n); l.once("template", f.Filename) {
				l.report(diag.New(diag.Syntax, at, isTemplate))
			}
			found = true
		}
		return true
	}, nil)
	return found
}

// isAddress reports whether a field is the beginning of an address without quotes: in
// url: http://x.y, http is a field, and a comment follows.
func isAddress(f *ast.Field, text []byte) bool {
	_, isName := f.Label.(*ast.Ident)
	at := f.TokenPos.Offset()
	return isName && f.TokenPos.IsValid() && at < len(text) && bytes.HasPrefix(text[at:], []byte("://"))
}

// structIn is a struct that begins right behind the brace of another.
func structIn(n ast.Node) (*ast.StructLit, bool) {
	outer, ok := n.(*ast.StructLit)
	if !ok || len(outer.Elts) == 0 {
		return nil, false
	}
	embedded, ok := outer.Elts[0].(*ast.EmbedDecl)
	if !ok {
		return nil, false
	}
	inner, ok := embedded.Expr.(*ast.StructLit)
	return inner, ok && inner.Lbrace.Offset() == outer.Lbrace.Offset()+1
}

// unfilled is a text that stands for something which other tools put in its place.
var unfilled = lazyregexp.New(`^\s*(?:\$\{[^{}]*\}|\{\{.*\}\}|\$\([\w.]+\))\s*$|\$\{(?:var|local|module|data|each)\.[^{}]*\}|\{\{-?\s*\.(?:Values|Release|Chart)\b.*\}\}`)

// foreignTexts warns of values of a deployment that other tools would fill in, and nothing
// does here.
func (l *loader) foreignTexts(f *ast.File, text []byte) {
	if !bytes.Contains(text, []byte("#Deployment")) {
		return
	}
	ast.Walk(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || !strings.HasPrefix(lit.Value, `"`) {
			return true
		}
		value := strings.Trim(lit.Value, `"`)
		if at := fromcue.Pos(lit); unfilled().MatchString(value) && l.once("foreign", at.String()) {
			l.report(diag.Warn(diag.ForeignText, at, "%s is a text as it stands, and nothing fills it in: give the value itself, by -f or --set, or refer to a field, NAME without quotes", shortText(value)))
		}
		return true
	}, nil)
}

func shortText(text string) string {
	if r := []rune(text); len(r) > 40 {
		text = string(r[:39]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// assigned mends fields that are written like a variable in the field around them,
// parameter: title = "x", which CUE takes for another name of a value.
func (l *loader) assigned(f *ast.File) {
	var fields []*ast.Field
	used := map[string]bool{}
	ast.Walk(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			if x.Node != nil {
				used[x.Name] = true
			}
		case *ast.Field:
			if _, ok := x.Value.(*ast.Alias); ok {
				fields = append(fields, x)
			}
		}
		return true
	}, nil)
	for _, field := range fields {
		alias := field.Value.(*ast.Alias)
		if used[alias.Ident.Name] || strings.HasPrefix(alias.Ident.Name, "_") {
			continue
		}
		if at := diag.At(alias.Equal); l.once("assigned", at.String()) {
			d := diag.New(diag.Syntax, at, "a field has a colon in place of the =: write %s: …", alias.Ident.Name)
			if filter.Contains([]string{"string", "int", "uint", "number", "bool", "float"}, alias.Ident.Name) {
				d = diag.New(diag.Syntax, at, "a default is one of the alternatives, with a star: write *… | %s", alias.Ident.Name)
				l.report(d)
				field.Value = alias.Ident
				continue
			}
			d.Fixes = []diag.Fix{{Title: "write : for =", Edits: []diag.Edit{{Pos: at, Len: 1, Text: ":"}}}}
			l.report(d)
			l.mended[d] = true
		}
		field.Value = &ast.StructLit{Lbrace: alias.Pos(), Rbrace: alias.End(), Elts: []ast.Decl{
			&ast.Field{Label: alias.Ident, TokenPos: alias.Equal, Value: alias.Expr},
		}}
	}
}
