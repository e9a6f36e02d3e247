package targets

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/solution"
)

func TestAmounts(t *testing.T) {
	tests := []struct {
		size, unit   string
		milli, whole int64
		ok           bool
	}{
		{"100", "m", 100, 1, true},
		{"0.5", "", 500, 1, true},
		{"2", "", 2000, 2, true},
		{"1", "m", 1, 1, true},
		{"1001", "m", 1001, 2, true},
		{"0", "Ti", 0, 0, true},
		{"-1", "", -1000, -1, true},
		{"8388", "Ti", 8388 * 1000 << 40, 8388 << 40, true},
		{"64", "M", 64_000_000_000, 64_000_000, true},
		{"1.5", "Ki", 1_536_000, 1536, true},
		{"1e3", "", 1_000_000, 1000, true},
		{"0.0001", "m", 1, 1, true},
		{"9", "P", 0, 0, false},
	}
	for _, test := range tests {
		t.Run(test.size+test.unit, func(t *testing.T) {
			a := solution.Amount{Size: json.Number(test.size), Unit: test.unit}
			milli, ok := Milli(a)
			require.Equal(t, test.ok, ok)
			require.Equal(t, test.milli, milli)
			whole, ok := Whole(a)
			require.Equal(t, test.ok, ok)
			require.Equal(t, test.whole, whole)
		})
	}
	for _, large := range []json.Number{"1e30", "9223372"} {
		_, ok := Milli(solution.Amount{Size: large, Unit: "T"})
		require.False(t, ok)
	}
}
