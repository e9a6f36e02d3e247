package partial

import (
	"io/fs"
	"slices"
	"testing"

	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	model "kumiki.dev/schema"
)

// TestVariableFields holds what is read without CUE to the model: an environment
// variable has optional texts and nothing else.
func TestVariableFields(t *testing.T) {
	text, err := fs.ReadFile(model.Files(), "kumori.systems/kumori/mapping.cue")
	require.NoError(t, err)
	f, err := parser.ParseFile("mapping.cue", text)
	require.NoError(t, err)
	env := (&spread.Package{Files: []*ast.File{f}}).Definitions("#Env")
	require.Len(t, env, 1)
	var names []string
	for _, d := range env[0].Value.(*ast.StructLit).Elts {
		x, ok := d.(*ast.Field)
		require.True(t, ok)
		require.Equal(t, token.OPTION, x.Constraint)
		require.Equal(t, "string", x.Value.(*ast.Ident).Name)
		names = append(names, syntax.LabelName(x.Label))
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(variableFields)), slices.Sorted(slices.Values(names))); diff != "" {
		t.Errorf("(-read without CUE +model):\n%s", diff)
	}
}

// TestSchemaOf says which types of parameters are read from the sources, and what
// a parameter falls back to.
func TestSchemaOf(t *testing.T) {
	tests := []struct{ source, fallback string }{ // "" for none, "no" where CUE is asked
		{`string`, ""}, {`bool`, ""}, {`int`, ""}, {`uint`, ""}, {`number`, ""}, {`*1 | number`, `1`}, {`*1.5 | number`, "no"}, {`number & >=0`, "no"}, {`_`, "no"},
		{`"a"`, `"a"`}, {`7`, `7`}, {`true`, `true`}, {`0x10`, `16`}, {`0o755`, `493`}, {`0b101`, `5`}, {`*0xff | int`, `255`}, {`0xFFFFFFFFFFFFF`, "no"}, {`1_000`, "no"}, {`1K`, "no"}, {`1.5`, "no"}, {`null`, "no"},
		{`*"a" | string`, `"a"`}, {`*"a" | "b" | "c"`, `"a"`}, {`"a" | *"b"`, `"b"`}, {`*7 | (int & >=1 & <=10)`, `7`}, {`*7 | int & >8`, `7`},
		{`*7 | (int & >8 & <=10)`, `7`}, {`*7 | uint`, `7`}, {`*"a" | (string)`, "no"}, {`*7 | 8 | int`, `7`}, {`*7 | (*8 | int)`, "no"}, {`*7 | (8 | *int)`, "no"}, {`*(7) | int`, "no"}, {`!true`, "no"}, {`-7`, "no"},
		{`"a" | "b"`, ""}, {`"a" | "a"`, "no"}, {`"a" | "\u0061"`, "no"}, {`"a" | string`, "no"}, {`7 | int`, "no"},
		{`*"a" | *"b"`, "no"}, {`(*"a" | "b") | "c"`, "no"}, {`*"a" | ("b" | "c")`, `"a"`}, {`*"a" | _`, "no"},
		{`int & >=1 & <=2`, ""}, {`int & >0 & <=2`, ""}, {`int & >0 & <=1`, "no"}, {`int & >=1 & <3`, ""}, {`int & >=1 & <2`, "no"}, {`int & >1 & <=1`, "no"}, {`uint & <=1`, ""}, {`uint & <=0`, "no"}, {`uint & <1`, "no"}, {`uint & <2`, ""}, {`<=10 & int`, ""}, {`<=10`, ""}, {`int & !=5`, "no"}, {`int & >=-1`, "no"}, {`int & >=1.5`, "no"}, {`int | >5`, "no"}, {`>=1 & >=5 & int & <=5`, "no"}, {`int & >=1 & <=10 & <=9`, ""},
		{`int & >=1 & <=10`, ""}, {`int & >=1 & <=1`, "no"}, {`int & >=2 & <=1`, "no"}, {`*1 | (int & >=2 & <=1)`, "no"}, {`int & string`, "no"},
		{`{x: 1}`, "no"}, {`[...string]`, "no"}, {`#type`, "no"}, {`string & !=""`, "no"},
	}
	for _, test := range tests {
		t.Run(test.source, func(t *testing.T) {
			f := parse(t, "p.cue", "#type: string\np: "+test.source)
			s := schemaOf(f.Decls[1].(*ast.Field))
			if test.fallback == "no" {
				require.Nil(t, s)
				return
			}
			require.NotNil(t, s)
			got := ""
			if s.fallback != nil {
				got = s.fallback.JSON()
			}
			require.Equal(t, test.fallback, got)
			_, isLiteral := f.Decls[1].(*ast.Field).Value.(*ast.BasicLit)
			require.Equal(t, isLiteral, s.fixed)
			compareChecks(t, test.source, s.check)
		})
	}
}
