package depends_test

import (
	"fmt"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"github.com/stretchr/testify/require"

	"kumiki.dev/spread/depends"
)

// artifact reads an artifact with some parameters and what else its description says.
func artifact(t *testing.T, description string) *depends.Sources {
	return depends.Read(described(t, description))
}

func described(t *testing.T, description string) *depends.Package {
	const text = `package p
import "strings"
_s: strings.MinRunes(0)
_n: 3
#D: {n: int, m: n + 1}
#Artifact: description: {config: parameter: {a: int, b: string, o: {x: int, y: int}}, %s}
`
	return pkg(t, nil, fmt.Sprintf(text, description))
}

// TestClosed writes out expressions; config stands for what they take from config.
func TestClosed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ source, want string }{
		"arithmetic":           {`code: x: config.parameter.a + 1`, "config + 1"},
		"a function":           {`code: x: strings.ToUpper(config.parameter.b)`, "strings.ToUpper(config)"},
		"another field":        {`srv: port: config.parameter.a + 1, code: x: srv.port * 2`, "( config + 1) * 2"},
		"a let":                {`let n = config.parameter.a, code: x: n * 2`, "config * 2"},
		"a hidden field":       {`code: x: config.parameter.a + _n`, "config + ( 3)"},
		"a type beside":        {`code: x: config.parameter.a + 1, code: x: int`, "int, config + 1"},
		"its own names":        {`code: x: len([for n in [1, 2] {n + config.parameter.a}])`, "len([for n in [1, 2] {n + config}])"},
		"a list":               {`code: x: [config.parameter.a]`, ""},
		"a struct":             {`code: x: {y: 1}.y + config.parameter.a`, "{y: 1}.y + config"},
		"a definition":         {`code: x: (#D & {n: config.parameter.a}).m`, "(( {n: int, m: n + 1}) & {n: config}).m"},
		"a default in another": {`code: x: *config.parameter.a | 5`, ""},
		"a pattern's name":     {`code: [N=string]: N + config.parameter.b, code: x: _`, `_, "x" + config`},
		"in a condition":       {`if config.parameter.a > 1 {code: x: config.parameter.a + 1}`, ""},
		"itself":               {`code: x: code.y + config.parameter.a, code: y: code.x - config.parameter.a`, ""},
		"without a config":     {`code: x: #Artifact.description.config.parameter.a + config.parameter.a`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, h := range artifact(t, test.source).Holes("description", "code") {
				if h.Closed != nil && strings.Join(h.Path, ".") == "x" {
					got = written(t, h.Closed.Exprs)
				}
			}
			require.Equal(t, test.want, got)
		})
	}
}

func written(t *testing.T, all []ast.Expr) string {
	var out []string
	for _, x := range all {
		text, err := format.Node(x)
		require.NoError(t, err)
		out = append(out, strings.Join(strings.Fields(string(text)), " "))
	}
	return strings.Join(out, ", ")
}

// TestTogether groups the parameters that depend on each other.
func TestTogether(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		``:                                   "[] true",
		`c: *a | int`:                        "[[a c]] true",
		`c: a, d: c, e: *b | string`:         "[[a c d] [b e]] true",
		`if a > 1 {c: int}`:                  "[[a c]] true",
		`p: {x: 1, z: x + 1}`:                "[[p]] true",
		`c: {for k, _ in o {(k): 1}}`:        "[[c o]] true",
		`for k, _ in o {"n\(k)": 1}`:         "[] false",
		`_ok: true & (a > o.x)`:              "[[_ok a o]] true",
		`_ok: true & (a > o.x), "_ok": int`:  "[] false",
		`#ok: a & <5, _h: 5`:                 "[[#ok a]] true",
		`c: description.config.scale.hsize`:  "[] false",
		`let n = 5, c: *n | int`:             "[] true",
		`c: *"x" | string, d: {e: *1 | int}`: "[] true",
	} {
		groups, _, ok := depends.Read(pkg(t, nil, "package p\n#Artifact: description: config: parameter: {a: int, b: string, o: {x: int, y: int}, "+source+"}")).Together()
		require.Equal(t, want, fmt.Sprint(groups, ok), source)
	}
}

