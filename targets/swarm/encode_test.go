package swarm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	_ "kumiki.dev/internal/repeatable"
	"kumiki.dev/targets"
	"kumiki.dev/targets/swarm"
)

// TestEncodeText writes any text into a stack, and reads it back as it was.
func TestEncodeText(t *testing.T) {
	text := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-z0-9:{}\[\],&*#?|<>=!%@ .$'"\\/~-]{0,12}`),
		rapid.SampledFrom([]string{"yes", "0x1f", "1e3", "null", "~", "12:30:00", "2001-01-01", ".5", "a: b", "a #b", "- a", "|\n", "a\nb\n", "a\nb", "\na\nb\n", " a\nb\n", "a\n\nb\n", "a\nb\n\n", "\u0085\u2028\ufeff", "tab\tin\nlines\n", "é\nü\n", "\x7f"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		value := text.Filter(func(s string) bool { return strings.ToValidUTF8(s, "") == s }).Draw(t, "value")
		s := &swarm.Service{Image: "x", Environment: map[string]string{"A": value}, Command: []string{value, "b"}, Configs: []swarm.FileRef{{Source: "a", Target: value}}}
		out := encode(t, []targets.Object{{Kind: swarm.ServiceKind, Name: "s", Value: s}})
		var read swarm.Stack
		require.NoError(t, yaml.Unmarshal(out, &read), "%s", out)
		doubled := strings.ReplaceAll(value, "$", "$$")
		require.Equal(t, doubled, read.Services["s"].Environment["A"], "%s", out)
		require.Equal(t, []string{doubled, "b"}, read.Services["s"].Command, "%s", out)
		require.Equal(t, doubled, read.Services["s"].Configs[0].Target, "%s", out)
	})
}

// TestEncodeStack reads stacks back that hold all that a stack can.
func TestEncodeStack(t *testing.T) {
	replicas, mode, yes := 2, swarm.Mode(0o440), true
	s := &swarm.Service{
		Image: "x:1", Init: &yes, ReadOnly: true, CapDrop: []string{"ALL"},
		Healthcheck: &swarm.Healthcheck{Test: []string{"CMD", "true"}, Interval: "1s"},
		Secrets:     []swarm.FileRef{{Source: "a", Target: "/a", Mode: &mode}},
		Volumes:     []swarm.Mount{{Type: "tmpfs", Target: "/b", Tmpfs: &swarm.Tmpfs{Size: 1}}},
		Networks:    map[string]*swarm.Attachment{"n": nil, "m": {Aliases: []string{"0.c"}}},
		Deploy:      swarm.Deploy{Replicas: &replicas, Placement: &swarm.Placement{Preferences: []swarm.Preference{{Spread: "node.labels.a"}}}},
	}
	out := encode(t, []targets.Object{
		{Kind: swarm.ServiceKind, Name: "s", Value: s},
		{Kind: swarm.NetworkKind, Name: "n", Value: &swarm.Network{Driver: "overlay"}},
	})
	require.Contains(t, string(out), "mode: 0440\n")
	data, err := yaml.YAMLToJSON(out)
	require.NoError(t, err)
	var read swarm.Stack
	require.NoError(t, json.Unmarshal(data, &read), "%s", out)
	require.Equal(t, replicas, *read.Services["s"].Deploy.Replicas)
	require.Equal(t, s.Networks, read.Services["s"].Networks)
	require.Equal(t, s.Volumes, read.Services["s"].Volumes)
	require.Equal(t, s.Deploy.Placement, read.Services["s"].Deploy.Placement)

	require.Equal(t, "version: \"3.13\"\nservices: {}\n", string(encode(t, nil)))
}
