package registry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
)

func TestParseReference(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, path, version string }{
		{"shop:v1", "shop", "v1"},
		{"shop:1.2", "shop", "1.2"},
		{"data/kafka:v1.2.3", "data/kafka", "v1.2.3"},
		{"dot.delimited.names/kafka:v1", "dot.delimited.names/kafka", "v1"},
		{"shop:=v1.2.3", "shop", "=v1.2.3"},
		{"example.org/site/shop:v1.0.0-rc.1", "example.org/site/shop", "v1.0.0-rc.1"},
	}
	for _, tt := range tests {
		got, err := ParseReference(tt.text)
		require.NoError(t, err)
		require.Equal(t, Reference{tt.path, strings.TrimPrefix(tt.version, "="), strings.HasPrefix(tt.version, "=")}, got)
		require.Equal(t, tt.text, got.String())
	}
	for _, bad := range []string{"", ":", "shop", "shop:", ":v1", "shop:latest", "shop:vx", "/shop:v1", "a//b:v1", "../shop:v1", "a:b:v1", "a@v1:v1", "shop:=", "shop:==v1", ".:v1", `a\b:v1`} {
		_, err := ParseReference(bad)
		require.Error(t, err, bad)
	}
}

// TestParseReferenceRobust: whatever the text is, a reference that is read is
// written as it was.
func TestParseReferenceRobust(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z./@:v0-9\\-]{0,20}`)).Draw(t, "text")
		if r, err := ParseReference(text); err == nil {
			require.Equal(t, text, r.String())
			_, _ = Settings{Registry: "example.org"}.Full(r.Path)
		}
	})
}

func TestFull(t *testing.T) {
	t.Parallel()
	s := Settings{Registry: "example.org/artifacts", Collections: map[string]string{"data": "example.org/big-data", "dot.ted": "example.org/dots"}}
	tests := []struct {
		settings Settings
		path     string
		want     string // begins with "!" for an error
	}{
		{s, "shop", "example.org/artifacts/shop"},
		{s, "data/kafka", "example.org/big-data/kafka"},
		{s, "dot.ted/kafka", "example.org/dots/kafka"},
		{s, "signals/kafka", "example.org/artifacts/signals/kafka"},
		{s, "example.org/shop", "example.org/shop example.org/artifacts/example.org/shop"},
		{s, "dot.delimited/kafka", "dot.delimited/kafka example.org/artifacts/dot.delimited/kafka"},
		{s, "example.org/a/b/c", "example.org/a/b/c"},
		{s, "a/b/c", "!a/b/c has more than a collection before the name; begin with the domain of its module, as in example.org/a/b/c"},
		{Settings{}, "shop", "!shop names no module; write MODULE/shop, or say with --registry, or with registry: in kumiki.registry.cue, where names are looked for"},
		{Settings{}, "example.org/shop", "example.org/shop"},
	}
	for _, tt := range tests {
		all, err := tt.settings.Full(tt.path)
		got := strings.Join(all, " ")
		if err != nil {
			got = "!" + err.Error()
		}
		require.Equal(t, tt.want, got)
	}
}
