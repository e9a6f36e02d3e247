package solution

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/internal/jsondata"
)

// read returns the solution in a file that is good.
func read(t testing.TB, data []byte) *Solution {
	t.Helper()
	s, problems := Read(data, "solution.json")
	require.Empty(t, problems)
	require.NotNil(t, s)
	return s
}

func written(t testing.TB, s *Solution) []byte {
	t.Helper()
	data, err := s.Bytes()
	require.NoError(t, err)
	return data
}

// TestReadBytes reads what we have written, to the letter, and what the vendor
// has written, value for value.
func TestReadBytes(t *testing.T) {
	t.Parallel()
	for name, data := range solutions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := read(t, data)
			got := written(t, s)
			if strings.HasSuffix(name, "/out") {
				digest, err := s.ContentDigest()
				require.NoError(t, err)
				require.Equal(t, digest, s.Digest)
				if diff := cmp.Diff(string(data), string(got)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(values(t, data), values(t, got)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			require.Equal(t, string(got), string(written(t, read(t, got))), "written twice")
		})
	}
}

func values(t testing.TB, data []byte) any {
	t.Helper()
	x, err := jsondata.Decode(data)
	require.NoError(t, err)
	return x
}

// TestCanonical writes every solution as the format wants it: the same as
// json.MarshalIndent makes of the plain values, whose keys it sorts.
func TestCanonical(t *testing.T) {
	t.Parallel()
	for name, data := range solutions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := written(t, read(t, data))
			want, err := json.MarshalIndent(values(t, got), "", "  ")
			require.NoError(t, err)
			if diff := cmp.Diff(string(want)+"\n", string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			require.Equal(t, -1, bytes.IndexByte(got, '\r'))
		})
	}
}

// text writes problems as the command line does.
func text(problems diag.List) string {
	var lines []string
	for _, d := range problems {
		lines = append(lines, fmt.Sprintf("%s: %s [%s]", d.Pos.Position(), d.Message, d.Code))
	}
	return strings.Join(lines, "\n")
}

// small is a solution with little in it, and the place for more.
const small = `{
  "comment": "",
  "cspec": "1.0",
  "deployments": {"a": {"name": "a", "up": null, "meta": {}, "config": {"parameter": {}, "resilience": 0, "resource": {}, "scale": {}},
    "artifact": {"ref": {"domain": "d", "kind": "service", "module": "m", "name": "n", "version": [1, 0, 0]}, "spec": [1, 0],
      "description": {"builtin": false, "config": {"parameter": {}, "resilience": 0, "resource": {}, "scale": {}},
        "connector": {}, "role": {}, "srv": {"client": {}, "duplex": {}, "server": {}}}}}},
  "links": [],
  "ref": {"domain": "", "kind": "solution", "name": "a"},
  "top": "a"
}
`

func TestReadSmall(t *testing.T) {
	t.Parallel()
	read(t, []byte(small))
}

