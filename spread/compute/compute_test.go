package compute_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"

	"kumiki.dev/spread/compute"
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

const imports = `
import (
	"html"
	"regexp"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/yaml"
	"list"
	"strconv"
	"strings"
	"text/template"
)
`

// pair is one expression as Go and as plain CUE see it.
type pair struct {
	t      *testing.T
	config string
}

// configOf gives plain CUE's values of config as data.
func (p pair) configOf() *value.Data {
	v := cuecontext.New().CompileString(p.config)
	require.NoError(p.t, v.Err(), p.config)
	return dataOf(p.t, v)
}

func dataOf(t *testing.T, v cue.Value) *value.Data {
	switch v.Kind() {
	case cue.StructKind:
		out := &value.Data{Kind: value.Struct}
		fields, err := v.Fields()
		require.NoError(t, err)
		for fields.Next() {
			out.Fields = append(out.Fields, value.Field{Name: fields.Selector().Unquoted(), Value: dataOf(t, fields.Value())})
		}
		slices.SortFunc(out.Fields, func(a, b value.Field) int { return strings.Compare(a.Name, b.Name) })
		return out
	case cue.ListKind:
		out := &value.Data{Kind: value.List}
		items, err := v.List()
		require.NoError(t, err)
		for items.Next() {
			out.Items = append(out.Items, dataOf(t, items.Value()))
		}
		return out
	}
	d := &value.Data{Kind: map[cue.Kind]value.Kind{
		cue.NullKind: value.Null, cue.BoolKind: value.Bool, cue.IntKind: value.Int, cue.FloatKind: value.Float, cue.StringKind: value.String,
	}[v.Kind()]}
	if d.Kind == value.String {
		s, err := v.String()
		require.NoError(t, err)
		d.Text = s
		return d
	}
	text, err := v.MarshalJSON()
	require.NoError(t, err)
	d.Text = string(text)
	return d
}

// closed is an expression as depends writes it out; nil if it does not.
func (p pair) closed(expr string) *depends.Closed {
	const types = "a: string, b: string, n: int, m: int, t: bool, f: bool, l: [...string], e: [...string], k: [...int], o: {q: string, r: int}, q?: int, z: null"
	source := "@experiment(try)\npackage p\n" + imports + "#Artifact: description: {config: parameter: {" + types + "}, code: x: " + expr + "}\n"
	f, err := parser.ParseFile("p.cue", source)
	require.NoError(p.t, err, source)
	s := depends.Read(&depends.Package{Files: []*ast.File{f}, Import: func(string) *depends.Package { return nil }})
	for _, h := range s.Holes("description", "code") {
		if strings.Join(h.Path, ".") == "x" {
			return h.Closed
		}
	}
	return nil
}

// byGo is what Go makes of an expression, nil if it leaves that to CUE.
func (p pair) byGo(expr string) *value.Data {
	c := p.closed(expr)
	if c == nil {
		return nil
	}
	x := compute.New(c)
	if x == nil {
		return nil
	}
	return x.Value(value.NewStruct(value.Data{}.Pos, value.Field{Name: "parameter", Value: p.configOf()}))
}

// byCUE is what plain CUE makes of it, with the values of config beside it.
func (p pair) byCUE(expr string) (string, error) {
	source := imports + "config: parameter: " + p.config + "\nx: " + expr + "\n"
	f, err := parser.ParseFile("p.cue", source)
	require.NoError(p.t, err, source)
	used := map[string]bool{}
	ast.Walk(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	}, nil)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.ImportDecl); ok {
			var specs []*ast.ImportSpec
			for _, s := range d.Specs {
				path := strings.Trim(s.Path.Value, `"`)
				if used[path[strings.LastIndex(path, "/")+1:]] {
					specs = append(specs, s)
				}
			}
			d.Specs = specs
		}
	}
	v := cuecontext.New().BuildFile(f).LookupPath(cue.ParsePath("x"))
	if err := v.Validate(cue.Concrete(true)); err != nil {
		return "", err
	}
	d := dataOf(p.t, v)
	return fmt.Sprint(d.Kind, " ", d.Text), nil
}

// compare reports whether Go makes something of an expression. That has to be what CUE makes.
func (p pair) compare(expr string) bool {
	d := p.byGo(expr)
	if d == nil {
		return false
	}
	want, err := p.byCUE(expr)
	require.NoError(p.t, err, "%s with %s is %q", expr, p.config, d.Text)
	require.Equal(p.t, want, fmt.Sprint(d.Kind, " ", d.Text), "%s with %s", expr, p.config)
	return true
}

