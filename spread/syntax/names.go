package syntax

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
	"golang.org/x/text/unicode/norm"
)

// LabelName is the name that a label gives a field, "" if that depends on
// something. As CUE does, it takes characters that are written in quotes as
// combinations of others for those.
func LabelName(l ast.Label) string {
	name, isName, err := ast.LabelName(l)
	if err != nil {
		return ""
	}
	if !isName {
		return norm.NFC.String(name)
	}
	return name
}

// IsPlainField reports whether a field has a name and a value, and nothing else.
func IsPlainField(f *ast.Field) bool { return LabelName(f.Label) != "" && HasOnlyValue(f) }

// HasOnlyValue reports whether a field is a label and a value: it is neither optional nor required, and
// has no alias and no attributes.
func HasOnlyValue(f *ast.Field) bool {
	_, isAlias := f.Label.(*ast.Alias)
	return !isAlias && f.Constraint == token.ILLEGAL && f.Alias == nil && f.Value != nil && len(f.Attrs) == 0
}

// IsAside reports whether a name is that of a hidden field or a definition.
func IsAside(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") }

// IsType reports whether a name is CUE's own for a type that has no fields, or for any value: int, _.
func IsType(name string) bool { return types[name] }

var types = map[string]bool{
	"bool": true, "bytes": true, "float": true, "float32": true, "float64": true, "int": true, "int8": true, "int16": true, "int32": true,
	"int64": true, "int128": true, "number": true, "rune": true, "string": true, "uint": true, "uint8": true, "uint16": true, "uint32": true,
	"uint64": true, "uint128": true, "_": true,
}

// IsAnyName reports whether a label is  [string].
func IsAnyName(l ast.Label) bool {
	pattern, ok := l.(*ast.ListLit)
	if !ok || len(pattern.Elts) != 1 {
		return false
	}
	id, ok := pattern.Elts[0].(*ast.Ident)
	return ok && id.Name == "string" && id.Node == nil
}
