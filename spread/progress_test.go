package spread

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
)

// TestProgressHeld: of a run that is given up, what was going on then stays, whatever
// CUE comes to after it.
func TestProgressHeld(t *testing.T) {
	t.Parallel()
	for name, held := range map[string]func(p *Progress) *Progress{
		"the run's own":    func(p *Progress) *Progress { return p },
		"of all that runs": func(p *Progress) *Progress { return p.Outer },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &Progress{Outer: &Progress{}}
			enter := func(path string) func() { return p.enter(&spot{pkg: &Package{Path: path}, pos: diag.NoPos}) }
			enter("before")()
			what, _ := p.At()
			require.Empty(t, what)
			leave := enter("during")
			held(p).Hold()
			leave()
			enter("after")
			for _, p := range []*Progress{p, held(p)} {
				what, _ := p.At()
				require.Equal(t, "package during", what)
			}
		})
	}
}
