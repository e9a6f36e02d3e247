package compute_test

import (
	"math/rand/v2"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/encoding/yaml"
	"github.com/stretchr/testify/require"

	"kumiki.dev/spread/compute"
)

var (
	oddNames = []string{"a", "b", "name", "-a", "-", "---", "...", "? b", ":", ": c", "a b", "null", "10", "0x1f", "é", "", "#x", "a: b", "'q'", `"d"`, "<<", "y", "%x", "@a", " x", "x ", "a\nb", "true", "[", "{a", "*a", "&a", "!a", "|", ">", "1.5", "~"}
	oddTexts = append([]string{"x", "a\n", "a\nb", "a\n\nb\n", "\n", "\na", " a\nb", "a\n b\n", "a\t", "\ta\nb", "a: b\nc: d\n", "- a\n- b\n", "\"a\": 1\nb: 2\n", "a # b", "a\r\nb", "2020-01-01", "\u2028", "a\u0085b", "😀", "012", "1_000"}, oddNames...)
)

// TestYAML compares what is remembered of the fields of structs, and put together, with what CUE writes of each struct.
func TestYAML(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var y compute.YAML
	for range 3000 {
		x := oddStruct(random, 2)
		want, err := yaml.Encode(cuecontext.New().BuildExpr(x))
		got, ok := y.Marshal(x)
		require.Equal(t, err == nil, ok)
		if ok {
			require.Equal(t, string(want), got)
		}
	}
}

func oddStruct(random *rand.Rand, depth int) *ast.StructLit {
	out := &ast.StructLit{}
	for _, i := range random.Perm(len(oddNames))[:random.IntN(5)] {
		out.Elts = append(out.Elts, &ast.Field{Label: ast.NewString(oddNames[i]), Value: oddValue(random, depth)})
	}
	return out
}

func oddValue(random *rand.Rand, depth int) ast.Expr {
	switch n := random.IntN(12); {
	case n == 0:
		return ast.NewNull()
	case n == 1:
		return ast.NewBool(random.IntN(2) == 0)
	case n == 2:
		return ast.NewLit(token.INT, []string{"1", "12", "1_000", "0x1f"}[random.IntN(4)])
	case n == 3 && depth > 0:
		return oddStruct(random, depth-1)
	case n == 4 && depth > 0:
		out := &ast.ListLit{}
		for range random.IntN(3) {
			out.Elts = append(out.Elts, oddValue(random, depth-1))
		}
		return out
	}
	return ast.NewString(oddTexts[random.IntN(len(oddTexts))])
}
