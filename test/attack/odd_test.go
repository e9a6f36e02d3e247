package attack_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	goccy "github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"
)

// What odd strings are made of: what YAML gives a meaning to, characters that it takes
// for others or not at all, and words that some readers take for something else.
var (
	oddPieces = strings.Split("a|b|Z|0|1|7|9|x|e|E|o|_|.|,|:|: | #|#|-|- |--- |...|?|? |*|&|!|!!|%|@|`|'|\"|\\|\\n|{|}|[|]|<|<<|>|>-|=|~|+|/|(|)|;|^| |  |\t|\n|\n\n|\n |\r|\r\n|"+
		"\u0001|\u0007|\u001b|\u007f|\u0085|\u00a0|\u2028|\u2029|\ufeff|\ufffe|\uffff|\ufffd|\ud7ff|\ue000|ä|日本|e\u0301|🙂|\U0010ffff", "|")
	oddWords = strings.Split("|y|Y|n|yes|No|ON|off|true|False|null|NULL|~|=|<<|.inf|-.INF|+.inf|.nan|0|-0|00|007|0o17|0x1F|0b101|1e3|1E400|22E2195|1e-7|.5|5.|._1|1_000|0x_1|12:30|190:20:30|"+
		"2001-12-14|2001-12-14 21:59:43.10 -5|2001-12-14t21:59:43Z|!!str a|*a|&a b|[a|{a: b}|a: b|a #b|- a|? a|| |>|%YAML 1.2|---|...|@a|`a|\"a|'a| a|a |\ta|a\n|\na|a\n\n|a\n b\nc|# a|99999999999999999999|3.14159265358979323846264338327950288", "|")
)

func oddString(r *rand.Rand) string {
	if r.IntN(4) == 0 {
		return oddWords[r.IntN(len(oddWords))]
	}
	var b strings.Builder
	for range 1 + r.IntN(12) {
		b.WriteString(oddPieces[r.IntN(len(oddPieces))])
	}
	return strings.ReplaceAll(b.String(), "{{", "{") // Swarm's templates begin so, and kumiki escapes them
}

// TestOddStrings gives variables odd values, and reads what they have become with two
// readers of YAML other than the one that it was written for.
func TestOddStrings(t *testing.T) {
	t.Parallel()
	const perRun = 1000
	runs := 10
	if testing.Short() {
		runs = 1
	}
	for seed := range runs {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		given := map[string]string{}
		for i := range perRun {
			given[fmt.Sprintf("V%04d", i)] = oddString(r)
		}
		p := newPlace(t, application(map[string]string{"app/odd.cue": "package component\n\n#Artifact: description: code: main: mapping: env: {\n" + variables(given) + "}\n"}))
		for _, target := range []string{"kubernetes", "swarm"} {
			o := p.kumiki("render", "deploy", "-t", target, "--show-values")
			require.Zero(t, o.code, o.err)
			for reader, read := range map[string]func(string) ([]any, error){"goccy": readGoccy, "yaml/v3": readV3} {
				documents, err := read(o.out)
				require.NoError(t, err, "%s by %s, seed %d", target, reader, seed)
				got := map[string]any{}
				collect(documents, got)
				for name, want := range given {
					if got[name] != any(want) {
						t.Errorf("%s of %s by %s, seed %d: %q is %q", name, target, reader, seed, want, got[name])
					}
				}
			}
		}
	}
}

// variables are the fields of a mapping.
func variables(values map[string]string) string {
	var b strings.Builder
	for name, v := range values {
		fmt.Fprintf(&b, "\t%s: value: %s\n", name, cueString(v))
	}
	return b.String()
}

// cueString is a string as CUE has it, in ASCII.
func cueString(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case ' ' <= r && r < utf8.RuneSelf && r != 0x7f:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return `"` + b.String() + `"`
}

func readGoccy(text string) ([]any, error) {
	d := goccy.NewDecoder(strings.NewReader(text))
	return readAll(func(x *any) error { return d.Decode(x) })
}

func readV3(text string) ([]any, error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	return readAll(func(x *any) error { return d.Decode(x) })
}

func readAll(next func(*any) error) (out []any, err error) {
	for {
		var x any
		if err := next(&x); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
}

// collect finds the variables in documents: {name: V0001, value: …}, as Kubernetes has
// them, or V0001: …, as Swarm does.
func collect(x any, out map[string]any) {
	isName := func(s string) bool { return len(s) == 5 && s[0] == 'V' }
	switch x := x.(type) {
	case []any:
		for _, v := range x {
			collect(v, out)
		}
	case map[string]any:
		if name, ok := x["name"].(string); ok && isName(name) {
			out[name] = x["value"]
			if x["value"] == nil {
				out[name] = "" // which Kubernetes leaves out
			}
		}
		for name, v := range x {
			if isName(name) {
				out[name] = v
			}
			collect(v, out)
		}
	}
}
