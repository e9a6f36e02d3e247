package compat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
)

// change is one version against the next of a component: the texts of its
// config.parameter, config.resource and srv.
type change struct {
	name     string
	old, new string
	want     Step
	witness  string // part of the first change's witness or message
}

// parameters are changes of config.parameter.
var parameters = []change{
	{"nothing", `a: int`, `a: int`, None, ""},
	{"a comment", `a: int`, "// More.\na: int", Patch, "sources differ"},
	{"the same otherwise written", `a: >=0 & <=9 & int`, `a: int & >=0 & <=9`, Patch, "sources differ"},
	{"a field is gone", `a: int, b: *1 | int`, `a: int`, Major, "the field is gone"},
	{"an optional field is gone", `a: int, b?: int`, `a: int`, Major, "the field is gone"},
	{"a required field", `a: int`, `a: int, b: int`, Major, "has to be given"},
	{"a field with a default", `a: int`, `a: int, b: *1 | int`, Minor, "may be left out"},
	{"an optional field", `a: int`, `a: int, b?: int`, Minor, "may be left out"},
	{"a constant field", `a: int`, `a: int, b: 3`, Minor, "may be left out"},
	{"a renamed field", `a: int`, `b: int`, Major, "the field is gone"},
	{"a default goes", `a: *1 | int`, `a: int`, Major, "might be left out before"},
	{"a default comes", `a: int`, `a: *1 | int`, Minor, "may be left out"},
	{"a default changes", `a: *1 | int`, `a: *2 | int`, Minor, "the default was 1, is 2"},
	{"optional becomes regular", `a?: int`, `a: int`, Major, "has to be given"},
	{"regular becomes optional", `a: int`, `a?: int`, Minor, "may be left out"},
	{"another type", `a: int`, `a: string`, Major, "0"},
	{"int to number", `a: int`, `a: number`, Minor, "takes more"},
	{"number to int", `a: number`, `a: int`, Major, "0.5"},
	{"a bound comes", `a: int`, `a: int & <100`, Major, "100"},
	{"a bound is raised", `a: int & <100`, `a: int & <1000`, Minor, "takes more"},
	{"a bound is lowered", `a: int & <=100`, `a: int & <=50`, Major, "100"},
	{"a bound is left out", `a: int & >=1`, `a: int`, Minor, "takes more"},
	{"uint8 to uint16", `a: uint8`, `a: uint16`, Minor, "takes more"},
	{"uint16 to uint8", `a: uint16`, `a: uint8`, Major, "65535"},
	{"an alternative more", `a: "x" | "y"`, `a: "x" | "y" | "z"`, Minor, "takes more"},
	{"an alternative less", `a: "x" | "y" | "z"`, `a: "x" | "y"`, Major, `"z"`},
	{"alternatives in another order", `a: "x" | "y"`, `a: "y" | "x"`, Patch, "sources differ"},
	{"alternatives to any string", `a: *"x" | "y"`, `a: *"x" | string`, Minor, "takes more"},
	{"any string to alternatives", `a: string`, `a: "x" | "y"`, Major, `"xx"`},
	{"a pattern comes", `a: string`, `a: =~"^v[0-9]"`, Major, `"^v[0-9]"`},
	{"a pattern goes", `a: =~"^v[0-9]"`, `a: string`, Minor, "takes more"},
	{"another pattern", `a: =~"^v"`, `a: =~"^w"`, Major, `"v"`},
	{"bool to two alternatives", `a: bool`, `a: true | false`, Patch, "sources differ"},
	{"bool to one", `a: bool`, `a: true`, Major, "false"},
	{"null is allowed", `a: int`, `a: int | null`, Minor, "takes more"},
	{"null is not allowed any more", `a: int | null`, `a: int`, Major, "null"},
	{"a field below, required", `a: {b: int}`, `a: {b: int, c: int}`, Major, "has to be given"},
	{"a field below, with a default", `a: {b: int}`, `a: {b: int, c: *1 | int}`, Minor, "may be left out"},
	{"a field below an optional one", `a?: {b: int}`, `a?: {b: int, c: *1 | int}`, Minor, "may be left out"},
	{"a struct becomes optional as a whole", `a: {b: *1 | int}`, `a: {b: *1 | int, c?: int}`, Minor, "may be left out"},
	{"names of any kind", `a: {[string]: int}`, `a: {[string]: number}`, Minor, "takes more"},
	{"names of any kind, stricter", `a: {[string]: number}`, `a: {[string]: int}`, Major, "takes less"},
	{"names of any kind, stricter, an alternative", `a?: {b: 1, [string]: number}`, `a?: int | {[string]: int}`, Major, "nothing proves"},
	{"items of a list", `a: [...int]`, `a: [...number]`, Minor, "takes more"},
	{"items of a list, stricter", `a: [...string]`, `a: [..."x"]`, Major, `["a"]`},
	{"a scalar becomes a list", `a: string`, `a: [...string]`, Major, `""`},
	{"an alternative of structs more", `a: {b: int} | {c: int}`, `a: {b: int} | {c: int} | {d: int}`, Minor, "takes more"},
	{"an alternative of structs grows", `a: {b: int} | {c: int}`, `a: {b: int, d: *1 | int} | {c: int}`, Minor, "takes more"},
	{"a definition of the same", `a: int & >0`, "a: #P\n#P: int & >0", Patch, "sources differ"},
}

