package wording

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/value"
)

// Path writes a path as CUE does: config.parameter.hosts[1].name.
func Path(path []string) string {
	var b strings.Builder
	for i, name := range path {
		if _, ok := value.Index(name); ok {
			b.WriteString(name)
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(label(name))
	}
	return b.String()
}

// label quotes a field name where CUE needs that.
func label(name string) string {
	return cue.MakePath(cue.Str(name)).String()
}

// modelPath names the field at the path of one of CUE's errors. That of an artifact as a whole has no names but the
// definition's.
func modelPath(path []string) string {
	switch p := Path(fromcue.FieldPath(fromcue.Elements(path))); {
	case p != "":
		return p
	case len(path) > 0 && path[0] == "#Deployment":
		return "the deployment"
	}
	return "the artifact"
}

// Short is a text of at most 60 characters: the end of a longer one is left out.
func Short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "…"
	}
	return s
}

// OneLine writes an expression of the sources on one line, in short.
func OneLine(x ast.Expr) string {
	b, err := format.Node(x)
	if err != nil {
		return ""
	}
	return Short(strings.Join(strings.Fields(string(b)), " "))
}

// text writes an argument of CUE's messages on one line, in short.
func text(arg any) string { return Short(oneLineOf(arg)) }

// oneLineOf writes an argument of CUE's messages on one line.
func oneLineOf(arg any) string {
	return standInName().ReplaceAllString(strings.Join(strings.Fields(fmt.Sprint(arg)), " "), "_")
}

// standInName is what stands for a name that nothing has.
var standInName = lazyregexp.New(fromcue.StandInName + `[0-9]+\([^()]*\)`)
