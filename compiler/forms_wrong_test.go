package compiler_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/load"
)

// refinedRoles are ways to write roles for which kumiki spreads a copy of the service. What is between «each: and » is written for each
// of six roles: «n» is its number, «n!» what its config says, and «x«n»» what its artifact says besides.
var refinedRoles = map[string]string{
	"refined alike":             `role: {«each: r«n»: {artifact: c.#Artifact & {description: code: c: mapping: env: E: value: "2"}, config: {«n!»}}»}`,
	"refined by values":         `role: {«each: r«n»: {artifact: c.#Artifact & {description: code: c: mapping: env: E: value: "«n»"}, config: {«n!»}}»}`,
	"refined each in its way":   `role: {«each: r«n»: {artifact: c.#Artifact & {description: code: c: cmd: ["a«n»"]«x«n»»}, config: {«n!»}}»}`,
	"refined, among others":     `role: {«each: r«n»: {artifact: c.#Artifact & {description: code: c: mapping: env: E: value: "«n»"}, config: {«n!»}}»}, role: other: {artifact: c.#Artifact, config: parameter: t: "x"}`,
	"by what is around":         `_tags: {a: "i:1", b: "i:2"}, role: {«each: r«n»: {artifact: c.#Artifact & {description: code: c: image: tag: _tags.a}, config: {«n!»}}»}`,
	"by another name":           `_c: c.#Artifact, role: {«each: r«n»: {artifact: _c, config: {«n!»}}»}`,
	"by a name that is refined": `_c: c.#Artifact & {description: code: c: mapping: env: E: value: "3"}, role: {«each: r«n»: {artifact: _c, config: {«n!»}}»}`,
	"written out":               `role: {«each: r«n»: {artifact: k.#Component & {ref: {name: "w«n»", domain: "forms.example", module: "app", version: [0, 0, 1]}, description: {config: {parameter: {t: *"d" | string, o: {y: *"yy" | string, ...}}, scale: hsize: *1 | uint}, srv: {}, code: c: {image: tag: "i:1", size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}, size: bandwidth: {size: 9, unit: "M"}}}, config: {«n!»}}»}`,
	"a value of the artifact":   `role: {«each: r«n»: {artifact: c.#Artifact & {description: code: c: mapping: env: E: value: "«n»"}, config: {parameter: o: p: c.#Artifact.description.srv.server.in0.port, «n!»}}»}`,
	"in a loop":                 `_all: {«each: r«n»: {«n!»}»}, role: {for name, x in _all {(name): {artifact: c.#Artifact, config: x}}}`,
	"in a loop, refined":        `_all: {«each: r«n»: {«n!»}»}, role: {for name, x in _all {(name): {artifact: c.#Artifact & {description: code: c: mapping: env: E: value: "a"}, config: x}}}`,
	"in a loop, each refined":   `_all: {«each: r«n»: {v: *"«n»" | int, «n!»}»}, role: {for name, x in _all {(name): {artifact: c.#Artifact & {description: code: c: mapping: env: E: value: x.v}, config: {for f, y in x if f != "v" {(f): y}}}}}`,
	"in a loop over texts":      `_all: [«each: {n: "r«n»", c: {«n!»}},»}], role: {for x in _all {(x.n): {artifact: c.#Artifact & {description: code: c: image: tag: "i:\(x.n)"}, config: x.c}}}`,
	"under a condition":         `if config.parameter.t != "no" {role: {«each: r«n»: {artifact: c.#Artifact & {description: code: c: mapping: env: E: value: "«n»"}, config: {«n!»}}»}}`,
	"services":                  `role: {«each: r«n»: {artifact: m.#Artifact & {description: role: more: {artifact: c.#Artifact, config: parameter: t: "«n»"}}, config: {«n!»}}»}`,
}

// wrongGiven are what roles say in their configs, most of it wrong.
var wrongGiven = []string{`parameter: t: 5`, `parameter: u: "x"`, `parameter: o: y: 1`, `scale: hsize: -1`, `scale: hsize: "x"`, `resource: v: volume: {}`, `parameter: t: description.config.parameter.no`, `parameter: t: string`, `parameter: t: "a" & "b"`, `resilience: -1`, `more: 1`, `v: 5`}

// wrongArtifacts are what roles say of their artifacts, in place of the plain one. Some of it is wrong for any config.
var wrongArtifacts = []string{
	`c.#Artifact & {description: code: c: image: tag: 5}`, `c.#Artifact & {description: code: c: image: tga: "x"}`, `c.#Artifact & {ref: name: "other"}`,
	`c.#Artifact & {description: code: c: image: tag: _none}`, `c.#Artifact & {description: code: c: mapping: env: E: value: config.parameter.none}`,
	`c.#Artifact & {description: code: c: mapping: env: E: value: "\(config.parameter.none)"}`, `c.#Artifact & {description: config: parameter: t: 5}`,
	`c.#Artifact & {description: srv: server: in0: port: "x"}`, `c.#Artifact & m.#Artifact`, `c.#Artefact`, `5`, `"c.#Artifact"`, `nothing.#Artifact`,
	`c.#Artifact & {description: code: c: cmd: [string]}`, `k.#Component & {ref: name: "w"}`,
}