// TestReadStrict replaces a part of a small solution.
func TestReadStrict(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, by, want string }{
		{"unknown key", `"links"`, `"lniks"`,
			"s.json:8:3: the solution has key lniks, which the format does not; did you mean links? [solution/bad-file]"},
		{"unknown key deep inside", `"builtin": false`, `"builtin": false, "probes": {}`,
			"s.json:6:41: deployments.a.artifact.description has key probes, which the format does not; did you mean probe? [solution/bad-file]"},
		{"key in other letters", `"top"`, `"Top"`,
			"s.json:10:3: the solution has key Top, which the format does not; did you mean top? [solution/bad-file]"},
		{"key twice", `"comment": ""`, `"comment": "", "top": "b"`,
			"s.json:10:3: key top comes twice in the solution [solution/bad-file]"},
		{"key twice in free data", `"meta": {}`, `"meta": {"x": {"y": 1, "y": 2}}`,
			"s.json:4:73: key y comes twice in deployments.a.meta.x [solution/bad-file]"},
		{"string for a list", `"links": []`, `"links": "none"`,
			"s.json:8:12: links is a string, where the format has a list [solution/bad-file]"},
		{"list for an object", `"role": {}`, `"role": []`,
			"s.json:7:34: deployments.a.artifact.description.role is a list, where the format has an object [solution/bad-file]"},
		{"object for a list", `"links": []`, `"links": {"x": [1]}`,
			"s.json:8:12: links is an object, where the format has a list [solution/bad-file]"},
		{"object for a string", `"top": "a"`, `"top": {"name": "a"}`,
			"s.json:10:10: top is an object, where the format has a string [solution/bad-file]"},
		{"number for a string", `"top": "a"`, `"top": 1.50`,
			"s.json:10:10: top is the number 1.50, where the format has a string [solution/bad-file]"},
		{"long number for a string", `"top": "a"`, `"top": ` + strings.Repeat("7", 100),
			"s.json:10:10: top is the number 7777777777777777777777777777777777777777, where the format has a string [solution/bad-file]"},
		{"string for a number", `"resilience": 0`, `"resilience": "0"`,
			"s.json:4:104: deployments.a.config.resilience is a string, where the format has a number [solution/bad-file]"},
		{"string for a bool", `"builtin": false`, `"builtin": "false"`,
			"s.json:6:34: deployments.a.artifact.description.builtin is a string, where the format has a bool [solution/bad-file]"},
		{"bool for a string", `"comment": ""`, `"comment": true`,
			"s.json:2:14: comment is a bool, where the format has a string [solution/bad-file]"},
		{"null for an object", `"role": {}`, `"role": null`,
			"s.json:7:34: deployments.a.artifact.description.role is null, where the format has an object [solution/bad-file]"},
		{"null for the layout", `"links"`, `"layout": null, "links"`,
			"s.json:8:13: layout is null, where the format has an object [solution/bad-file]"},
		{"null for a string", `"comment": ""`, `"comment": null`,
			"s.json:2:14: comment is null, where the format has a string [solution/bad-file]"},
		{"fraction for a whole number", `[1, 0, 0]`, `[1, 0.5, 0]`,
			"s.json:5:103: deployments.a.artifact.ref.version.1 is the number 0.5, where the format has a whole number [solution/bad-file]"},
		{"whole number out of range", `[1, 0, 0]`, `[1, 9223372036854775808, 0]`,
			"s.json:5:103: deployments.a.artifact.ref.version.1 is the number 9223372036854775808, where the format has a whole number [solution/bad-file]"},
		{"resource that is none", `"resource": {}`, `"resource": {"x": 5}`,
			`s.json:4:125: deployments.a.config.resource.x is the number 5, where the format has a resource such as {"secret": "id"} [solution/bad-file]`},
		{"resource null", `"resource": {}`, `"resource": {"x": null}`,
			`s.json:4:125: deployments.a.config.resource.x is null, where the format has a resource such as {"secret": "id"} [solution/bad-file]`},
		{"resource without an id", `"resource": {}`, `"resource": {"x": {"secret": ""}}`,
			"s.json:4:125: deployments.a.config.resource.x.secret is empty: it is the id of a registered resource [solution/bad-file]"},
		{"resource in a group that is none", `"resource": {}`, `"resource": {"x": {"y": {"z.z": [{}]}}}`,
			`s.json:4:125: deployments.a.config.resource.x.y."z.z" is a list, where the format has a resource such as {"secret": "id"} [solution/bad-file]`},
		{"volume below zero", `"resource": {}`, `"resource": {"x": {"volume": {"size": -1, "unit": "G"}}}`,
			`s.json:4:125: deployments.a.config.resource.x.volume.size is "-1": it is a number, 0 or more, of 300 digits at most [solution/bad-file]`},
		{"volume beyond reason", `"resource": {}`, `"resource": {"x": {"volume": {"size": 1e999999999, "unit": "G"}}}`,
			`s.json:4:125: deployments.a.config.resource.x.volume.size is "1e999999999": it is a number, 0 or more, of 300 digits at most [solution/bad-file]`},
		{"groups in each other", `"resource": {}`, `"resource": {"x": ` + nest(`{"y":`, 20, `}`) + `}`,
			"s.json:4:125: deployments.a.config.resource.x.y.y.y.y.y.y.y.y.y.y.y.y.y.y.y.y.y.y.y.y is in 20 groups of resources in each other, which are the most [solution/bad-file]"},
		{"other cspec", `"cspec": "1.0"`, `"cspec": "2.0"`,
			`s.json:3:12: cspec: is "2.0": only version "1.0" of the format is known [solution/invariant]`},
		{"other cspec with other keys", `"cspec": "1.0"`, `"cspec": "2.0", "new": {}, "newer": []`,
			`s.json:3:12: cspec: is "2.0": only version "1.0" of the format is known [solution/invariant]`},
		{"no cspec", `  "cspec": "1.0",` + "\n", "",
			`s.json:1:1: cspec: is missing: it is the version of the format, "1.0" [solution/invariant]`},
		{"cspec of another type", `"cspec": "1.0"`, `"cspec": 1.0`,
			"s.json:3:12: cspec is the number 1.0, where the format has a string [solution/bad-file]"},
		{"deployment null", `{"a": {`, `{"b": null, "a": {`,
			"s.json:4:24: deployments.b is null, where the format has an object [solution/bad-file]"},
		{"rule broken", `"name": "a", "up"`, `"name": "b", "up"`,
			`s.json:4:33: deployments.a.name: is "b": it is the key, "a" [solution/invariant]`},
		{"rule broken by absence", `"parameter": {}, `, ``,
			"s.json:4:72: deployments.a.config.parameter: is missing: write {} for none [solution/invariant]"},
		{"digest of something else", `"links"`, `"digest": "sha256:00", "links"`,
			"s.json:8:13: digest: is sha256:00, but the contents have sha256:3af4996a9f27101009722946329f57fc456762224989aa06e20dfc9cf6152fa1: the solution was changed after it was made; compile it again [solution/invariant]"},
		{"names that steer the terminal", `"top": "a"`, `"top": "\u001b[2J\n"`,
			`s.json:9:53: ref.name: is "a": it is the name of the top, "\x1b[2J\n" [solution/invariant]` + "\n" +
				`s.json:10:10: top: is "\x1b[2J\n", which is no deployment; it has a [solution/invariant]` + "\n" +
				`s.json:4:44: deployments.a.up: is null, which makes it a second top beside \x1b[2J\n: name the deployment that it belongs to [solution/invariant]`},
		{"name that looks like a line", `"links"`, `"x\nerror: y\u202e": 1, "links"`,
			`s.json:8:3: the solution has key "x\nerror: y\u202e", which the format does not; it has comment, cspec, deployments, digest, external, inputs, labels, late, layout, links, objectLabels, objects, ref, sla, top [solution/bad-file]`},
		{"colon missing", `"links": `, `"links" `,
			"s.json:8:11: no JSON: found '[' where a colon is expected, in links [solution/bad-file]"},
		{"colon twice", `"links": `, `"links":: `,
			"s.json:8:11: no JSON: found ':' where a value is expected, in links [solution/bad-file]"},
		{"comma missing", `"links": [],`, `"links": []`,
			`s.json:9:3: no JSON: found '"' where a comma or } is expected, in the solution [solution/bad-file]`},
		{"comma missing in a list", `[1, 0, 0]`, `[1 0, 0]`,
			"s.json:5:102: no JSON: found '0' where a comma or ] is expected, in deployments.a.artifact.ref.version.1 [solution/bad-file]"},
		{"comma too many", `"top": "a"`, `"top": "a",`,
			"s.json:11:1: no JSON: found '}' where a key in quotes is expected, in the solution [solution/bad-file]"},
		{"comma too many in a list", `[1, 0, 0]`, `[1, 0, 0,]`,
			"s.json:5:108: no JSON: found ']' where a value is expected, in deployments.a.artifact.ref.version.3 [solution/bad-file]"},
		{"comma in an empty list", `"links": []`, `"links": [,]`,
			"s.json:8:13: no JSON: found ',' where a value is expected, in links.0 [solution/bad-file]"},
		{"comma in an empty object", `"role": {}`, `"role": {,}`,
			"s.json:7:35: no JSON: found ',' where a key in quotes is expected, in deployments.a.artifact.description.role [solution/bad-file]"},
		{"bracket of another kind", `"links": []`, `"links": [}`,
			"s.json:8:13: no JSON: found '}' where a value is expected, in links [solution/bad-file]"},
		{"bracket too many", `"links": []`, `"links": []]`,
			"s.json:8:14: no JSON: found ']' where a comma or } is expected, in the solution [solution/bad-file]"},
		{"key without quotes", `"links"`, `links`,
			"s.json:8:3: no JSON: found 'l' where a key in quotes is expected, in the solution [solution/bad-file]"},
		{"number as a key", `"links"`, `1`,
			"s.json:8:3: no JSON: found '1' where a key in quotes is expected, in the solution [solution/bad-file]"},
		{"quotes of another kind", `"a"`, `'a'`,
			`s.json:4:19: no JSON: found '\'' where a key in quotes is expected, in deployments [solution/bad-file]`},
		{"quotes that are none", `"comment": ""`, `"comment": “”`,
			"s.json:2:14: no JSON: found '“' where a value is expected, in comment [solution/bad-file]"},
		{"word cut off", `false`, `fals`,
			"s.json:6:38: no JSON: found ',' in what begins like false, in deployments.a.artifact.description.builtin [solution/bad-file]"},
		{"word of another language", `null`, `nil`,
			"s.json:4:45: no JSON: found 'i' in what begins like null, in deployments.a.up [solution/bad-file]"},
		{"true mistyped", `false`, `ture`,
			"s.json:6:35: no JSON: found 'u' in what begins like true, in deployments.a.artifact.description.builtin [solution/bad-file]"},
		{"number with a leading zero", `[1, 0, 0]`, `[1, 00, 0]`,
			"s.json:5:104: no JSON: found '0' where a comma or ] is expected, in deployments.a.artifact.ref.version.2 [solution/bad-file]"},
		{"number without digits", `"resilience": 0`, `"resilience": -`,
			"s.json:4:105: no JSON: found ',' where a digit is expected, in deployments.a.config.resilience [solution/bad-file]"},
		{"number without a fraction", `"resilience": 0`, `"resilience": 1.`,
			"s.json:4:106: no JSON: found ',' where a digit is expected, in deployments.a.config.resilience [solution/bad-file]"},
		{"number without an exponent", `"resilience": 0`, `"resilience": 1e`,
			"s.json:4:106: no JSON: found ',' where a digit is expected, in deployments.a.config.resilience [solution/bad-file]"},
		{"hexadecimal number", `"resilience": 0`, `"resilience": 0x1`,
			"s.json:4:105: no JSON: found 'x' where a comma or } is expected, in deployments.a.config [solution/bad-file]"},
		{"line break in a string", `"comment": ""`, "\"comment\": \"one\ntwo\"",
			`s.json:2:18: no JSON: found '\n' in a string, where it has to be escaped, in comment [solution/bad-file]`},
		{"escape that is none", `"comment": ""`, `"comment": "\x41"`,
			"s.json:2:16: no JSON: found 'x' after a backslash, which is no escape, in comment [solution/bad-file]"},
		{"escape of a character cut off", `"comment": ""`, `"comment": "\u12 "`,
			"s.json:2:19: no JSON: found ' ' where a hexadecimal digit is expected, in comment [solution/bad-file]"},
		{"comment", `"links"`, `// none` + "\n" + `"links"`,
			"s.json:8:3: no JSON: found '/' where a key in quotes is expected, in the solution [solution/bad-file]"},
		{"no UTF-8", `"comment": ""`, "\"comment\": \"caf\xe9\"",
			"s.json:2:18: byte 0xe9 is not text in UTF-8 [solution/bad-file]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, small, test.old)
			s, problems := Read([]byte(strings.Replace(small, test.old, test.by, 1)), "s.json")
			require.Nil(t, s)
			if diff := cmp.Diff(test.want, text(problems)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// nest puts n pairs of brackets around nothing.
func nest(left string, n int, right string) string {
	return strings.Repeat(left, n) + "{}" + strings.Repeat(right, n)
}

// TestReadWhole reads texts that are wrong as a whole.
func TestReadWhole(t *testing.T) {
	t.Parallel()
	half := strings.Index(small, `"ref"`)
	tests := []struct{ name, text, want string }{
		{"empty", "",
			"s.json:1:1: the file is empty: a solution is an object in JSON [solution/bad-file]"},
		{"blank", " \n\t\n",
			"s.json:1:1: the file is empty: a solution is an object in JSON [solution/bad-file]"},
		{"null", "null",
			"s.json:1:1: the solution is null, where the format has an object [solution/bad-file]"},
		{"list", "[]\n",
			"s.json:1:1: the solution is a list, where the format has an object [solution/bad-file]"},
		{"string", `"solution"`,
			"s.json:1:1: the solution is a string, where the format has an object [solution/bad-file]"},
		{"no JSON", "solution: {}\n",
			"s.json:1:1: no JSON: found 's' where a value is expected, in the solution [solution/bad-file]"},
		{"object of nothing", "{}",
			`s.json:1:1: cspec: is missing: it is the version of the format, "1.0" [solution/invariant]`},
		{"cut off before a key", small[:half],
			"s.json:5:18: the file ends in the middle of deployments.a.artifact [solution/bad-file]"},
		{"cut off in a key", small[:half+3],
			"s.json:5:21: the file ends in the middle of deployments.a.artifact [solution/bad-file]"},
		{"cut off before a value", small[:half+7],
			"s.json:5:25: the file ends in the middle of deployments.a.artifact.ref [solution/bad-file]"},
		{"cut off in a value", small[:strings.Index(small, "solution")+3],
			"s.json:9:37: the file ends in the middle of ref.kind [solution/bad-file]"},
		{"cut off in a list", small[:strings.Index(small, "[1, 0, 0")+5],
			"s.json:5:104: the file ends in the middle of deployments.a.artifact.ref.version [solution/bad-file]"},
		{"cut off at the end", strings.TrimRight(small, "}\n"),
			"s.json:10:13: the file ends in the middle of the solution [solution/bad-file]"},
		{"another solution behind", small + small,
			"s.json:12:1: something follows the solution: a file holds one [solution/bad-file]"},
		{"more behind", small + "  x",
			"s.json:12:3: something follows the solution: a file holds one [solution/bad-file]"},
		{"bracket behind", small + "}",
			"s.json:12:1: something follows the solution: a file holds one [solution/bad-file]"},
		{"byte order mark", "\ufeff" + small,
			`s.json:1:1: no JSON: found '\ufeff' where a value is expected, in the solution [solution/bad-file]`},
		{"UTF-16", "\xff\xfe{\x00}\x00",
			"s.json:1:1: byte 0xff is not text in UTF-8 [solution/bad-file]"},
		{"no text", "\x00\x01",
			`s.json:1:1: no JSON: found '\x00' where a value is expected, in the solution [solution/bad-file]`},
		{"lists in each other", `{"layout": ` + nest("[", 1_000_000, "]") + "}",
			"s.json:1:12: layout is a list, where the format has an object [solution/bad-file]" + "\n" +
				"s.json:1:1011: more than 1000 levels of nesting [solution/bad-file]"},
		{"objects in each other", strings.Replace(small, `"meta": {}`, `"meta": `+nest(`{"x":`, 997, `}`), 1),
			"s.json:4:5043: more than 1000 levels of nesting [solution/bad-file]"},
		{"list in as many objects as may be", `{"comment":` + strings.Repeat(`{"x":`, 999) + "[1]" + strings.Repeat("}", 1000),
			"s.json:1:12: comment is an object, where the format has a string [solution/bad-file]" + "\n" +
				"s.json:1:5007: more than 1000 levels of nesting [solution/bad-file]"},
		{"open objects", strings.Repeat(`{"a":`, 100_000),
			"s.json:1:2: the solution has key a, which the format does not; it has comment, cspec, deployments, digest, external, inputs, labels, late, layout, links, objectLabels, objects, ref, sla, top [solution/bad-file]" + "\n" +
				"s.json:1:5001: more than 1000 levels of nesting [solution/bad-file]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, problems := Read([]byte(test.text), "s.json")
			require.Nil(t, s)
			if diff := cmp.Diff(test.want, text(problems)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadMany gives up on files that are wrong everywhere.
func TestReadMany(t *testing.T) {
	t.Parallel()
	_, problems := Read([]byte(`{"links": [`+strings.Repeat("1,", 100_000)+`1]}`), "s.json")
	require.Len(t, problems, maxProblems)
}

func TestReadTooLarge(t *testing.T) {
	t.Parallel()
	s, problems := Read(make([]byte, MaxSize+1), "s.json")
	require.Nil(t, s)
	require.Equal(t, "s.json:1:1: the file has 67108865 bytes: a solution has 67108864 at most [solution/bad-file]", text(problems))
}

// TestReadDeep reads as much nesting as is allowed.
func TestReadDeep(t *testing.T) {
	t.Parallel()
	free := strings.Replace(small, `"meta": {}`, `"meta": `+nest(`{"x":`, 996, `}`), 1)
	read(t, []byte(free))
	groups := strings.Replace(small, `"resource": {}`, `"resource": {"x": `+nest(`{"y":`, 19, `}`)+`}`, 1)
	read(t, []byte(groups))
}