const plain = `{a: "eu-1", b: "Tea, \"hot\" & <green> ü", n: 5, m: -3, t: true, f: false, l: ["x", "y", "a"], e: [], k: [3, 1, 2], o: {q: "deep", r: 1}, z: null}`

// TestValue compares expressions as people write them. Those that Go leaves to CUE are named.
func TestValue(t *testing.T) {
	t.Parallel()
	for expr, byGo := range map[string]bool{
		`config.parameter.a + "-" + config.parameter.b`:                                       true,
		`"\(config.parameter.a):\(config.parameter.n):\(!config.parameter.t)"`:                true,
		`-(config.parameter.n - 5)`:                                                           false, // CUE makes -0 of it
		`(config.parameter.n - 6) * (config.parameter.n - 5)`:                                 false,
		`config.parameter.m * (config.parameter.n - 5)`:                                       false,
		"\"\"\"\n\tname: \\(config.parameter.a)\n\tlines: \\(config.parameter.n)\n\t\"\"\"":   true,
		`#"\#(config.parameter.a)\n"#`:                                                        true,
		`config.parameter.n*2 - config.parameter.m`:                                           true,
		`config.parameter.n / 2`:                                                              false, // a fraction
		`config.parameter.n * 1.5`:                                                            false,
		`config.parameter.n + 9223372036854775807`:                                            false, // large
		`config.parameter.n + 0x10`:                                                           false,
		`-config.parameter.n`:                                                                 true,
		`!config.parameter.t`:                                                                 true,
		`config.parameter.n > 3 && config.parameter.a != "x"`:                                 true,
		`config.parameter.t || config.parameter.f`:                                            true,
		`config.parameter.f && (config.parameter.q > 1)`:                                      false, // q is not there
		`config.parameter.n == "5"`:                                                           false, // CUE compares kinds in its own way
		`config.parameter.z == null`:                                                          false,
		`config.parameter.a =~ "^eu-[0-9]$"`:                                                  true,
		`config.parameter.a !~ "^eu"`:                                                         true,
		`config.parameter.a =~ "("`:                                                           false, // not a pattern
		`len(config.parameter.b)`:                                                             true,
		`len(config.parameter.l) + len(config.parameter.e)`:                                   true,
		`len(config.parameter.o) + len(config.parameter)`:                                     true,
		`config.parameter.o.q + config.parameter.o["q"]`:                                      true,
		`config.parameter.l[config.parameter.o.r] + "x"`:                                      true,
		`"\(config.parameter[config.parameter.l[2]])!"`:                                       true,
		`template.Execute("{{range $k, $v := .}}{{$k}}={{$v}} {{end}}", config.parameter.o)`:  true,
		`template.Execute("{{.o}} {{.l}} {{.z}} {{.n}}", config.parameter)`:                   true,
		`json.Marshal([config.parameter.o])`:                                                  false, // in the order of its fields
		`div(config.parameter.m, 2) + mod(config.parameter.m, 2)`:                             true,
		`quo(config.parameter.m, 2) + rem(config.parameter.m, 2)`:                             true,
		`div(config.parameter.n, 0)`:                                                          false,
		`strings.Join(config.parameter.l, ",")`:                                               true,
		`strings.Join(config.parameter.e, ",")`:                                               true,
		`strings.Join(config.parameter.k, ",")`:                                               false, // numbers
		`strings.Join([for p in config.parameter.l if p != "y" {"http://\(p)"}], " ")`:        true,
		`strings.Join([for i, p in config.parameter.l let q = "\(i)" {q + p}, "end"], " ")`:   true,
		`strings.Join(list.SortStrings(config.parameter.l), "")`:                              true,
		`strings.Replace(config.parameter.a, "e", "E", -1)`:                                   true,
		`strings.Split(config.parameter.a, "-")[1]`:                                           true,
		`strings.Split(config.parameter.a, "-")[2]`:                                           false,
		`strings.ToUpper(config.parameter.b) + strings.ToLower(config.parameter.b)`:           true,
		`strings.TrimSuffix(config.parameter.a, "-1") + strings.TrimPrefix("ab", "a")`:        true,
		`strings.HasPrefix(config.parameter.a, "eu")`:                                         true,
		`strings.Contains(config.parameter.b, "hot")`:                                         true,
		`strings.Repeat(config.parameter.a, 3)`:                                               true,
		`strings.Repeat(config.parameter.a, 5000)`:                                            false, // as large as one likes
		`strings.Repeat(config.parameter.a, -config.parameter.n)`:                             false,
		`strings.SplitN(config.parameter.a, "u", 2)[1] + strings.SplitN("a-b-c", "-", -1)[2]`: true,
		`strings.SplitN(config.parameter.a, "u", 0)[0]`:                                       false,
		`regexp.Match("^e.-", config.parameter.a)`:                                            true,
		`regexp.Match("(", config.parameter.a)`:                                               false,
		`regexp.Find("[a-z]+", config.parameter.a)`:                                           true,
		`regexp.Find("[A-Z]+", config.parameter.a)`:                                           false, // which is an error
		`regexp.FindSubmatch("([a-z]+)-(.)?(x)?", config.parameter.a)[2]`:                     true,
		`regexp.FindSubmatch("([A-Z]+)", config.parameter.a)[0]`:                              false,
		`regexp.ReplaceAll("([a-z])-", config.parameter.a, "$1+${1}x$$")`:                     true,
		`regexp.ReplaceAllLiteral("-", config.parameter.a, "$1")`:                             true,
		`html.Escape("<\(config.parameter.a)> & 'it'")`:                                       true,
		`strings.SliceRunes(config.parameter.a, 0, 2)`:                                        false,
		`strings.Fields(config.parameter.b)[0]`:                                               true,
		`strconv.FormatInt(config.parameter.n, 2)`:                                            true,
		`strconv.Quote(config.parameter.b)`:                                                   true,
		`strconv.FormatInt(config.parameter.n, 1)`:                                            false,
		`list.Max(config.parameter.k) - list.Min([config.parameter.n, 8])`:                    true,
		`list.Max(config.parameter.e)`:                                                        false,
		`list.Contains(config.parameter.l, config.parameter.a)`:                               true,
		`list.Contains(config.parameter.l, config.parameter.n)`:                               false,
		`base64.Encode(null, config.parameter.b)`:                                             true,
		`hex.Encode(sha256.Sum256(config.parameter.a))`:                                       true,
		`hex.Encode(md5.Sum(config.parameter.a)) + hex.Encode(sha1.Sum(config.parameter.a))`:  true,
		`json.Marshal({name: config.parameter.b, "n-1": config.parameter.n, sub: {on: config.parameter.t, all: config.parameter.l, none: config.parameter.z}})`: true,
		`json.Marshal(config.parameter.o)`: false, // in the order of its fields
		`yaml.Marshal({name: config.parameter.b, "n-1": config.parameter.n, sub: {on: config.parameter.t, all: config.parameter.l, none: config.parameter.z}})`: true,
		`yaml.Marshal({z: config.parameter.b, a: "y"})`:                           true,
		`yaml.Marshal({z: config.parameter.b, b: "0x1f"})`:                        true,
		`yaml.Marshal({z: config.parameter.b, c: "10:20"})`:                       true,
		`yaml.Marshal({z: config.parameter.b, d: "a: b"})`:                        true,
		`yaml.Marshal({z: config.parameter.b, e: "#x"})`:                          true,
		`yaml.Marshal({z: config.parameter.b, "null": "null"})`:                   true,
		`yaml.Marshal({z: config.parameter.b, f: "a\nb"})`:                        true,
		`yaml.Marshal({z: config.parameter.b, g: ""})`:                            true,
		`yaml.Marshal({z: config.parameter.b, h: []})`:                            true,
		`yaml.Marshal({z: config.parameter.b, i: {}})`:                            true,
		`yaml.Marshal({z: config.parameter.b, j: [{x: 1}, {y: [2, 3]}]})`:         true,
		`yaml.Marshal({z: config.parameter.b, j: [-3]})`:                          true,
		`yaml.Marshal([config.parameter.a, "- x", [1, {v: config.parameter.b}]])`: true,
		`yaml.Marshal({z: config.parameter.b, a: "multi\n\n  line\n", b: " x", c: "1e3", d: "null", e: "~", f: "2020-01-01", g: "\t", h: "é", i: "*x", j: "[1]"})`: true,
		`yaml.Marshal(config.parameter.o)`:                                              false, // in the order of its fields
		`yaml.Marshal({a: config.parameter.a, a: string})`:                              false,
		`json.Marshal({a: config.parameter.a, a: string})`:                              false,
		`json.Marshal({a: config.parameter.a, _b: 1})`:                                  false,
		`json.Indent(json.Marshal([config.parameter.a, config.parameter.n]), "", "  ")`: true,
		`json.Unmarshal(config.parameter.a)`:                                            false,
		`template.Execute("{{.x}} {{range .l}}<{{.}}>{{end}} {{printf \"%03d\" .n}} {{.none}}", {x: config.parameter.b, l: config.parameter.l, n: config.parameter.n})`: true,
		`template.Execute("{{.x", {x: config.parameter.a})`:                        false,
		`template.Execute("{{.x.y}}", {x: config.parameter.a})`:                    false,
		`json.Marshal([for v in config.parameter.l {v: v}])`:                       false, // the field, not the variable
		`json.Marshal([for v in config.parameter.l {w: v, x: {v: 1, y: v}}])`:      false,
		`json.Marshal([for v in config.parameter.l {"v": v}])`:                     true,
		`json.Marshal([for v in config.parameter.l {w: v}])`:                       true,
		`json.Marshal([for v in config.parameter.l for v in [v, "w"] {"x": v}])`:   true,
		`json.Marshal([for v in config.parameter.l {len: 1, w: len(v)}])`:          false,
		`json.Marshal([for v in config.parameter.l let v = v + "!" {v}])`:          true,
		`json.Marshal([for strings in config.parameter.l {strings.ToUpper("a")}])`: false,
		`json.Marshal([for strings in config.parameter.l {w: strings}])`:           true,
		`strings.Join([if config.parameter.f {"a"} else {"b"}, "c"], ",")`:         false,
		`[if config.parameter.f {"a"} else {"b"}, "c"][0]`:                         false,
		`[if config.parameter.f if config.parameter.t {"b"}, "c"][0]`:              false, // of several conditions
		// What is wrong is for CUE wherever it stands.
		`strings.Join([if list.Contains([config.parameter.t], true) {"on"}, "end"], ",")`:                                          false,
		`strings.Join([if !list.Contains([config.parameter.l], config.parameter.l) {"x"}], "")`:                                    false,
		`strings.Join([for x in list.SortStrings([2, config.parameter.n]) {"x"}], ",")`:                                            false,
		`strings.Join([for x in list.Concat([["a"], config.parameter.z]) {x}], ",")`:                                               false,
		`["a", "b"][config.parameter.n*4294967296*4294967296] + "x"`:                                                               false,
		`strings.Join([for _ in config.parameter.l {"\(_)"}, "end"], ",")`:                                                         false,
		`strings.Join([for v, v in config.parameter.l {"\(v)"}], ",")`:                                                             false,
		`strings.Join([for _ in config.parameter.l {"x"}], ",")`:                                                                   true,
		`strings.Join([for _, v in config.parameter.l {v}], ",")`:                                                                  true,
		`list.Concat([config.parameter.l, ["x"]])[0]`:                                                                              false, // an item has a place of its own
		`strings.Join(list.Sort(config.parameter.l, list.Descending), "")`:                                                         true,
		`strings.Join(list.Sort(config.parameter.l, {x: string, y: string, less: x < y}), "")`:                                     false, // types that may refuse an item
		`strings.Join(list.Sort(config.parameter.l, {x: _, y: _, less: x > y}), "")`:                                               true,
		`strings.Join([for x in config.parameter.l {strings.Join(list.Sort(["b", x], {"x": _, "y": _, less: x > "c"}), "")}], "")`: false, // another x
		`strings.Join(list.Sort(config.parameter.e, list.Ascending), "")`:                                                          false,
		`strings.Join(list.Slice(config.parameter.l, 1, 9), "")`:                                                                   false,
		`strings.Join(list.Take(config.parameter.l, -1), "")`:                                                                      false,
		`strings.Join(list.Repeat(config.parameter.l, 4000), "")`:                                                                  false, // as large as one likes
		`list.Sum(list.Range(0, config.parameter.n, 2)) + list.Sum(list.Range(config.parameter.n, -3, -2))`:                        true,
		`list.Sum(list.Range(0, config.parameter.n, 0))`:                                                                           false,
		`list.Sum(list.Range(config.parameter.n, 0, 1))`:                                                                           false,
		`list.Sum(list.Range(config.parameter.n, 9999, 1))`:                                                                        false,
		`list.Sum(config.parameter.e)`:                                                                                             false,
		// Definitions with arguments, as they are written out.
		`({x: string, out: "\(x)!"} & {x: config.parameter.a}).out`:                             true,
		`({x: string, y: *2 | int, out: "\(x)\(y)"} & {x: config.parameter.a, y: 3}).out + "x"`: true,
		`({x: "a" | "b", out: "\(x)!"} & {x: config.parameter.a}).out`:                          false,
		`({x: string, out: "\(x)!", w: 1} & {x: config.parameter.a, w: 2}).out`:                 false,
		`({x: string, out: "\(y)!", y: "\(out)"} & {x: config.parameter.a}).out`:                false,
		`({x: string, out: "\(x)!"} & {y: config.parameter.a}).out`:                             false,
		`({x: string, out: x} & {x: config.parameter.a}).out`:                                   false, // a copy
		`({x: string, if x == "b" {y: 1}, out: "\(x)"} & {x: config.parameter.a}).out`:          false,
		`({in: {a: string, b: "B"}, out: "\(in.a)\(in.b)"} & {in: a: config.parameter.a}).out`:  true,
		// Whether something is there.
		`"\(config.parameter.q != _|_)\(config.parameter.o.r == _|_)"`: true,
		`"\(config.parameter.q == _|_)\(config.parameter.a != _|_)"`:   true,
		`"\(config.parameter["\(config.parameter.n / 2)"] != _|_)"`:    false,
		`"\(config.parameter[config.parameter.a] == _|_)"`:             false,
		// A part, and types beside.
		`config.parameter.k[1]`:                         true,
		`config.parameter.l[config.parameter.k[1]]`:     true,
		`config.parameter.l[config.parameter.n]`:        false,
		`config.parameter["\(config.parameter.l[2])"]`:  true,
		`config.parameter.z & (*null | string)`:         false,
		`"x\(config.parameter.n)" & (*"y" | string)`:    true,
		`"x\(config.parameter.n)" & ("y" | "x5" | int)`: true,
		`"x\(config.parameter.n)" & ("y" | "z")`:        false,
		`{y: config.parameter.n}.y + 1`:                 true,
		`[config.parameter.n, 2][0] + 1`:                true,
		`'\(config.parameter.a)'`:                       false, // bytes
		`len('abc') + config.parameter.n`:               false,
		`(config.parameter.a & string) + "x"`:           true,
		`(config.parameter.a & "eu-1") + "x"`:           true,
		`(config.parameter.a & "eu-2") + "x"`:           false,
		`(config.parameter.n & int & 5) * 2`:            true,
		`(config.parameter.n & string) * 2`:             false,
		`len(config.parameter.l & config.parameter.l)`:  false,
		`"\(config.parameter.n & (*3 | int))"`:          true,
		`"\(config.parameter.n & >3)"`:                  true,
		`5 & (config.parameter.n + 0)`:                  false, // it may lie in either
		`(*config.parameter.a | "c") + "x"`:             false,
		`config.parameter.a`:                            false, // a copy
		`"\(config.parameter.z)"`:                       false, // null is no text
		`"\(config.parameter.l)"`:                       false,
	} {
		t.Run(expr, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, byGo, pair{t, plain}.compare(expr))
		})
	}
}

