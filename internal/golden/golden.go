// Package golden runs the cases of testdata/cases: each is one txtar file that
// holds a manifest's files and, in sections below out/, what the stages make
// of them.
//
// The lines before the first section describe the case; those that start with
// a word in lower case and a colon are settings: "dir: deploy" names the directory of the
// deployment (default "."), "set: config.parameter.x=1", "values: prod.yaml", "name: x", "strict:
// yes"; "example: shop" takes the files of examples/shop in place of sections.
//
// A case has no settings and no sections below out/ and oracle/ but those that a
// test of its folder reads: [formats] has them. A section that is not there is
// expected to be empty. With UPDATE_GOLDEN=1 the
// out/ sections are rewritten, but an existing out/errors.txt never is: delete
// it by hand first, so that no error changes unseen.
package golden

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// errorsSection is never rewritten.
const errorsSection = "out/errors.txt"

// Update tells whether outputs are to be rewritten.
func Update() bool { return os.Getenv("UPDATE_GOLDEN") != "" }

// Case is one txtar file.
type Case struct {
	// Root is the directory with the case's files, without symbolic links.
	Root string
	// Settings are the settings of the head, in order.
	Settings map[string][]string

	file    string
	archive *txtar.Archive
	changed map[string][]byte // sections that are to be rewritten; empty for none
}

// Each runs f as a subtest for every case that the pattern matches, and
// rewrites the cases if asked to.
func Each(t *testing.T, pattern string, f func(t *testing.T, c *Case)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files, "no case matches %s", pattern)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c := open(t, file)
			f(t, c)
			c.save(t)
		})
	}
}

// All opens every case that the pattern matches, by name. What [Case.Check] would
// rewrite is not saved.
func All(t *testing.T, pattern string) map[string]*Case {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	all := map[string]*Case{}
	for _, file := range files {
		all[strings.TrimSuffix(filepath.Base(file), ".txtar")] = open(t, file)
	}
	return all
}

// newCase reads the head of a case.
func newCase(file string, archive *txtar.Archive) *Case {
	c := &Case{file: file, archive: archive, Settings: map[string][]string{}, changed: map[string][]byte{}}
	for _, m := range setting.FindAllStringSubmatch(string(archive.Comment), -1) {
		c.Settings[m[1]] = append(c.Settings[m[1]], strings.TrimSpace(m[2]))
	}
	return c
}

func open(t *testing.T, file string) *Case {
	t.Helper()
	data, err := lockedfile.Read(file)
	require.NoError(t, err)
	c := newCase(file, txtar.Parse(data))
	require.Empty(t, c.unread(), "%s has what no test reads", file)
	if example := c.Setting("example"); example != "" {
		c.Root, err = filepath.Abs(filepath.Join(filepath.Dir(file), "../../examples", example))
		require.NoError(t, err)
		return c
	}
	c.Root, err = filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range c.archive.Files {
		if isExpected(f.Name) {
			continue
		}
		name := filepath.Join(c.Root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	return c
}

// Setting returns the last value of a setting, "" for none.
func (c *Case) Setting(key string) string {
	values := c.Settings[key]
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// Dir is the directory of the deployment.
func (c *Case) Dir() string { return filepath.Join(c.Root, filepath.FromSlash(c.Setting("dir"))) }

// Files are the contents of the module's files, by their slash-separated names.
func (c *Case) Files() map[string]string {
	files := map[string]string{}
	for _, f := range c.archive.Files {
		if !isExpected(f.Name) {
			files[f.Name] = string(f.Data)
		}
	}
	return files
}

// Section returns the contents of a section, nil if there is none.
func (c *Case) Section(name string) []byte {
	if i := c.index(name); i >= 0 {
		return c.archive.Files[i].Data
	}
	return nil
}

func (c *Case) index(name string) int {
	return slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == name })
}

// Check compares got with the section, or makes the section say got.
func (c *Case) Check(t *testing.T, section string, got []byte) {
	t.Helper()
	want := c.Section(section)
	if len(got) > 0 && !bytes.HasSuffix(got, []byte("\n")) {
		got = append(slices.Clone(got), '\n') // as txtar stores it
	}
	if bytes.Equal(want, got) {
		return
	}
	if Update() && (section != errorsSection || want == nil) {
		c.changed[section] = got
		return
	}
	t.Errorf("%s: section %s (-want +got):\n%s", c.file, section, cmp.Diff(string(want), string(got)))
}

// save rewrites the sections that have changed. The tests of several packages
// run at the same time and have sections in the same files, hence the lock and
// that the file is read again.
func (c *Case) save(t *testing.T) {
	t.Helper()
	if len(c.changed) == 0 {
		return
	}
	require.NoError(t, lockedfile.Transform(c.file, func(old []byte) ([]byte, error) {
		c.archive = txtar.Parse(old)
		for _, section := range slices.Sorted(maps.Keys(c.changed)) {
			c.set(section, c.changed[section])
		}
		return txtar.Format(c.archive), nil
	}))
}

func (c *Case) set(section string, data []byte) {
	i := c.index(section)
	switch {
	case len(data) == 0 && i >= 0:
		c.archive.Files = slices.Delete(c.archive.Files, i, i+1)
	case len(data) == 0:
	case i < 0:
		c.archive.Files = append(c.archive.Files, txtar.File{Name: section, Data: data})
	default:
		c.archive.Files[i].Data = data
	}
}

// Sources returns the CUE files of all cases that match the pattern.
func Sources(t testing.TB, pattern string) (texts []string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, names, pattern)
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		require.NoError(t, err)
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".cue") {
				texts = append(texts, string(f.Data))
			}
		}
	}
	return texts
}
