package spread

import (
	"fmt"
	"strings"

	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/format"

	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/source"
	"kumiki.dev/value"
)

// Fill gives the artifact of a package a config, with nothing but CUE. It returns nil if
// anything is wrong.
func Fill(e *Evaluator, p *Package, config *value.Data) *value.Node {
	r := newRunner(e, Options{NoPartial: true})
	n := r.spread(&Filling{Package: p, At: Place{Given: config}})
	if r.found > 0 {
		return nil
	}
	return n
}

// Slices are those of the holes of an artifact's description.
type Slices struct {
	lib     *source.Library
	pkg     *Package
	sources *depends.Sources
}

// Depends reads the sources of an artifact.
func Depends(p *Package) (*depends.Sources, *Slices) {
	lib := source.NewLibrary()
	d := lib.Sources(p)
	return d, &Slices{lib, p, d}
}

// Value evaluates a path of the artifact with a finished config, of the sources as a
// whole; the text of an error is its value if there is one.
func (s *Slices) Value(e *Evaluator, path []string, config *value.Data) string {
	if err := e.Filled(s.pkg, config).Validate(); err != nil {
		return "error elsewhere: " + cueerrors.Details(err, nil)
	}
	return s.valueIn(e, s.pkg, path, config)
}

// Sliced is Value of nothing but the slice for the path, and what it depends on.
func (s *Slices) Sliced(e *Evaluator, path []string, config *value.Data) (string, depends.Set) {
	slice := s.sources.Slice(false, path)
	given := value.NewStruct(config.Pos)
	for _, at := range slice.Set {
		if len(at) > 0 && config.Get(at...) == nil {
			return "error: the config is that of an artifact within this one, or lacks an optional field", slice.Set
		}
		given = given.Merge(config.Within(at))
	}
	got := s.valueIn(e, s.lib.Sliced(s.pkg, slice.Files), path, given)
	if whole := s.valueIn(e, s.lib.Sliced(s.pkg, s.sources.Slice(true, path).Files), path, given); whole != got {
		if !strings.HasPrefix(whole, "error") {
			whole = "without types: " + whole
		}
		return whole, slice.Set
	}
	return got, slice.Set
}

// Show is the slice for a path as text.
func (s *Slices) Show(path []string) string {
	var b strings.Builder
	for _, files := range s.sources.Slice(false, path).Files {
		for _, f := range files {
			text, err := format.Node(f)
			fmt.Fprintf(&b, "--- %s %v\n%s", f.Filename, err, text)
		}
	}
	return b.String()
}

func (s *Slices) valueIn(e *Evaluator, p *Package, path []string, config *value.Data) string {
	v := e.Filled(p, config)
	if err := e.Value(p).Err(); err != nil && !v.Exists() {
		return "error: the package: " + cueerrors.Details(err, nil)
	}
	x := v.LookupPath(PathOf(path))
	switch {
	case !x.Exists():
		return "nothing"
	}
	f := &Finisher{Any: true, Places: Nowhere}
	d := f.Finish(x, path)
	if len(f.Problems) > 0 {
		return "error: " + cueerrors.Details(x.Validate(), nil)
	}
	return d.JSON()
}