// generator makes expressions of a kind, whose operands are values of config and literals. One of so many is of
// another kind; none if that is zero.
type generator struct {
	*rand.Rand
	confused int
}

// confuses reports whether an operand is to be of another kind.
func (g generator) confuses() bool { return g.confused > 0 && g.IntN(g.confused) == 0 }

func (g generator) of(choices ...func() string) string { return choices[g.IntN(len(choices))]() }

func is(s string) func() string { return func() string { return s } }

func (g generator) text(depth int) string {
	if g.confuses() {
		return g.of(func() string { return g.number(0) }, func() string { return g.truth(0) }, is("null"), is("1.5"), func() string { return g.texts(0) })
	}
	if depth == 0 {
		return g.of(is("config.parameter.a"), is("config.parameter.b"), is(`"-"`), is(`""`), is(`"é\t\\"`), is(`"eu-1"`))
	}
	t, n, l, c := func() string { return g.text(depth - 1) }, func() string { return g.number(depth - 1) }, func() string { return g.texts(depth - 1) }, func() string { return g.truth(depth - 1) }
	f := func(format string, of ...func() string) func() string {
		return func() string {
			args := make([]any, len(of))
			for i, x := range of {
				args[i] = x()
			}
			return fmt.Sprintf(format, args...)
		}
	}
	return g.of(t, f("(%s + %s)", t, t), f(`"<\(%s)|\(%s)>"`, t, n), f(`"\(%s)"`, c), f("strings.ToUpper(%s)", t), f("strings.ToLower(%s)", t), f("strings.TrimSpace(%s)", t),
		f("strings.Trim(%s, %s)", t, t), f("strings.TrimLeft(%s, %s)", t, t), f("strings.TrimRight(%s, %s)", t, t), f("strings.TrimPrefix(%s, %s)", t, t), f("strings.TrimSuffix(%s, %s)", t, t),
		f("strings.Join(%s, %s)", l, t), f("strings.Replace(%s, %s, %s, %s)", t, t, t, n), f("strings.Split(%s, %s)[0]", t, t), f("strings.SplitN(%s, %s, 2)[0]", t, t), f("html.Escape(%s)", t), f("regexp.ReplaceAll(\"[a-m]\", %s, %s)", t, t), f("regexp.ReplaceAllLiteral(\"[a-m]\", %s, %s)", t, t), f("strings.Repeat(%s, 2)", t), f("strconv.FormatBool(%s)", c), f("strconv.FormatInt(%s, 16)", n), f("strconv.Quote(%s)", t),
		f("base64.Encode(null, %s)", t), f("(%s & (%s | string))", t, t), f("hex.Encode(md5.Sum(%s))", t), f("hex.Encode(sha1.Sum(%s))", t), f("hex.Encode(sha256.Sum256(%s))", t), f("json.Marshal(%s)", t), f("yaml.Marshal({b: %s, a: {c: %s, d: [%s, null]}})", t, n, c), f("json.Marshal(%s)", n), f("json.Marshal(%s)", l),
		f(`json.Marshal({b: %s, a: {c: %s, d: [%s, null]}})`, t, n, c), f(`json.Indent(json.Marshal({b: %s, a: %s}), "", "\t")`, t, l), f(`template.Execute("{{.x}}{{range .l}}{{.}},{{end}}{{if gt .n 1}}+{{end}}", {x: %s, n: %s, l: %s})`, t, n, l),
		f("[if %s {%s}, %s][0]", c, t, t), f(`({x: string, n: *7 | int, out: "\(x):\(n)"} & {x: %s}).out`, t), f(`({x: y, y: string, in: {n: int, m: *"m" | string}} & {y: %s, in: n: %s}).x`, t, n),
		f(`"\(({in: {a: string}, out: in.a} & {in: a: %s}).out)"`, t), f(`({x: string, out: x} & {x: %s, y: %s, out: string}).out`, t, n))
}

