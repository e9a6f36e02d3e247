package load

import (
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"
)

// told is what Texts are told, PATH=TEXT each, sorted.
func told(tell func(Texts)) []string {
	var out []string
	tell(func(path []string, text string) { out = append(out, strings.Join(path, ".")+"="+text) })
	slices.Sort(out)
	return out
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		`a: b: "x"`:     {"a.b=x"},
		`a: b: #"x\n"#`: {`a.b=x\n`},
		`"a-b": "c": """` + "\n\tx\n\ty\n\t\"\"\"": {"a-b.c=x\ny"},
		`a: 1, b: true, c: 'bytes'`:                {"c=bytes"},
		`a: *"x" | string`:                         {"a=x"},
		`a: "x" & string & !="y"`:                  {"a=x", "a=y"},
		`a: {b: "x"} & {c: "y"}`:                   {"a.b=x", "a.c=y"},
		`a: ["-p", "x"]`:                           {"a=-p", "a=-p x", "a=x"},
		`a: ["x"]`:                                 {"a=x"},
		`a: [{b: "x"}, 1]`:                         {"a.b=x"},
		`if true {a: "x"}`:                         {"a=x"},
		`a: {for k in ["k"] {(k): "x"}}`:           {"a.=x", "a=k"},
		`let p = "x", a: p`:                        {"p=x"},
		`a: "<\(b)>", b: "x"`:                      {"a=<${x}>", "b=x"},
		`a: "\(b)y\("x" + c)"`:                     {"a=${x}y${x}", "a=x"},
		`a: config.parameter.pass`:                 {"a.parameter=pass"},
		`a: config.resource.pass`:                  {},
		`a: strings.ToUpper("x")`:                  {"a=x"},
		`_h: "x", #D: e: "y", f?: "z"`:             {"#D.e=y", "_h=x", "f=z"},
		"import \"strings\"\na: 1":                 {},
		`"x"`:                                      {},
		`["x", "y"]`:                               {},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			f, err := parser.ParseFile("x.cue", source)
			require.NoError(t, err)
			require.Equal(t, append([]string(nil), want...), told(func(texts Texts) { texts.File(f) }))
		})
	}
	require.Empty(t, told(func(texts Texts) { texts.File(nil) }))
	Texts(nil).File(nil) // nobody wants to know
	Texts(nil).JSON([]byte(`{"a": "x"}`))
	Texts(nil).source(nil)
	Texts(nil).set("a=x")
}

func TestTextsOfOthers(t *testing.T) {
	t.Parallel()
	for document, want := range map[string][]string{
		`{"a": {"b": "x", "c": 1}}`: {"a.b=x"},
		`{"a": ["-p", "x"]}`:        {"a.[0]=-p", "a.[1]=x", "a=-p x"},
		`{"a": ["x", 1]}`:           {"a.[0]=x"},
		`{"a": [{"b": "x"}]}`:       {"a.[0].b=x"},
		`"x"`:                       nil,
		`["x", "y"]`:                {"[0]=x", "[1]=y"},
		`{"a": "x"`:                 {`source={"a": "x"`},
	} {
		require.Equal(t, want, told(func(texts Texts) { texts.JSON([]byte(document)) }), document)
	}
	require.Equal(t, []string{"source=a: {"}, told(func(texts Texts) { texts.source([]byte("a: {")) }))
	require.Equal(t, []string{"config.parameter.a=x=y"}, told(func(texts Texts) { texts.set(" config.parameter.a =x=y") }))
	require.Empty(t, told(func(texts Texts) { texts.set("config.parameter.a") }))
}