// TestWrongArtifactsInCopies is [TestWrongInCopies] for what roles say of their artifacts.
func TestWrongArtifactsInCopies(t *testing.T) {
	t.Parallel()
	n := 0
	for _, name := range slices.Sorted(maps.Keys(refinedRoles)) {
		roles := refinedRoles[name]
		from, ok := strings.CutPrefix(roles, "role: {«each: r«n»: {artifact: ")
		if !ok {
			continue
		}
		plain := from[:strings.LastIndex(from, ", config: {")]
		plain = strings.ReplaceAll(plain, "«x«n»»", "")
		roles = strings.ReplaceAll(roles, "«x«n»»", "")
		for _, wrong := range wrongArtifacts {
			for _, at := range []string{"0", "3", "25", "012345"} {
				if n++; seldom(n) || n%*everyForm != 0 {
					continue
				}
				t.Run(fmt.Sprint(name, "/", wrong, "/", at), func(t *testing.T) {
					t.Parallel()
					in := inCopies(t, strings.Replace(roles, plain, "«a!»", 1), wrong+"\x00"+plain, at)
					if diff := partialDiffers(in); diff != "" {
						t.Errorf("(-CUE +partial):\n%s", diff)
					}
				})
			}
		}
	}
}

// TestWrongInCopies compares what is said of mistakes in roles that are spread by way of a copy of their service with what CUE alone makes
// of them: in one role, in two, in all, and in the artifact of one.
func TestWrongInCopies(t *testing.T) {
	t.Parallel()
	n := 0
	for _, name := range slices.Sorted(maps.Keys(refinedRoles)) {
		for _, wrong := range wrongGiven {
			for _, at := range []string{"0", "3", "25", "012345", "x2"} {
				if n++; seldom(n) || n%*everyForm != 0 {
					continue
				}
				t.Run(fmt.Sprint(name, "/", wrong, "/", at), func(t *testing.T) {
					t.Parallel()
					in := inCopies(t, refinedRoles[name], wrong, at)
					if diff := partialDiffers(in); diff != "" {
						t.Errorf("(-CUE +partial):\n%s", diff)
					}
				})
			}
		}
	}
}

// inCopies is a service with such roles, of which some say something else in their configs; with x before their numbers, their artifacts do.
func inCopies(t *testing.T, roles, wrong, at string) (in compiler.Input) {
	dir := t.TempDir()
	write(t, dir, copied(roles, wrong, at))
	in.Dir = filepath.Join(dir, "deploy")
	return in
}

// copied are the files of such a service.
func copied(roles, wrong, at string) string {
	numbers, inArtifact := strings.CutPrefix(at, "x")
	wrong, artifact, _ := strings.Cut(wrong, "\x00")
	each := func(form string) string {
		var all []string
		for n := range 6 {
			given, more, artifact := `parameter: t: "x"`, "", artifact
			switch isWrong := strings.Contains(numbers, fmt.Sprint(n)); {
			case isWrong && inArtifact:
				more = ", description: code: c: image: tag: 5"
			case isWrong && artifact != "":
				artifact = wrong
			case isWrong:
				given = wrong
			}
			all = append(all, strings.NewReplacer("«a!»", strings.ReplaceAll(artifact, "«n»", fmt.Sprint(n)), "«n!»", given, "«x«n»»", more, "«n»", fmt.Sprint(n)).Replace(form))
		}
		return strings.Join(all, "\n")
	}
	before, rest, _ := strings.Cut(roles, "«each: ")
	end := strings.LastIndex(rest, "»}")
	text := before + each(rest[:end]) + rest[end+len("»"):]
	return formed("-- s/roles --\n" + text + "\n")
}

// TestWrongInCopiesRemembered edits such services: what is remembered of a copy says nothing of another one.
func TestWrongInCopiesRemembered(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(refinedRoles)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, memory := t.TempDir(), load.NewMemory()
			for _, at := range []string{"", "3", "1", "25", "", "x2", "3"} {
				write(t, dir, copied(refinedRoles[name], wrongGiven[0], at))
				in := compiler.Input{}
				in.Dir = filepath.Join(dir, "deploy")
				want := toldOf(in)
				in.Memory = memory
				require.Equal(t, want, toldOf(in), at)
			}
		})
	}
}

// TestOneWrongAmongMany: a mistake in one of many roles that refine an artifact leaves the others to the shortcut. CUE alone would evaluate
// all of them.
func TestOneWrongAmongMany(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"refined by values", "by another name", "in a loop"} {
		in := inCopies(t, refinedRoles[name], wrongGiven[0], "3")
		result, problems := compiler.Run(context.Background(), in, compiler.SpreadStage)
		require.Len(t, problems, 1)
		require.Less(t, result.Tree.Work.Evaluated, 4, name)
		require.Positive(t, result.Tree.Work.Instantiated, name)
	}
}