func (g generator) number(depth int) string {
	if g.confuses() {
		return g.of(func() string { return g.text(0) }, func() string { return g.truth(0) }, is("null"), is("2.5"))
	}
	if depth == 0 {
		return g.of(is("config.parameter.n"), is("config.parameter.m"), is("0"), is("7"), is("(-2)"))
	}
	t, n, l, c := func() string { return g.text(depth - 1) }, func() string { return g.number(depth - 1) }, func() string { return g.texts(depth - 1) }, func() string { return g.truth(depth - 1) }
	return g.of(n, func() string { return "(" + n() + " + " + n() + ")" }, func() string { return "(" + n() + " - " + n() + ")" }, func() string { return "(" + n() + " * " + n() + ")" },
		func() string { return "(-" + n() + ")" }, func() string { return "(" + n() + " & " + n() + ")" }, func() string { return "len(" + t() + ")" }, func() string { return "len(" + l() + ")" },
		func() string { return "div(" + n() + ", " + n() + ")" }, func() string { return "mod(" + n() + ", " + n() + ")" }, func() string { return "quo(" + n() + ", " + n() + ")" }, func() string { return "rem(" + n() + ", " + n() + ")" },
		func() string { return "strings.Index(" + t() + ", " + t() + ")" }, func() string { return "strings.LastIndex(" + t() + ", " + t() + ")" }, func() string { return "strings.Count(" + t() + ", " + t() + ")" },
		func() string { return "list.Max([" + n() + ", " + n() + "])" }, func() string { return "list.Min(config.parameter.k)" }, func() string { return "list.Sum([" + n() + ", " + n() + ", 3])" }, func() string { return "[if " + c() + " {" + n() + "}, " + n() + "][0]" })
}

