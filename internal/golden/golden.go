// Package golden runs the cases of testdata/cases: each is one txtar file that
// holds a manifest's files and, in sections below out/, what the stages make
// of them.
//
// The first line says the behaviour that the case shows. Those lines before the first
// section that start with a word in lower case and a colon are settings: "dir: deploy" names
// the directory of the deployment (default "."), "set: config.parameter.x=1", "values:
// prod.yaml", "name: x", "strict: yes", "with: store" and "links: links" those directories; "input: examples/shop" takes the files of that
// directory of the repository in place of sections.
//
// A case names what it shows of outputs; nothing else of them is compared with it:
//
//	-- out/swarm.yaml --                                    the whole of it
//	-- out/swarm.yaml services shop-web deploy --           what is at a path of keys and indices
//	-- out/kubernetes.yaml Deployment/shop-web spec --      the same of an object
//	-- out/swarm.losses.txt lost/env lost/file --           the lines with these codes
//	shows: swarm.yaml                                       a file of its own, NAME/swarm.yaml
//
// out/errors.txt is compared with every case: where there is none, nothing may be wrong. [formats] has
// what there is for each folder; all else fails the test. To add a case, write the
// sections' headers and run its tests with UPDATE_GOLDEN=1, which rewrites outputs. An
// existing out/errors.txt never is: delete it by hand first, so that no error changes unseen.
package golden

import (
	"bytes"
	"io/fs"
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

// Update reports whether outputs are to be rewritten.
func Update() bool { return os.Getenv("UPDATE_GOLDEN") != "" }

// Case is one txtar file.
type Case struct {
	// Root is the directory with the case's files, without symbolic links.
	Root string
	// Settings are the settings of the head, in order.
	Settings map[string][]string

	file    string
	archive *txtar.Archive
	files   map[string]string // of the module
	changed map[string][]byte // sections that are to be rewritten; empty for none
}

// top is the repository's directory, from that of a case.
const top = "../.."

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
	if dir := c.Setting("input"); dir != "" {
		c.Root, err = filepath.Abs(filepath.Join(filepath.Dir(file), top, filepath.FromSlash(dir)))
		require.NoError(t, err)
		c.files, err = filesIn(c.Root)
		require.NoError(t, err, file)
		return c
	}
	c.Root, err = filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	c.files = map[string]string{}
	for _, f := range c.archive.Files {
		if isExpected(f.Name) {
			continue
		}
		c.files[f.Name] = string(f.Data)
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
func (c *Case) Files() map[string]string { return maps.Clone(c.files) }

// filesIn are the contents of all files below a directory.
func filesIn(dir string) (map[string]string, error) {
	files, root := map[string]string{}, os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		files[name] = string(data)
		return err
	})
	return files, err
}

// shows are the outputs that have files of their own.
func (c *Case) shows() []string { return strings.Fields(c.Setting("shows")) }

// beside is the file of an output's own.
func (c *Case) beside(output string) string {
	return filepath.Join(strings.TrimSuffix(c.file, ".txtar"), filepath.Base(output))
}

// lines is how many the case has itself.
func (c *Case) lines() int { return bytes.Count(txtar.Format(c.archive), []byte("\n")) }

// Section returns the contents of a section, or of the file of an output's own, nil if
// there is none.
func (c *Case) Section(name string) []byte {
	if i := c.index(name); i >= 0 {
		return c.archive.Files[i].Data
	}
	if output, ok := strings.CutPrefix(name, "out/"); ok && slices.Contains(c.shows(), output) {
		data, err := os.ReadFile(c.beside(name))
		if err == nil {
			return data
		}
	}
	return nil
}

func (c *Case) index(name string) int {
	return slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == name })
}

// expected are the sections with an output or parts of it, and the output itself where it has
// a file of its own or is always compared.
func (c *Case) expected(output string) (names []string) {
	for _, f := range c.archive.Files {
		if name, _, _ := strings.Cut(f.Name, " "); name == output {
			names = append(names, f.Name)
		}
	}
	inFile := slices.Contains(c.shows(), strings.TrimPrefix(output, "out/"))
	if inFile || slices.Contains(c.format().always, output) && !slices.Contains(names, output) {
		names = append(names, output)
	}
	return names
}

// Check compares what the case shows of an output, such as "out/spread.json", with what
// there is, or makes the case say that.
func (c *Case) Check(t *testing.T, output string, whole []byte) {
	t.Helper()
	for _, name := range c.expected(output) {
		got, err := part(output, whole, strings.Fields(strings.TrimPrefix(name, output)))
		require.NoError(t, err, "%s: section %s", c.file, name)
		want := c.Section(name)
		if len(got) > 0 && !bytes.HasSuffix(got, []byte("\n")) {
			got = append(slices.Clone(got), '\n') // as txtar stores it
		}
		if bytes.Equal(want, got) {
			continue
		}
		if Update() && (name != errorsSection || want == nil) {
			c.changed[name] = got
			continue
		}
		t.Errorf("%s: section %s (-want +got):\n%s", c.file, name, cmp.Diff(string(want), string(got)))
	}
}

// save rewrites the sections and files that have changed. The tests of several packages
// run at the same time and have sections in the same files, hence the lock and
// that the file is read again.
func (c *Case) save(t *testing.T) {
	t.Helper()
	for _, output := range c.shows() {
		if data, ok := c.changed["out/"+output]; ok {
			require.NoError(t, os.MkdirAll(filepath.Dir(c.beside(output)), 0o755))
			require.NoError(t, os.WriteFile(c.beside(output), data, 0o644))
			delete(c.changed, "out/"+output)
		}
	}
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

// set gives a section its contents. Those of a part stay where there is nothing
// any more, for its header says what is shown.
func (c *Case) set(section string, data []byte) {
	i, isPart := c.index(section), strings.Contains(section, " ")
	switch {
	case len(data) == 0 && i >= 0 && !isPart:
		c.archive.Files = slices.Delete(c.archive.Files, i, i+1)
	case i >= 0:
		c.archive.Files[i].Data = data
	case len(data) > 0:
		c.archive.Files = append(c.archive.Files, txtar.File{Name: section, Data: data})
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
