package tiny

import (
	"os"
	"testing"
)

func TestClamp(t *testing.T) {
	for _, x := range [][3]int{{1, 2, 1}, {2, 2, 2}, {3, 2, 2}} {
		if got := Clamp(x[0], x[1]); got != x[2] || os.Getenv("TINY_FAILS") != "" {
			t.Errorf("%v: %d", x, got)
		}
	}
}

func TestCount(t *testing.T) {
	if got := Count([]string{"a", "", "b", "end", "c"}); got != 2 {
		t.Errorf("%d", got)
	}
}

// TestSized calls what it is about, and looks at nothing.
func TestSized(*testing.T) {
	made := 0
	Sized(func() []string {
		if made++; made > 2 {
			panic("made too often")
		}
		return []string{"a", "bc"}
	})
}
