package compat

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBeyond checks which step needs a change of what an artifact makes of its
// config.
func TestBeyond(t *testing.T) {
	t.Parallel()
	const cmd = `code: web: cmd: ["--level=\(config.parameter.level)"]`
	tests := []struct {
		name     string
		old, new parts
		want     Step
		path     string // of the first change
	}{
		{"a role takes less of what it is handed", parts{}, parts{role: `level: "info" & description.config.parameter.level`}, Major, "role.web.config.parameter.level"},
		{"a role is handed something computed", parts{}, parts{handed: "max: description.config.parameter.max + 1"}, Major, "role.web.config.parameter.max"},
		{"a limit of a computed field", parts{}, parts{line: `code: web: cmd: ["\(config.parameter.max & <5)"]`}, Major, "code.web.cmd"},
		{"a limit of a number", parts{}, parts{line: "code: web: size: memory: size: config.parameter.max & <5"}, Major, "code.web.size.memory.size"},
		{"a hidden check", parts{}, parts{line: "_ok: true & (config.parameter.max < 5)"}, Major, "_ok"},
		{"a hidden check goes", parts{line: "_ok: true & (config.parameter.max < 5)"}, parts{}, Patch, ""},
		{"a hidden check stays", parts{line: "_ok: true & (config.parameter.max < 5)"}, parts{line: "// Why.\n_ok: true & (config.parameter.max < 5)"}, Patch, ""},
		{"an if that fails", parts{}, parts{line: "if config.parameter.max > 7 {_bad: 1 & 2}"}, Major, "_bad"},
		{"an alternative of structs", parts{line: cmd}, parts{line: cmd + "\ncode: web: matchN(1, [{cmd: [string], ...}])"}, Major, "code.web"},
		{"a text of a parameter", parts{}, parts{line: cmd}, Patch, ""},
		{"another text of a parameter", parts{line: cmd}, parts{line: `code: web: cmd: ["-l", config.parameter.level]`}, Patch, ""},
		{"a text by a let", parts{}, parts{line: "let p = config.parameter\ncode: web: mapping: env: MAX: value: \"\\(p.max)\""}, Patch, ""},
		{"a text that may be there", parts{}, parts{line: `code: web: cmd: [if config.parameter.level == "debug" {"-d"}]`}, Patch, ""},
		{"a text of what is asked for", parts{more: "extra?: string"}, parts{more: "extra?: string", line: `code: web: cmd: [if config.parameter.extra != _|_ {config.parameter.extra}]`}, Patch, ""},
		{"a default that a text is made of", parts{line: cmd}, parts{line: cmd, level: levels[2]}, Minor, "config.parameter.level"},
		{"a default that is computed with", parts{max: "max: *3 | int", line: "code: web: size: memory: size: config.parameter.max"}, parts{max: "max: *9 | int", line: "code: web: size: memory: size: config.parameter.max"}, Major, "max"},
		{"an image beside what is computed", parts{line: cmd}, parts{line: cmd, image: 2}, Patch, ""},
		{"an image that an if may set", parts{line: "if config.parameter.max > 4 {code: web: image: tag: \"ghcr.example/web:1\"}", image: 1}, parts{line: "if config.parameter.max > 4 {code: web: image: tag: \"ghcr.example/web:1\"}", image: 2}, Major, "code.web.image.tag"},
		{"a scale", parts{}, parts{scale: "hsize: *1 | uint & <4"}, Major, "config.scale.hsize"},
		{"a scale by a parameter", parts{}, parts{line: "config: scale: hsize: <=config.parameter.max"}, Major, "config.scale.hsize"},
		{"a constant for a role", parts{handed: "max: 2"}, parts{handed: "max: 3"}, Patch, ""},
		{"a constant for a role that an if looks at", parts{line: "if config.parameter.max > 2 {code: web: cmd: [config.parameter.level]}", handed: "max: 2"}, parts{line: "if config.parameter.max > 2 {code: web: cmd: [config.parameter.level]}", handed: "max: 3"}, Patch, ""},
		{"a constant for a role that a check looks at", parts{line: `_ok: true & (config.parameter.max < 5 || config.parameter.level == "info")`, handed: "max: 2"}, parts{line: `_ok: true & (config.parameter.max < 5 || config.parameter.level == "info")`, handed: "max: 6"}, Major, "role.web.config.parameter.max"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			old, now := tt.old.module(t), tt.new.module(t)
			r, problems := Compare(t.Context(), Side{Dir: old}, Side{Dir: now})
			require.False(t, problems.HasErrors(), "%v", messages(problems))
			require.Equal(t, tt.want, r.Step, "%+v", r.Changes)
			if tt.path != "" {
				require.Contains(t, r.Changes[0].Path, tt.path)
			}
		})
	}
}
