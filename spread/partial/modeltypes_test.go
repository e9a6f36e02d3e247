package partial

import (
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"

	model "kumiki.dev/schema"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// modelFiles are the sources of the model.
func modelFiles(t *testing.T) (out []*ast.File) {
	t.Helper()
	names, err := fs.Glob(model.Files(), "kumori.systems/kumori/*.cue")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(model.Files(), name)
		require.NoError(t, err)
		f, err := parser.ParseFile(path.Base(name), text, parser.ParseComments)
		require.NoError(t, err)
		out = append(out, f)
	}
	return out
}

// leavesOfModel are what is tried as a leaf.
var leavesOfModel = []string{
	`""`, `"a"`, `"M"`, `"m"`, `"Ki"`, `"cpu"`, `"ram"`, `"http"`, `"grpc"`, `"ms"`, `"low"`, `"json"`, `-1`, `0`, `1`, `80`, `65535`, `65536`, `4095`, `4096`, `4294967295`, `4294967296`,
	`1.5`, `-0.5`, `true`, `null`, `[]`, `["a"]`, `["a", "b"]`, `[1]`, `{}`, `{a: 1}`, `{a: "b"}`, `[{a: 1}]`,
}

// draw makes a value of a type that is right in most parts.
func draw(t *testing.T, r *rand.Rand, ctx *cue.Context, s *schema) *value.Data {
	t.Helper()
	leaf := func() *value.Data { return dataOf(t, ctx, leavesOfModel[r.IntN(len(leavesOfModel))]) }
	switch {
	case r.IntN(60) == 0:
		return leaf()
	case s.each != nil:
		d := value.NewStruct(s.place)
		for _, name := range []string{"a", "b"}[:r.IntN(3)] {
			d = d.Set(name, draw(t, r, ctx, s.each))
		}
		return d
	case s.fields == nil:
		for {
			if d := leaf(); s.check(d) || r.IntN(100) == 0 {
				return d
			}
		}
	}
	d := value.NewStruct(s.place)
	for _, f := range s.fields {
		given := 20
		if f.optional || f.beside != "" || f.schema.fallback != nil || f.schema.sibling != nil {
			given = 2
		}
		if r.IntN(given) != 0 == (given == 20) {
			d = d.Set(f.name, draw(t, r, ctx, f.schema))
		}
	}
	if r.IntN(60) == 0 {
		d = d.Set("other", leaf())
	}
	return d
}

// TestModelTypes: what Go makes of values by the model's types is what CUE makes of them. Of most values that CUE takes, CUE need not be asked.
func TestModelTypes(t *testing.T) {
	t.Parallel()
	files := modelFiles(t)
	m := modelTypes{&spread.Package{Files: files}}
	inst := build.NewContext().NewInstance("", nil)
	for _, f := range files {
		require.NoError(t, inst.AddSyntax(f))
	}
	require.NoError(t, inst.Complete())
	const rounds = 120
	for _, at := range []string{
		"code", "code.a", "code.a.image", "code.a.image.hub", "code.a.image.tag", "code.a.cmd", "code.a.user", "code.a.size", "code.a.size.cpu", "code.a.size.memory.unit",
		"code.a.mapping", "code.a.mapping.env", "code.a.mapping.env.a", "code.a.mapping.filesystem", "code.a.mapping.filesystem.a", "code.a.mapping.filesystem.a.data", "code.a.mapping.filesystem.a.data.value", "code.a.mapping.filesystem.a.data.value.a.b",
		"srv", "srv.client", "srv.server.a", "srv.server.a.port", "srv.duplex.a.protocol", "size", "size.bandwidth", "profile", "probe", "probe.a", "probe.a.liveness", "probe.a.readiness.protocol.exec.command",
	} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			ctx := cuecontext.New()
			body := ctx.BuildInstance(inst)
			r, names := rand.New(rand.NewPCG(1, 2)), strings.Split(at, ".")
			in, within := "#ComponentBody", names
			if names[0] == "srv" {
				in, within = "#MicroService", names[1:]
			}
			s, _ := m.at(append([]string{"description"}, names...))
			require.NotNil(t, s)
			typ, taken, made := typeAt(m, append([]string{"description"}, names...)), 0, 0
			for range rounds {
				d := draw(t, r, ctx, s)
				got, ok := typ(d)
				whole := value.NewStruct(d.Pos).With(append([]string{in}, within...), d).Get(in)
				v := body.LookupPath(cue.ParsePath(in)).Unify(ctx.BuildExpr(spread.Expr(whole))).LookupPath(spread.PathOf(within))
				f := &spread.Finisher{}
				want := f.Finish(v, nil)
				if v.Validate(cue.Concrete(true)) != nil || len(f.Problems) > 0 || want == nil {
					require.False(t, ok, "CUE takes no %s", d.JSON())
					continue
				}
				taken++
				if ok {
					made++
					require.Equal(t, want.JSON(), got.JSON(), d.JSON())
				}
			}
			require.Greater(t, taken, rounds/8)
			require.Greater(t, made, taken*3/4)
		})
	}
	for _, path := range []string{"config", "role.a", "vset.a", "connect.a", "code.a.nothing", "code.a.image.tag.x", "srv.other"} {
		s, _ := m.at(append([]string{"description"}, strings.Split(path, ".")...))
		require.Nil(t, s, path)
	}
	for _, path := range []string{"code", "code.a", "code.a.cmd", "srv.server", "probe.a.liveness"} {
		_, optional := m.at(append([]string{"description"}, strings.Split(path, ".")...))
		require.True(t, optional, path)
	}
	for _, path := range []string{"code.a.image", "code.a.name", "code.a.size.mincpu", "srv.server.a.port", "code.a.mapping.filesystem.a.mode", "size.minbandwidth"} {
		s, optional := m.at(append([]string{"description"}, strings.Split(path, ".")...))
		require.NotNil(t, s, path)
		require.False(t, optional, path)
	}
}
