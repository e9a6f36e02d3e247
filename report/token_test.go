package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTokenLen(t *testing.T) {
	t.Parallel()
	tests := []struct{ file, text, want string }{
		{"a.cue", `regoin: "eu"`, `regoin`},
		{"a.cue", `"two words": 1`, `"two words"`},
		{"a.cue", `#Artifact: {`, `#Artifact`},
		{"a.cue", `_x`, `_x`},
		{"a.cue", `w.#Artifact & {}`, `w.#Artifact`},
		{"a.cue", `a.b.c`, `a.b.c`},
		{"a.cue", `a...`, `a`},
		{"a.cue", `-12,`, `-12`},
		{"a.cue", `>= 10 & <20`, `>= 10`},
		{"a.cue", `*"a" | "b"`, `*"a"`},
		{"a.cue", `1.5e3}`, `1.5e3`},
		{"a.cue", `true`, `true`},
		{"a.cue", `if x {`, `if`},
		{"a.cue", `{a: 1}`, `{`},
		{"a.cue", `"x\(y)z"`, `"x`},
		{"a.cue", "\"\"\"\n\ta\n\t\"\"\"\nb", "\"\"\"\n\ta\n\t\"\"\""},
		{"a.cue", `@embed(file=x.json)`, `@embed(file=x.json)`},
		{"a.cue", `'bytes'`, `'bytes'`},
		{"a.cue", "\nb", ""},
		{"a.cue", "// comment\nb", ""},
		{"a.cue", "", ""},
		{"a.cue", "\x00", "\x00"},
		{"a.cue", `"open`, `"open`},
		{"a.json", `{"a": 1}`, `{`},
		{"a.yaml", `title: Wood & Joints # shop`, `title`},
		{"a.yaml", `Wood & Joints # shop`, `Wood & Joints`},
		{"a.yaml", `http://x:80`, `http://x:80`},
		{"a.yaml", `"a: b": c`, `"a: b"`},
		{"a.yml", `a, b]`, `a`},
		{"a.yml", "a\r\nb", `a`},
		{"a.yml", "", ""},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, tt.text[:tokenLen(tt.file, []byte(tt.text))], "%s: %s", tt.file, tt.text)
	}
}

// FuzzTokenLen demands that a token lies within its text.
func FuzzTokenLen(f *testing.F) {
	for _, s := range []string{"a.b", "\"\\(x)\"", ">=1", "'", "#", "é.é", "\xff", "a.\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.cue", "a.yaml"} {
			if n := tokenLen(name, []byte(text)); n < 0 || n > len(text) {
				t.Errorf("%s: %d of %d", name, n, len(text))
			}
		}
	})
}
