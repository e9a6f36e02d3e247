package registry

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPattern(t *testing.T) {
	t.Parallel()
	versions := []string{"v0.1.0", "v1.0.0", "v1.0.9", "v1.0.10", "v1.2.0", "v1.2.1-rc.1", "v2.0.0-rc.1", "v3.0.0"}
	tests := []struct{ want, get, patch string }{
		{"", "v3.0.0", ""},
		{"v1", "v1.2.0", "v1.0.10"},
		{"1", "v1.2.0", "v1.0.10"},
		{"v1.0", "v1.0.10", "v1.0.10"},
		{"v1.0.0", "v1.0.0", "v1.0.10"},
		{"v1.0.10", "v1.0.10", "v1.0.10"},
		{"v1.0.11", "", ""},
		{"v1.1", "", ""},
		{"v1.2.1-rc.1", "v1.2.1-rc.1", "v1.2.1-rc.1"},
		{"v1.2.1", "", ""},
		{"v2", "", ""},
		{"v3", "v3.0.0", "v3.0.0"},
	}
	for _, tt := range tests {
		p, err := parsePattern(tt.want)
		require.NoError(t, err)
		require.Equal(t, tt.get, p.highest(versions), "get %s", tt.want)
		if tt.want == "" {
			continue
		}
		got, err := HighestPatch(tt.want, versions)
		require.NoError(t, err)
		require.Equal(t, tt.patch, got, "resolve %s", tt.want)
	}
	for _, bad := range []string{"v", "x", "1.x", "v1.2.3.4", "v01", "v1.-2", "v1..2", "v1.2-rc", "v-1", "^1.2", "1 "} {
		_, err := parsePattern(bad)
		require.Error(t, err, bad)
	}
}

// TestHighestPatch compares the resolution with the rule as it is written down:
// of those published, the highest PATCH that has the same MAJOR and MINOR.
func TestHighestPatch(t *testing.T) {
	t.Parallel()
	number := rapid.IntRange(0, 12)
	triple := rapid.Custom(func(t *rapid.T) [3]int {
		return [3]int{rapid.IntRange(0, 2).Draw(t, "major"), rapid.IntRange(0, 2).Draw(t, "minor"), number.Draw(t, "patch")}
	})
	rapid.Check(t, func(t *rapid.T) {
		published := rapid.SliceOfN(triple, 0, 12).Draw(t, "published")
		want := triple.Draw(t, "want")
		given := rapid.IntRange(1, 3).Draw(t, "given")
		for i := given; i < 3; i++ {
			want[i] = 0
		}
		text := fmt.Sprintf("v%d.%d.%d", want[0], want[1], want[2])
		short := []string{fmt.Sprintf("v%d", want[0]), fmt.Sprintf("v%d.%d", want[0], want[1]), text}[given-1]

		var versions []string
		best := [3]int{-1, 0, 0}
		for _, v := range published {
			versions = append(versions, fmt.Sprintf("v%d.%d.%d", v[0], v[1], v[2]))
			if v[0] == want[0] && v[1] == want[1] && v[2] >= want[2] && slices.Compare(v[:], best[:]) > 0 {
				best = v
			}
		}
		expected := ""
		if best[0] >= 0 {
			expected = fmt.Sprintf("v%d.%d.%d", best[0], best[1], best[2])
		}
		got, err := HighestPatch(short, versions)
		require.NoError(t, err)
		require.Equal(t, expected, got)
		slices.Reverse(versions)
		again, err := HighestPatch(text, versions)
		require.NoError(t, err)
		require.Equal(t, expected, again, "omitted parts are zero, and the order does not matter")
	})
}