// channels are changes of srv.
var channels = []change{
	{"a server channel more", `server: a: port: 80`, `server: {a: port: 80, b: port: 81}`, Minor, "new"},
	{"a server channel less", `server: {a: port: 80, b: port: 81}`, `server: a: port: 80`, Major, "gone"},
	{"a port", `server: a: port: 80`, `server: a: port: 81`, Major, "channel was"},
	{"a protocol", `server: a: port: 80`, `server: a: {port: 80, protocol: "tcp"}`, Major, "channel was"},
	{"the default said aloud", `server: a: port: 80`, `server: a: {port: 80, protocol: "http"}`, Patch, "sources differ"},
	{"a client channel more", `server: a: port: 80`, `server: a: port: 80, client: b: _`, Minor, "new"},
	{"a client channel less", `server: a: port: 80, client: b: _`, `server: a: port: 80`, Major, "gone"},
	{"client to duplex", `server: a: port: 80, client: b: _`, `server: a: port: 80, duplex: b: port: 82`, Major, "gone"},
}

// resources are changes of config.resource.
var resources = []change{
	{"a resource more", `a: k.#Secret`, `a: k.#Secret, b: k.#Volume`, Major, "has to be given"},
	{"a resource less", `a: k.#Secret, b: k.#Volume`, `a: k.#Secret`, Major, "gone"},
	{"another kind", `a: k.#Secret`, `a: k.#Volume`, Major, ""},
	{"the same", "a: k.#Secret", "// Password.\na: k.#Secret", Patch, "sources differ"},
}

const component = `package component

import k "kumori.systems/kumori:kumori"

#Artifact: k.#Component & {
	ref: name: "web"
	description: {
		config: {
			parameter: {%s
			}
			resource: {%s
			}
			scale: %s
		}
		srv: {%s}
		code: web: {
			image: tag: "ghcr.example/web:1.2.0"
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`

// module writes a module and returns its directory.
func module(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	files = append(files, "cue.mod/module.cue", "module: \"kumiki.example/web@v1\"\nlanguage: version: \"v0.12.0\"\n")
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(files[i]))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(files[i+1]), 0o644))
	}
	return dir
}

func (c change) check(t *testing.T, file func(part string) string) {
	t.Helper()
	r, problems := Compare(t.Context(), Side{Dir: module(t, "web/web.cue", file(c.old))}, Side{Dir: module(t, "web/web.cue", file(c.new))})
	require.False(t, problems.HasErrors(), "%v", messages(problems))
	require.Equal(t, c.want, r.Step, "%+v", r.Changes)
	if c.want != None {
		require.Contains(t, r.Changes[0].Witness+" "+r.Changes[0].Message, c.witness)
	}
}

func messages(problems diag.List) []string {
	var out []string
	for _, d := range problems {
		out = append(out, d.Message)
	}
	return out
}

