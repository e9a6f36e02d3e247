package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"kumiki.dev/internal/benchapp"
)

// BenchmarkWorker measures one request about an application of 100 roles, in which
// a component, or the deployment, is another text than before each time.
func BenchmarkWorker(b *testing.B) {
	dir := b.TempDir()
	if err := benchapp.Flat(100, 10).Kumiki().Write(dir); err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"c3/artifact.cue", "deploy/deployment.cue"} {
		b.Run(filepath.Dir(name), func(b *testing.B) {
			file := filepath.Join(dir, name)
			text, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			w := newWorker()
			r := request{Dir: filepath.Join(dir, "deploy"), Open: []string{file}}
			for n := 0; b.Loop(); n++ {
				r.Overlay = map[string][]byte{file: fmt.Appendf(nil, "%s\n// %d\n", text, n)}
				if out := w.answer(context.Background(), r); len(out.Problems) > 0 || len(out.Facts) == 0 {
					b.Fatal(out.Problems)
				}
			}
		})
	}
}
