package depends_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/spread/depends"
)

// TestEach tells how structs are made of members of lists and maps: what each loop goes through, then
// its fields. k and v stand for a key and a member, and "" is for structs that CUE has to make.
func TestEach(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`m: {for k, v in config.parameter.o {"\(k)": v}}`:                                                        `parameter.o {<k>: v}`,
		`m: {for v in config.parameter.o {(v): "x"}}`:                                                            `parameter.o {<v>: "x"}`,
		`m: {for i, v in config.parameter.o {"a\(i)\tb": {c: i, d: e: "-\(v)"}}}`:                                "parameter.o {a<k>\tb: {c: k, d: {e: \"-<v>\"}}}",
		`m: {for v in config.parameter.o {"\(v)": config.parameter.a, "\(v)\(config.parameter.a)": (1)}}`:        `parameter.o {<v>: parameter.a, <v><parameter.a>: 1}`,
		`m: {for v in config.parameter.o {"\(v)": 1}, for k, v in config.parameter {"\(k)": true}}`:              `parameter.o {<v>: 1}; parameter {<k>: true}`,
		"m: {for v in config.parameter.o {\"\\(v)\": 1}}\ncode: m: {for v in config.parameter.a {\"\\(v)\": 2}}": `parameter.o {<v>: 1}; parameter.a {<v>: 2}`,
		`m: {for v in config.parameter.o {"\(v)": 1}} & {for v in config.parameter.a {"\(v)": 2}}`:               `parameter.o {<v>: 1}; parameter.a {<v>: 2}`,
		`m: _ & ({for v in (config.parameter.o) {"\("x")\(v)": 1}})`:                                             `parameter.o {x<v>: 1}`,
		// What is in the struct otherwise, or may close it.
		`m: {x: 1, for v in config.parameter.o {"\(v)": 1}}`:                       "",
		`m: {for v in config.parameter.o {"\(v)": 1}, [=~"x"]: int}`:               "",
		`m: {for v in config.parameter.o {"\(v)": 1}, {y: 1}}`:                     "",
		`m: {for v in config.parameter.o {"\(v)": 1}, #D}`:                         "",
		`m: {for v in config.parameter.o {"\(v)": 1}} & #D`:                        "",
		`m: {for v in config.parameter.o {"\(v)": 1}} & config.parameter.b`:        "",
		`m: close({for v in config.parameter.o {"\(v)": 1}})`:                      "",
		`m: {for v in config.parameter.o {"\(v)": 1}, "\(config.parameter.a)": 2}`: "",
		`#D & {m: {for v in config.parameter.o {"\(v)": 1}}}`:                      "",
		`{if config.parameter.b {m: {for v in config.parameter.o {"\(v)": 1}}}}`:   "",
		`m?: {for v in config.parameter.o {"\(v)": 1}}`:                            "",
		// Other loops.
		`m: {x: 1}`: "",
		`m: {for v in ["a"] {"\(v)": config.parameter.a}}`:                             "",
		`m: {for v in _n {"\(v)": config.parameter.a}}`:                                "",
		`m: {for v in config.parameter.o if v > 1 {"\(v)": 1}}`:                        "",
		`m: {for v in config.parameter.o for w in config.parameter.a {"\(v)\(w)": 1}}`: "",
		`m: {for v in config.parameter.o let w = v {"\(w)": 1}}`:                       "",
		`m: {if config.parameter.b {for v in config.parameter.o {"\(v)": 1}}}`:         "",
		`m: {if config.parameter.b {"\(config.parameter.a)": 1}}`:                      "",
		// Other fields.
		`m: {for v in config.parameter.o {x: v}}`:                                 "",
		`m: {for v in config.parameter.o {"\(v)"?: 1}}`:                           "",
		`m: {for v in config.parameter.o {"\(v)": 1 @a(b)}}`:                      "",
		`m: {for v in config.parameter.o {"\(v)": 1, {y: 2}}}`:                    "",
		`m: {for v in config.parameter.o {y="\(v)": 1}}`:                          "",
		`m: {for v in config.parameter.o {"\(v)": {_h: 1}}}`:                      "",
		`m: {for v in config.parameter.o {"\(v)": {}}}`:                           "",
		`m: {for v in config.parameter.o {"\(v)": [v]}}`:                          "",
		`m: {for v in config.parameter.o {"\(v)": v.x}}`:                          "",
		`m: {for v in config.parameter.o {"\(v)": v + 1}}`:                        "",
		`m: {for v in config.parameter.o {"\(v)": string}}`:                       "",
		`m: {for v in config.parameter.o {"\(v + "x")": 1}}`:                      "",
		`m: {for v in config.parameter.o {"\(v)": "\(v + 1)"}}`:                   "",
		`m: {for v in config.parameter.o {"\(v)": {v: 1, x: v}}}`:                 "",
		`m: {for v in config.parameter.o {"\(v)": _n}}`:                           "",
		`m: {for v in config.parameter.o {"\(v)": config.parameter["\(v)"]}}`:     "",
		"m: {for v in config.parameter.o {\"\\(v)\": \"\"\"\n\t\\(v)\n\t\"\"\"}}": "",
	} {
		got := ""
		if e := artifact(t, "code: "+source).Each(depends.Path{"description", "code", "m"}); e != nil {
			got = each(e)
		}
		require.Equal(t, want, got, source)
	}
}

func each(e *depends.Each) string {
	var out []string
	for _, l := range e.Loops {
		out = append(out, strings.Join(l.Source, ".")+" "+made(depends.Made{Fields: l.Fields}))
	}
	return strings.Join(out, "; ")
}

func made(m depends.Made) string {
	switch {
	case m.Literal != nil:
		return m.Literal.Value
	case m.Fields != nil:
		var out []string
		for _, f := range m.Fields {
			out = append(out, pieces(f.Name)+": "+made(f))
		}
		return "{" + strings.Join(out, ", ") + "}"
	case m.Value.Text:
		return `"` + pieces(m.Value.Pieces) + `"`
	}
	return strings.Trim(pieces(m.Value.Pieces), "<>")
}

func pieces(all []depends.Piece) (out string) {
	for _, p := range all {
		switch {
		case p.Of != depends.None:
			out += fmt.Sprintf("<%s>", map[depends.Variable]string{depends.Key: "k", depends.Member: "v"}[p.Of])
		case p.Path != nil:
			out += "<" + strings.Join(p.Path, ".") + ">"
		default:
			out += p.Text
		}
	}
	return out
}
