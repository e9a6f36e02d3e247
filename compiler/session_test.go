package compiler_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
)

// TestSession: runs that share a session make the same bytes as each by itself, and tell
// the same of what is wrong; one with a mistake leaves nothing behind.
func TestSession(t *testing.T) {
	t.Parallel()
	for name, app := range map[string]benchapp.Application{"usual": benchapp.Usual(5), "nested": benchapp.Nested(2, 2, true)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, app.Kumiki().Write(dir))
			shared := &compiler.Session{}
			for n := range 6 {
				in := compiler.Input{LoadInput: compiler.LoadInput{Dir: filepath.Join(dir, benchapp.Deploy)}, Name: fmt.Sprintf("s%d", n), Labels: map[string]string{"n": fmt.Sprint(n)}}
				in.Sets = []string{fmt.Sprintf("config.resilience=%d", n%3)}
				if n == 2 {
					in.Sets = append(in.Sets, "config.parameter.nobody=1")
				}
				alone, problems := compiler.Run(context.Background(), in, compiler.EncodeStage)
				in.Session = shared
				together, more := compiler.Run(context.Background(), in, compiler.EncodeStage)
				require.Equal(t, fmt.Sprint(problems), fmt.Sprint(more))
				require.Equal(t, n == 2, problems.HasErrors())
				if n == 2 {
					require.Nil(t, shared.Program(), "it is of no use any more")
					continue
				}
				want, err := alone.Solution.Bytes()
				require.NoError(t, err)
				got, err := together.Solution.Bytes()
				require.NoError(t, err)
				require.Equal(t, string(want), string(got))
				require.Equal(t, fmt.Sprint(n), together.Solution.ObjectLabels["n"])
			}
		})
	}
}