// TestSize says when the number of instances follows from parameters alone, and from which.
func TestSize(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`scale: hsize: config.parameter.a`:                                   "[] [[parameter a]] true",
		`scale: hsize: config.parameter.a * config.parameter.b`:              "[] [[parameter a] [parameter b]] true",
		`scale: {hsize: config.parameter.a, vsize: 1}`:                       "[] [[parameter a]] true",
		`scale: hsize: len(config.parameter)`:                                "[] none false",
		`scale: hsize: 3`:                                                    "[] none true",
		`scale: {hsize: config.parameter.a, vsize: config.parameter.b}`:      "[] none false",
		`scale: {hsize: 1, vsize: config.parameter.b}`:                       "[] none false",
		`scale: vsize: config.parameter.b`:                                   "[] none false",
		`scale: {hsize: int, vsize: hsize}`:                                  "[] none false",
		`scale: {if config.parameter.a > 1 {hsize: 1}}`:                      "[] none false",
		`scale: hsize: config.resilience, resilience: int`:                   "[] none false",
		`scale: hsize: {x: config.parameter.a}`:                              "[] none false",
		`resilience: config.parameter.a, scale: hsize: config.parameter.a`:   "[] none false",
		`scale: hsize: config.parameter.a, parameter: c: config.scale.hsize`: "[] none false",
		`scale: hsize: config.parameter.c, parameter: c: config.parameter.a`: "[[a c]] [[parameter a] [parameter c]] true",
	} {
		groups, size, ok := depends.Read(pkg(t, nil, "package p\n#Artifact: description: config: {parameter: {a: int, b: int}, "+source+"}")).Together()
		set := "none"
		if size != nil {
			require.Equal(t, depends.Path{"description", "config", "scale", "hsize"}, size.Path)
			require.NotEqual(t, size.Formula == nil, size.Closed == nil)
			set = fmt.Sprint(size.Set)
		}
		require.Equal(t, want, fmt.Sprint(groups, " ", set, " ", ok), source)
	}
}

// TestOnce says which roles the sources declare by name, and what is in them.
func TestOnce(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`role: r: {x: 1, y: z: 2}`:                                 "r{x y{z}}",
		`role: r: x: 1, role: r: y: 2`:                             "r{x y}",
		`role: {r: {x: 1, #more}}, #more: {m: 1}`:                  "r{m x}",
		`role: r: x: 1, role: [string]: all: 1`:                    "r{all x}",
		`role: r: x: 1, role: [=~"^r"]: some: 1`:                   "r{some x}",
		`role: r: x: 1, role: [!~"^r"]: some: 1`:                   "r{x}",
		`role: r: x: 1, role: ["q" | =~"r" & !="q"]: some: 1`:      "r{some x}",
		`role: r: x: 1, role: ["q" | !="r"]: some: 1`:              "r{x}",
		`role: "_r": x: 1, role: ["_r"]: some: 1`:                  "\"_r{some x}",
		`role: r: x: 1, role: [_any]: some: 1, _any: string`:       "",
		`role: r: x: 1, role: [=~"("]: some: 1`:                    "",
		`role: r: x: 1, if config.parameter.a > 1 {role: r: y: 2}`: "",
		`role: r: {x: 1, if config.parameter.a > 1 {y: 2}}`:        "r?",
		`role: r: {let l = 1, x: l}`:                               "r{x}",
		`role: r: {if config.parameter.a > 1 {[string]: int}}`:     "r?",
	} {
		var out []string
		s := artifact(t, source)
		s.Holes() // which comes by all definitions
		for _, r := range s.Once("description", "role") {
			out = append(out, shape(r))
		}
		require.Equal(t, want, strings.Join(out, " "), source)
	}
}

func shape(p depends.Part) string {
	if !p.IsStruct() {
		return p.Name
	}
	parts, ok := p.Parts()
	if !ok {
		return p.Name + "?"
	}
	var out []string
	for _, x := range parts {
		out = append(out, shape(x))
	}
	return p.Name + "{" + strings.Join(out, " ") + "}"
}