// TestChanges checks which step each of many changes needs.
func TestChanges(t *testing.T) {
	t.Parallel()
	const port = "server: web: port: 80"
	for kind, table := range map[string]struct {
		changes []change
		file    func(string) string
	}{
		"parameter": {parameters, func(s string) string { return fmt.Sprintf(component, s, "", "hsize: *1 | uint", port) }},
		"resource":  {resources, func(s string) string { return fmt.Sprintf(component, "", s, "hsize: *1 | uint", port) }},
		"srv":       {channels, func(s string) string { return fmt.Sprintf(component, "", "", "hsize: *1 | uint", s) }},
		"scale": {[]change{
			{"a default goes", "hsize: *1 | uint", "_", Major, "has to be given"},
			{"a default comes", "_", "hsize: *1 | uint", Minor, "may be left out"},
		}, func(s string) string { return fmt.Sprintf(component, "", "", s, port) }},
		"artifact": {[]change{
			{"another name", `"web"`, `"pages"`, Major, "it was"},
			{"another image", "web:1.2.0", "web:1.2.1", Patch, "sources differ"},
		}, func(s string) string {
			text := fmt.Sprintf(component, "", "", "hsize: *1 | uint", port)
			if strings.HasPrefix(s, `"`) {
				return strings.Replace(text, `name: "web"`, "name: "+s, 1)
			}
			return strings.Replace(text, "web:1.2.0", s, 1)
		}},
	} {
		for _, c := range table.changes {
			t.Run(kind+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				c.check(t, table.file)
			})
		}
	}
}

// TestCheckStep checks versions against the step between them.
func TestCheckStep(t *testing.T) {
	t.Parallel()
	tests := []struct {
		old, now string
		step     Step
		want     string
	}{
		{"1.2.3", "1.2.4", Patch, ""},
		{"1.2.3", "1.2.4", None, ""},
		{"1.2.3", "1.3.0", Minor, ""},
		{"1.2.3", "2.0.0", Major, ""},
		{"v1.2.3", "v2.0.0", Major, ""},
		{"1.2.3", "1.2.4", Minor, "the version grows by too little: from 1.2.3 to 1.2.4, but the change needs a minor step: 1.3.0"},
		{"1.2.3", "1.3.0", Major, "the version grows by too little: from 1.2.3 to 1.3.0, but the change needs a major step: 2.0.0"},
		{"1.2.3", "1.2.3", Patch, "the version grows by too little: from 1.2.3 to 1.2.3, but the change needs a patch step: 1.2.4"},
		{"1.2.3", "1.2.2", Patch, "the version grows by too little: from 1.2.3 to 1.2.2, but the change needs a patch step: 1.2.4"},
		{"0.2.3", "0.3.0", Major, ""},
		{"0.2.3", "0.2.4", Minor, ""},
		{"0.2.3", "0.2.4", Major, "the version grows by too little: from 0.2.3 to 0.2.4, but the change needs a major step: 0.3.0"},
		{"0.9.0", "1.0.0", Major, ""},
		{"1.2.3-rc.1", "1.2.4+build.5", Patch, ""},
	}
	for _, tt := range tests {
		got := ""
		if err := CheckStep(tt.old, tt.now, tt.step); err != nil {
			require.ErrorIs(t, err, ErrVersion)
			got = err.Error()
		}
		require.Equal(t, tt.want, got, "%s to %s, %s", tt.old, tt.now, tt.step)
	}
}

// TestArtifacts adds and removes whole artifacts, and changes roles.
func TestArtifacts(t *testing.T) {
	t.Parallel()
	web := fmt.Sprintf(component, "", "", "_", "server: web: port: 80")
	service := func(hsize string) string {
		return `package service

import c "kumiki.example/web/web:component"

#Artifact: {
	ref: name: "site"
	description: role: ` + hsize + `
}
`
	}
	one, two := service("web: artifact: c.#Artifact"), service("{web: artifact: c.#Artifact, more: artifact: c.#Artifact}")
	fixed := service("{web: artifact: c.#Artifact, more: {artifact: c.#Artifact, config: scale: hsize: 1}}")
	tests := []struct {
		name     string
		old, new []string
		want     Step
	}{
		{"an artifact more", nil, []string{"site/site.cue", one}, Minor},
		{"an artifact less", []string{"site/site.cue", one}, nil, Major},
		{"a role more whose scale has to be given", []string{"site/site.cue", one}, []string{"site/site.cue", two}, Major},
		{"a role more whose scale is known", []string{"site/site.cue", one}, []string{"site/site.cue", fixed}, Minor},
		{"a role less", []string{"site/site.cue", two}, []string{"site/site.cue", one}, Major},
		{"an artifact for a test", nil, []string{"x_test/site.cue", one}, None},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := []string{"web/web.cue", web}
			r, problems := Compare(t.Context(), Side{Dir: module(t, append(files, tt.old...)...)}, Side{Dir: module(t, append(files, tt.new...)...)})
			require.False(t, problems.HasErrors(), "%v", messages(problems))
			require.Equal(t, tt.want, r.Step, "%+v", r.Changes)
		})
	}
}