func (g generator) truth(depth int) string {
	if depth == 0 {
		return g.of(is("config.parameter.t"), is("config.parameter.f"), is("true"))
	}
	t, n, l, c := func() string { return g.text(depth - 1) }, func() string { return g.number(depth - 1) }, func() string { return g.texts(depth - 1) }, func() string { return g.truth(depth - 1) }
	compare := func() string { return g.of(is("=="), is("!="), is("<"), is("<="), is(">"), is(">=")) }
	return g.of(c, func() string { return "(!" + c() + ")" }, func() string { return "(" + c() + " && " + c() + ")" }, func() string { return "(" + c() + " || " + c() + ")" },
		func() string { return "(" + t() + " " + compare() + " " + t() + ")" }, func() string { return "(" + n() + " " + compare() + " " + n() + ")" }, func() string { return "(" + c() + " == " + c() + ")" },
		func() string { return "(" + t() + ` =~ "^[a-e]+")` }, func() string { return "strings.HasPrefix(" + t() + ", " + t() + ")" }, func() string { return "strings.HasSuffix(" + t() + ", " + t() + ")" },
		func() string { return "strings.Contains(" + t() + ", " + t() + ")" }, func() string { return "strings.ContainsAny(" + t() + ", " + t() + ")" }, func() string { return "list.Contains(" + l() + ", " + t() + ")" })
}

