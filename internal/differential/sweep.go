package differential

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"kumiki.dev/internal/differential/generate"
	"kumiki.dev/internal/differential/reference"
)

// Made is the case of a seed, with the constructs in it and the mistake that was
// made on purpose.
func Made(seed uint64) (Case, generate.App) {
	a := generate.Make(seed)
	c := Case{Files: a.Files, Kam: a.Kam, Generated: a.Generated, Sets: a.Sets}
	for _, v := range a.Values {
		c.Values = append(c.Values, reference.File{Name: v.Name, Text: v.Text})
	}
	return c, a
}

// Seen is the outcome of a seed's case.
type Seen struct {
	Seed uint64
	App  generate.App
	Outcome
}

// Sweep runs the cases of n seeds, from the first on, in a directory, with all of
// the settings. It tells each as soon as it is known, one at a time.
func Sweep(first uint64, n int, dir string, settings []Setting, each func(Seen)) error {
	var (
		lock   sync.Mutex
		failed error
		group  sync.WaitGroup
		seeds  = make(chan uint64)
	)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			model := reference.NewModel()
			for seed := range seeds {
				c, app := Made(seed)
				at := filepath.Join(dir, strconv.FormatUint(seed, 10))
				out, err := Run(model, c, at, settings)
				err = errors.Join(err, os.RemoveAll(at))
				lock.Lock()
				failed = errors.Join(failed, err)
				each(Seen{seed, app, out})
				lock.Unlock()
			}
		})
	}
	for i := range n {
		seeds <- first + uint64(i)
	}
	close(seeds)
	group.Wait()
	return failed
}

// Smallest makes the case of a mismatch smaller, as long as the mismatch is of the
// same kind. It works in a directory.
func Smallest(s Seen, dir string, settings []Setting, trials int) (Case, *Mismatch) {
	c, _ := Made(s.Seed)
	last, model := s.Mismatch, reference.NewModel()
	c = Minimize(c, trials, func(c Case) bool {
		at, err := os.MkdirTemp(dir, "")
		if err != nil {
			return false
		}
		defer os.RemoveAll(at)
		got, err := Run(model, c, at, settings)
		if err != nil || got.Mismatch == nil || got.Mismatch.Kind != s.Mismatch.Kind {
			return false
		}
		last = got.Mismatch
		return true
	})
	return c, last
}
