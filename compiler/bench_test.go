package compiler

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/benchapp"
)

// BenchmarkCompile compiles each application from sources to bytes. Beside the
// whole it reports each stage in milliseconds, and the whole as a multiple of
// what plain CUE takes to read and export the finished solution.
func BenchmarkCompile(b *testing.B) {
	for _, bm := range benchapp.Cases() {
		if bm.Roles > 1024 {
			continue // minutes, and nothing new
		}
		b.Run(bm.Name(), func(b *testing.B) {
			in := benchInput(b, bm.New().Kumiki())
			spent := map[Stage]time.Duration{}
			var data []byte
			b.ReportAllocs()
			for b.Loop() {
				data = timed(b, in, spent)
			}
			for stage, d := range spent {
				b.ReportMetric(milliseconds(d, b.N), string(stage)+"-ms")
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(plainCUE(b, data)), "x-export")
		})
	}
}

// BenchmarkMistakes vets an application of 100 roles with 20 mistakes, and
// reports what that takes as a multiple of compiling it without them.
func BenchmarkMistakes(b *testing.B) {
	wrong, right := benchInput(b, benchapp.Mistaken()), benchInput(b, benchapp.Distinct(100).Kumiki())
	var clean time.Duration
	for b.Loop() {
		_, problems := Run(context.Background(), wrong, ExtractStage)
		require.Len(b, problems, benchapp.Mistakes)
		b.StopTimer()
		start := time.Now()
		_, problems = Run(context.Background(), right, ExtractStage)
		clean += time.Since(start)
		require.Empty(b, problems)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(clean), "x-clean")
}

func benchInput(b testing.TB, app benchapp.App) Input {
	b.Helper()
	dir := b.TempDir()
	require.NoError(b, app.Write(dir))
	var in Input
	in.Dir = filepath.Join(dir, benchapp.Deploy)
	return in
}

// timed goes through the stages as Run does, and adds up what each takes.
func timed(b testing.TB, in Input, spent map[Stage]time.Duration) []byte {
	b.Helper()
	c := &compilation{in: in}
	for _, s := range stages {
		start := time.Now()
		problems, ok := c.guard(s.name, s.run)
		spent[s.name] += time.Since(start)
		require.Empty(b, problems)
		require.True(b, ok)
	}
	return c.result.Encoded.Bytes()
}

// plainCUE is the time that CUE takes to export a solution that is there: the
// best of three.
func plainCUE(b testing.TB, data []byte) time.Duration {
	b.Helper()
	best := time.Hour
	for range 3 {
		start := time.Now()
		_, err := cuecontext.New().CompileBytes(data).MarshalJSON()
		require.NoError(b, err)
		best = min(best, time.Since(start))
	}
	return best
}

func milliseconds(d time.Duration, n int) float64 {
	return float64(d) / float64(n) / float64(time.Millisecond)
}