// TestLeaveOut takes roles out of the sources, but for those that anything else needs.
func TestLeaveOut(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`role: {r: x: 1, s: x: 2}`:                                       "r s",
		`role: {r: x: 1, s: x: 2}, code: y: role.r.x`:                    "s",
		`role: {r: x: 1, s: x: role.r.x}`:                                "r s",
		`role: r: x: 1, other: role`:                                     "",
		`role: r: x: 1, other: {role: role}`:                             "r",
		`#r: {r: x: 1}, role: {#r, s: x: 2}, #o: {#r}, code: y: #o.r.x`:  "s",
		`#r: {r: x: 1}, role: {#r, s: x: #o.r.x}, #o: {#r}, #p: #o.r`:    "s",
		`let l = {r: x: 1}, role: {l, s: x: 2}, let m = {l}, code: y: m`: "s",
		`role: r: x: 1, code: y: role["r"].x`:                            "",
		`role: r: x: 1, code: y: (role).r.x`:                             "",
		`role: r: x: 1, code: y: role[_n0].x, _n0: "r"`:                  "",
		`role: r: x: 1, for n, v in role {code: (n): v.x}`:               "",
		`role: r: x: 1, code: y: [for n, v in role {v.x}]`:               "",
		`role: r: x: 1, let l = role, code: y: l.r.x`:                    "",
		`role: r: x: 1, let l = role.r, code: y: l.x`:                    "",
		`R=role: r: x: 1, code: y: R.r.x`:                                "",
		`role: R={r: x: 1}, code: y: 1`:                                  "r",
		`role: r: x: 1, other: {role, z: 1}`:                             "",
		`role: r: x: 1, code: y: #Artifact.description.role.r.x`:         "",
		`role: r: x: 1, code: y: description.role.r.x`:                   "",
		`role: r: x: 1, code: "\(role.r.x)": 1`:                          "",
		`role: r: x: 1, code: y: *role.r.x | 1`:                          "",
		`role: r: x: 1, code: y: strings.Repeat("x", role.r.x)`:          "",
		`role: {r: x: 1, s: y: 2}, code: z: role.s.y`:                    "r",
		`role: r: x: 1, _e: r: x: 2, code: y: _e.r.x`:                    "r",
		`role: r: x: 1, _e: r: x: 2, code: y: _e`:                        "r",
		`role: {r: {x: 1, y: x}, s: {x: 2, z: {y: x}}}`:                  "r s",
	} {
		var out []string
		s := artifact(t, source)
		for _, r := range s.LeaveOut(s.Once("description", "role")) {
			out = append(out, r.Name)
		}
		require.Equal(t, want, strings.Join(out, " "), source)
	}
}

// TestNames says what there is in what a comprehension goes through.
func TestNames(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`_m: {b: 1, a: 2}`:                       "[b a] true",
		`_m: {a: 1}, _m: b: 2`:                   "[a b] true",
		`_m: {a: config.parameter.a}`:            "[a] true",
		`_m: {a: 1, _h: 2, #d: 3}`:               "[a] true",
		`_m: {a: 1, b?: 2}`:                      "[] false",
		`_m: {if config.parameter.a > 1 {a: 1}}`: "[] false",
		`if config.parameter.a > 1 {_m: {a: 1}}`: "[] false",
		`_m: config.parameter.o`:                 "[] false",
		`_m: {config.parameter.o, a: 1}`:         "[] false",
		`_m: {"n\(config.parameter.a)": 1}`:      "[] false",
		`_m: {[string]: 1}`:                      "[] true",
		`_m: {a: 1} | {b: 1}`:                    "[] false",
	} {
		p := described(t, source+", for k, v in _m {(k): v}")
		names, ok := depends.Read(p).Names(clause(t, p).Source)
		require.Equal(t, want, fmt.Sprint(names, ok), source)
	}
	p := described(t, "for k, v in config.parameter.o {(k): v}")
	_, ok := depends.Read(p).Names(clause(t, p).Source)
	require.False(t, ok)
}

// clause is the only one for a comprehension in an artifact's sources.
func clause(t *testing.T, p *depends.Package) (found *ast.ForClause) {
	for _, f := range p.Files {
		ast.Walk(f, func(n ast.Node) bool {
			if x, ok := n.(*ast.ForClause); ok {
				found = x
			}
			return true
		}, nil)
	}
	require.NotNil(t, found)
	return found
}

// TestManyDeclarations counts the steps of reading a description that is declared again beside each role. They
// must grow with the number of roles, and not with its square.
func TestManyDeclarations(t *testing.T) {
	t.Parallel()
	steps := func(n int) int {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "role: r%d: config: parameter: p: [if description.config.parameter.a > %d {1}, 2][0]\n", i, i)
			fmt.Fprintf(&b, "}\n#Artifact: description: {connect: c%d: from: r%d: \"out\"\n", i, i)
		}
		s := artifact(t, "role: {},\n"+b.String())
		for _, r := range s.Once("description", "role") {
			p, _ := r.Parts()
			require.Equal(t, "config", p[0].Name)
			p, _ = p[0].Parts()
			p, _ = p[0].Parts()
			require.NotNil(t, p[0].Closed())
		}
		return s.Steps()
	}
	few, many := steps(50), steps(400)
	require.Less(t, many, 12*few, "%d steps for 50 roles, %d for 400", few, many)
}
