package bundle

import (
	"bytes"
	"context"
	"maps"
	"reflect"
	"slices"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/value"
)

// Again is what comes of compiling a bundle again.
type Again struct {
	// Problems are why it does not compile; none where it does.
	Problems diag.List
	// Differences are the fields in which the solution is another than it was; none for
	// the same bytes.
	Differences []Difference
}

// Difference is a field that two solutions have differently.
type Difference struct {
	Path []string `json:"path"`
	// Was and Is are its values, nil where it is not there.
	Was any `json:"was,omitempty"`
	Is  any `json:"is,omitempty"`
}

// CompileAgain compiles what a solution was compiled from, and compares.
func CompileAgain(ctx context.Context, data []byte, was *solution.Solution) (*Again, error) {
	is, problems, err := Compile(ctx, data)
	if err != nil {
		return nil, err
	}
	if problems.HasErrors() {
		return &Again{Problems: problems}, nil
	}
	old, err := was.Bytes()
	if err != nil {
		return nil, err
	}
	now, err := is.Bytes()
	if err != nil || bytes.Equal(old, now) {
		return &Again{}, err
	}
	a, err := jsondata.Decode(old)
	if err != nil {
		return nil, err
	}
	b, err := jsondata.Decode(now)
	if err != nil {
		return nil, err
	}
	again := &Again{}
	again.compare(nil, a, b)
	again.Differences = filter.Out(again.Differences, func(d Difference) bool {
		return slices.Equal(d.Path, []string{"digest"}) && len(again.Differences) > 1
	})

	return again, nil
}

// compare adds the differences between two values.
func (a *Again) compare(path []string, was, is any) {
	old, isMap := was.(map[string]any)
	now, isMapToo := is.(map[string]any)
	if isMap && isMapToo {
		all := maps.Clone(old)
		maps.Copy(all, now)
		for _, name := range sorting.Ordered(all) {
			a.compare(append(slices.Clip(path), name), old[name], now[name])
		}
		return
	}
	list, isList := was.([]any)
	items, isListToo := is.([]any)
	if isList && isListToo && len(list) == len(items) {
		for i := range list {
			a.compare(append(slices.Clip(path), value.Element(i)), list[i], items[i])
		}
		return
	}
	if !reflect.DeepEqual(was, is) {
		a.Differences = append(a.Differences, Difference{path, was, is})
	}
}