func (g generator) texts(depth int) string {
	if g.confuses() {
		return g.of(func() string { return g.text(0) }, is("config.parameter.k"), is("[true, null]"), is("[[1], {a: 1}]"), is("null"))
	}
	if depth == 0 {
		return g.of(is("config.parameter.l"), is("config.parameter.e"), is(`["b", "a"]`))
	}
	t, l, c := func() string { return g.text(depth - 1) }, func() string { return g.texts(depth - 1) }, func() string { return g.truth(depth - 1) }
	return g.of(l, func() string { return "[" + t() + ", if " + c() + " {" + t() + "}]" }, func() string { return "[for i, p in " + l() + " if i < 2 {p + " + t() + "}]" },
		func() string { return "[for p in " + l() + " let q = " + t() + ` {"\(p)\(q)"}]` }, func() string { return "list.SortStrings(" + l() + ")" }, func() string { return "list.Concat([" + l() + ", " + l() + "])" },
		func() string { return "strings.Split(" + t() + ", " + t() + ")" }, func() string { return "strings.Fields(" + t() + ")" }, func() string { return g.picked(l()) }, func() string {
			return "[for i in list.Range(" + g.number(0) + ", 4, " + g.number(0) + `) {"\(i)"}]`
		})
}

// picked is a list of items of another one.
func (g generator) picked(l string) string {
	n := func() string { return g.of(is("0"), is("1"), is("2"), func() string { return g.number(0) }) }
	return g.of(is("list.Reverse("+l+")"), is("list.Take("+l+", "+n()+")"), is("list.Drop("+l+", "+n()+")"), is("list.Slice("+l+", "+n()+", "+n()+")"),
		is("list.Repeat("+l+", "+n()+")"), is("list.Sort("+l+", list.Ascending)"), is("list.Sort("+l+", list.Descending)"), is("list.Sort("+l+", {x: _, y: _, less: len(x) < len(y)})"))
}

