package lsp

import (
	"context"
	"path/filepath"
	"testing"

	"kumiki.dev/internal/benchapp"
)

// BenchmarkWorker measures one request about an application of 100 roles.
func BenchmarkWorker(b *testing.B) {
	dir := b.TempDir()
	if err := benchapp.Flat(100, 10).Kumiki().Write(dir); err != nil {
		b.Fatal(err)
	}
	w := newWorker()
	r := request{Dir: filepath.Join(dir, "deploy"), Open: []string{filepath.Join(dir, "c3/artifact.cue")}}
	for b.Loop() {
		if out := w.answer(context.Background(), r); len(out.Problems) > 0 || len(out.Facts) == 0 {
			b.Fatal(out.Problems)
		}
	}
}
