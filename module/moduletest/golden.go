package moduletest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/atomicfile"
	only "kumiki.dev/internal/inside"
	"kumiki.dev/internal/sorting"
)

// goldenFile holds the solution that is expected of a case.
const goldenFile = "want.json"

// maxDifferences bounds how many differences of a case are listed.
const maxDifferences = 10

// compare compares the solution with want.json, or makes want.json say it. A
// case without one is content with compiling.
func (c *Case) compare(got []byte, update bool) diag.List {
	name := filepath.Join(c.dir, goldenFile)
	want, err := readGolden(name)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return diag.List{diag.New(diag.BadGolden, diag.NoPos, "%s/%s: %v", c.Dir, goldenFile, reason(err))}
	case bytes.Equal(want, got), missing && !update:
		return nil
	case !update:
		return c.differences(name, want, got)
	}
	if len(want) > 0 && !isSolution(want) {
		return diag.List{diag.New(diag.BadGolden, diag.NewFile(name, nil).Pos(0), "%s is no solution, and is not replaced by one: delete it, or give it another name", goldenFile)}
	}
	if err := writeGolden(c.dir, got); err != nil {
		return diag.List{diag.New(diag.BadGolden, diag.NoPos, "%s/%s: %v", c.Dir, goldenFile, reason(err))}
	}
	c.Updated = true
	return nil
}

// isSolution reports whether a file has the form of those that are written.
func isSolution(data []byte) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(data, &fields) == nil && fields["cspec"] != nil && fields["deployments"] != nil
}

// writeGolden writes all of want.json or leaves it as it was.
func writeGolden(dir string, data []byte) error {
	d, err := only.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Write(goldenFile, bytes.NewReader(data), atomicfile.Options{Mode: 0o600, Sync: true})
}

// maxGolden bounds want.json.
const maxGolden = 64 << 20

// readGolden reads a file that is one itself: what a link leads to is not ours
// to read, and even less to write.
func readGolden(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxGolden {
		return nil, fmt.Errorf("it is expected to be a file of no more than %d bytes", maxGolden)
	}
	return os.ReadFile(name)
}

// reason is an error without the path, which the message has.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (c *Case) differences(name string, want, got []byte) diag.List {
	at := diag.NewFile(name, nil).Pos(0)
	var old, now any
	if err := json.Unmarshal(want, &old); err != nil {
		return diag.List{diag.New(diag.BadGolden, at, "%s is no JSON: %v; write it with kumiki test --update", goldenFile, err)}
	}
	if err := json.Unmarshal(got, &now); err != nil {
		return diag.List{diag.New(diag.BadGolden, at, "%s: %v", goldenFile, err)}
	}
	found := compareValues(nil, old, now)
	if len(found) == 0 {
		found = []string{"it is written in another form"}
	}
	more := ""
	if n := len(found) - maxDifferences; n > 0 {
		found, more = found[:maxDifferences], fmt.Sprintf("; and %d more", n)
	}
	return diag.List{diag.New(diag.Golden, at, "the solution is not what %s says: %s%s; if it is as it should be now, run kumiki test --update",
		goldenFile, strings.Join(found, "; "), more)}
}

// compareValues lists how two JSON values differ, a phrase a place.
func compareValues(at []string, old, now any) []string {
	switch old := old.(type) {
	case map[string]any:
		if now, ok := now.(map[string]any); ok {
			return compareObjects(at, old, now)
		}
	case []any:
		if now, ok := now.([]any); ok && len(now) == len(old) {
			var out []string
			for i := range old {
				out = append(out, compareValues(append(slices.Clip(at), fmt.Sprintf("[%d]", i)), old[i], now[i])...)
			}
			return out
		}
	}
	if reflect.DeepEqual(old, now) {
		return nil
	}
	return []string{fmt.Sprintf("%s was %s, is %s", strings.Join(at, "."), brief(old), brief(now))}
}

func compareObjects(at []string, old, now map[string]any) []string {
	keys := maps.Clone(old)
	maps.Copy(keys, now)
	var out []string
	for _, key := range sorting.Ordered(keys) {
		path := append(slices.Clip(at), key)
		before, was := old[key]
		after, is := now[key]
		switch {
		case !is:
			out = append(out, fmt.Sprintf("%s is gone, was %s", strings.Join(path, "."), brief(before)))
		case !was:
			out = append(out, fmt.Sprintf("%s is new: %s", strings.Join(path, "."), brief(after)))
		default:
			out = append(out, compareValues(path, before, after)...)
		}
	}
	return out
}

// brief is a value on a part of a line.
func brief(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return fmt.Sprintf("{…} with %s", strings.Join(sorting.Ordered(v), ", "))
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