// literal is a list or a struct.
func (g generator) literal(depth int) string {
	leaf := func() string {
		return g.of(func() string { return g.text(1) }, func() string { return g.number(1) }, func() string { return g.truth(1) }, is("config.parameter.a"), is("config.parameter.n"), is("0x1F"), is("null"))
	}
	value := leaf
	if depth > 0 {
		value = func() string { return g.of(leaf, func() string { return g.literal(depth - 1) }) }
	}
	var out []string
	if g.IntN(2) == 0 {
		for range g.IntN(4) {
			out = append(out, g.of(value, func() string { return "if " + g.truth(1) + " {" + leaf() + "}" }, func() string { return "for i, p in " + g.texts(1) + ` {"\(i)\(p)"}` },
				func() string {
					return "for p in config.parameter.l if p != " + g.text(0) + " let q = p + p {w: p, v: [q, " + value() + "]}"
				}, is("for p in config.parameter.k {p}"), is("for k, v in config.parameter.o {v}"), func() string { return g.picked(g.texts(1)) },
				is("list.Sort(config.parameter.k, list.Ascending)"), is("list.Concat([config.parameter.l, [config.parameter.o, [config.parameter.n]]])"), is("list.Sort([for p in config.parameter.l {w: p}], {x: {}, y: {}, less: x.w > y.w})"),
				func() string { return "list.Range(0, " + g.number(0) + ", 2)" }))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	for i := range 1 + g.IntN(4) {
		name := fmt.Sprint("f", i)
		out = append(out, g.of(func() string { return name + ": " + value() }, func() string { return "if " + g.truth(1) + " {" + name + ": " + value() + "}" },
			func() string { return fmt.Sprintf(`"%s\(%s)": %s`, name, g.number(0), value()) }, func() string {
				return fmt.Sprintf(`for k, p in %s {"%s\(k)": p, "%sx\(k)": %s}`, g.texts(1), name, name, leaf())
			},
			func() string { return fmt.Sprintf(`for k, v in config.parameter.o {"%s\(k)": "\(v)"}`, name) }, func() string { return `(config.parameter.b + "` + name + `"): v: k: ` + leaf() }, func() string { return "f0: " + leaf() }))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// compareLiteral is [pair.compare] for a list or a struct.
func (p pair) compareLiteral(expr string) bool {
	const types = "a: string, b: string, n: int, m: int, t: bool, f: bool, l: [...string], e: [...string], k: [...int], o: {q: string, r: int}, q?: int, z: null"
	f, err := parser.ParseFile("p.cue", "package p\n"+imports+"#Artifact: description: {config: parameter: {"+types+"}, code: x: "+expr+"}\n")
	require.NoError(p.t, err, expr)
	s := depends.Read(&depends.Package{Files: []*ast.File{f}, Import: func(string) *depends.Package { return nil }})
	all := s.Literals(depends.Path{"description", "code", "x"})
	if len(all) != 1 {
		return false
	}
	fields := []value.Field{}
	for _, c := range all[0].Of {
		d, _ := compute.NewLiteral(c).Data(value.NewStruct(value.Data{}.Pos, value.Field{Name: "parameter", Value: p.configOf()}), false)
		if d == nil {
			return false
		}
		if d.Kind != value.Struct {
			require.JSONEq(p.t, p.jsonByCUE(expr), d.JSON(), "%s with %s", expr, p.config)
			return true
		}
		fields = append(fields, d.Fields...)
	}
	d := value.Distinct(value.Data{}.Pos, fields...)
	if d == nil {
		return false
	}
	require.JSONEq(p.t, p.jsonByCUE(expr), d.JSON(), "%s with %s", expr, p.config)
	return true
}

// jsonByCUE is what plain CUE makes of an expression, as JSON; the test fails if that is a mistake.
func (p pair) jsonByCUE(expr string) string {
	text, err := p.byCUE("json.Marshal(" + expr + ")")
	require.NoError(p.t, err, "%s with %s", expr, p.config)
	return strings.TrimPrefix(text, fmt.Sprint(value.String, " "))
}

// TestRandomLiterals is TestRandom for lists and structs.
func TestRandomLiterals(t *testing.T) {
	t.Parallel()
	const n = 1200
	byGo := 0
	for seed := range n {
		g := generator{rand.New(rand.NewPCG(uint64(seed), 2)), []int{0, 12}[seed%2]}
		config := fmt.Sprintf(`{a: %q, b: "B", n: %d, m: 2, t: true, f: %t, l: ["x", %q], e: [], k: [%d, 1], o: {q: "deep", r: 1}, z: null}`, []string{"", "a", "é", "_h"}[g.IntN(4)], g.IntN(4)-1, g.IntN(2) == 0, []string{"x", "y"}[g.IntN(2)], g.IntN(3))
		if (pair{t, config}).compareLiteral(g.literal(2)) {
			byGo++
		}
	}
	require.Greater(t, byGo, n/3)
}

// TestRandom compares expressions that are drawn at random. Most of them have to be made by Go, or
// the test would show nothing.
func TestRandom(t *testing.T) {
	t.Parallel()
	const n = 1200
	require.Greater(t, compareRandom(t, n, 0), n/2)
	require.Greater(t, compareRandom(t, n, 12), n/10) // most of those have a mistake
}

func compareRandom(t *testing.T, n, confused int) (byGo int) {
	for seed := range n {
		g := generator{rand.New(rand.NewPCG(uint64(seed), 1)), confused}
		quoted := func() string {
			return fmt.Sprintf("%q", []string{"", "a", "b c", "E", "x-y-z", "<&>", "ü"}[g.IntN(7)])
		}
		number := func() int { return []int{0, 1, -1, 5, 100, 1000000, -7, 9007199254740993}[g.IntN(8)] }
		config := fmt.Sprintf("{a: %s, b: %s, n: %d, m: %d, t: true, f: %t, l: [%s, %s], e: [], k: [%d, %d]}", quoted(), quoted(), number(), number(), g.IntN(2) == 0, quoted(), quoted(), number(), number())
		expr := g.of(func() string { return g.text(3) }, func() string { return g.number(3) }, func() string { return g.truth(3) })
		if (pair{t, config}).compare(expr) {
			byGo++
		}
	}
	return byGo
}
