package syntax_test

import (
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"

	"kumiki.dev/spread/syntax"
)

// TestEdit makes the same change in a file itself and in a copy of it: the texts are the same,
// and CUE finds the expected values in both, so names lead to what there is now.
func TestEdit(t *testing.T) {
	for _, c := range []struct {
		name, src, want string
	}{
		{"one field goes", `gone: 1, a: b, b: 2`, `{a: 2, b: 2}`},
		{"its other name goes too", `let X = 1
gone: X
a: 2`, `{a: 2}`},
		{"so does its import", `import "strings"
gone: strings.ToUpper("x")
a: 2`, `{a: 2}`},
		{"an import that is still used stays", `import "strings"
gone: strings.ToUpper("x")
a: strings.ToUpper("y")`, `{a: "Y"}`},
		{"a value is another one", `a: {now: b}, b: old`, `{a: {now: "new"}, b: "new"}`},
		{"deep within", `a: [for x in [old] {x}, {y: "\(old)"}], b: *(old & string) | 1`, `{a: ["new", {y: "new"}], b: "new"}`},
		{"one that a name stands for", `b: {c: old}, a: b.c`, `{b: {c: "new"}, a: "new"}`},
		{"a struct that something refers to", `S: {gone: 1, a: 2}, b: S`, `{S: {a: 2}, b: {a: 2}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			copied, edited := parse(t, c.src), parse(t, c.src)
			was := text(t, copied)
			files := syntax.Copy([]*ast.File{copied}, changeOf(copied))
			require.Equal(t, was, text(t, copied), "the original stays as it is")
			syntax.Edit([]*ast.File{edited}, changeOf(edited))
			require.Equal(t, text(t, files[0]), text(t, edited))
			ctx := cuecontext.New()
			for _, f := range []*ast.File{files[0], edited} {
				v := ctx.BuildFile(f)
				require.NoError(t, v.Validate(cue.Concrete(true)))
				require.True(t, v.Equals(ctx.CompileString(c.want)), "%v", v)
			}
		})
	}
}

// changeOf leaves out fields that are called gone, and puts "new" in place of old.
func changeOf(f *ast.File) syntax.Change {
	instead := map[ast.Expr]ast.Expr{}
	labels := map[ast.Node]bool{}
	ast.Walk(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			labels[x.Label] = true
		case *ast.Ident:
			if x.Name == "old" && !labels[x] {
				instead[x] = ast.NewString("new")
			}
		}
		return true
	}, nil)
	return syntax.Change{Instead: instead, Drop: func(_ ast.Node, d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		return ok && syntax.LabelName(f.Label) == "gone"
	}}
}

func parse(t *testing.T, src string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile("x.cue", src)
	require.NoError(t, err)
	return f
}

func text(t *testing.T, f *ast.File) string {
	t.Helper()
	out, err := format.Node(f)
	require.NoError(t, err)
	return string(out)
}
