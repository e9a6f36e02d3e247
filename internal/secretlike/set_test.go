package secretlike

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHide(t *testing.T) {
	t.Parallel()
	var s Set
	tell := func(path, text string) { s.Tell(strings.Split(path, "."), text) }
	tell("config.parameter.password", `ge"h'ei|m<1>`)
	tell("config.parameter.token", "correct-horse-battery-staple-of-more-than-sixty-characters-in-all")
	tell("config.parameter.pwd", "admin")
	tell("config.parameter.pin.password", "kafka")
	tell("role.kafka.image", "kafka:1")
	tell("config.parameter.pass", "abc")
	tell("config.parameter.word", "hunter2 the dog")
	tell("code.c.mapping.env.PASSWORD.parameter", "word")
	tell("config.parameter.url", "postgres://shop:s3cr3t@db")
	for text, want := range map[string]string{
		`conflicting values "ge\"h'ei|m<1>" and 1`:          "conflicting values \"(hidden)\" and 1",
		`{"a":"ge\"h'ei|m\u003c1\u003e"}`:                   `{"a":"(hidden)"}`,
		`'ge"h''ei|m<1>'`:                                   `'(hidden)'`,
		`<p>ge&#34;h&#39;ei|m&lt;1&gt;</p>`:                 `<p>(hidden)</p>`,
		"a correct-horse-battery… b":                        "a (hidden)… b",
		"role admin":                                        "role (hidden)",
		"administrator":                                     "administrator",
		"role kafka":                                        "role kafka",
		`password "abc" of abc`:                             `password "(hidden)" of abc`,
		`x\nadmin\n`:                                        `x\n(hidden)\n`,
		"the hunter2 the dog!":                              "the (hidden)!",
		"postgres://shop:s3cr3t@db, prefixs3cr3tsuffix":     "postgres://shop:(hidden)@db, prefix(hidden)suffix",
		base64.StdEncoding.EncodeToString([]byte("s3cr3t")): "(hidden)",
		"nothing of it":                                     "nothing of it",
		"":                                                  "",
	} {
		require.Equal(t, want, s.Hide(text), text)
	}
	require.Equal(t, `role "(hidden)"`, s.HideQuoted(`role "kafka"`))
	require.Equal(t, Hidden, s.HideAt([]string{"a", "password"}, "kafka"))
	require.Equal(t, "kafka", (*Set)(nil).HideAt([]string{"a", "password"}, "kafka"))
	require.Equal(t, "x", (&Set{}).Hide("x"))
}
