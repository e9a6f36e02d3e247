package lsp_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRandomEdits makes a thousand edits: of buffers, of files on the disk that
// come, go and are renamed, and of the module's own file. It compares with vet on
// the way, so that nothing that is remembered may be told when it is no more.
func TestRandomEdits(t *testing.T) {
	t.Parallel()
	edits := 1000
	if testing.Short() {
		edits = 100
	}
	e := newRandomEditor(t)
	half := 0
	for n := range edits {
		e.edit(n)
		if n%50 == 29 { // what compiles, but for one edit
			e.restore()
			e.edit(1)
		}
		if n%50 == 29 || n%50 == 49 {
			e.compare()
		}
		if n == edits/2 {
			half = e.c.memory()
		}
	}
	if runtime.GOOS == "linux" {
		whole := e.c.memory()
		t.Logf("%d MB after %d edits, %d MB after %d", half>>20, edits/2, whole>>20, edits)
		require.Less(t, whole>>20, 250, "MB of memory, of the server and its children")
		require.Less(t, float64(whole), 1.4*float64(half), "memory does not grow with the edits")
	}
	e.restore()
	for _, f := range e.files {
		e.c.save(f)
		e.c.close(f)
	}
	require.Empty(t, e.c.said(e.files[0]))
}

// randomEditor edits an example: files are open, others are changed on the disk.
type randomEditor struct {
	c             *client
	dir           string
	files, others []string
	module        string
	originals     map[string]string
	random        *rand.Rand
}

func newRandomEditor(t *testing.T) *randomEditor {
	dir := shop(t)
	e := &randomEditor{c: start(t, dir), dir: dir, originals: map[string]string{}, random: rand.New(rand.NewPCG(1, 2))}
	find := func(patterns ...string) (out []string) {
		for _, pattern := range patterns {
			found, err := filepath.Glob(filepath.Join(dir, pattern))
			require.NoError(t, err)
			out = append(out, found...)
		}
		return out
	}
	e.files, e.others = find("deploy/*.cue", "shop/*.cue", "web/*.cue"), find("api/*.cue", "db/*.cue")
	for _, f := range e.files {
		e.c.open(f)
		e.originals[f] = e.c.buffers[f]
	}
	e.module = filepath.Join(dir, "cue.mod/module.cue")
	e.c.open(e.module)
	for _, f := range append(e.others, e.module) {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		e.originals[f] = string(text)
	}
	return e
}

func (e *randomEditor) pick(from []string) string { return from[e.random.IntN(len(from))] }

func (e *randomEditor) edit(n int) {
	f := e.pick(e.files)
	switch text := e.c.buffers[f]; {
	case n%7 == 0: // back to something that compiles
		e.c.replace(f, 0, 0, "")
		e.c.rewrite(f, e.originals[f])
	case n%50 == 10:
		e.c.rewrite(e.module, e.pick([]string{
			e.originals[e.module], "module: \"other.example/shop\"\nlanguage: version: \"v0.12.0\"\n", e.originals[e.module] + "]", e.originals[e.module] + "x: 1\n",
		}))
	case n%50 == 20 || n%50 == 40:
		e.restore()
	case n%10 == 5:
		e.onDisk(n)
	default:
		from := boundary(text, e.random.IntN(len(text)+1))
		to := boundary(text, min(len(text), from+e.random.IntN(4)))
		e.c.replaceUTF16(f, from, to, e.pick([]string{"{", "}", "\n", ": ", "x", "\"", "config", "parameter: ", "_", "1", "é", "[", "// ", "🙂", "#Artifact", "&", "\\("}))
	}
}

// onDisk changes a file that is not open, as other programs do.
func (e *randomEditor) onDisk(n int) {
	f := e.pick(e.others)
	added := filepath.Join(filepath.Dir(f), "added.cue")
	text, err := os.ReadFile(f)
	if err != nil {
		text = []byte(e.originals[f])
	}
	switch e.random.IntN(4) {
	case 0:
		_ = os.Remove(f)
	case 1:
		_ = os.Remove(f)
		require.NoError(e.c.t, os.WriteFile(added, text, 0o644))
	case 2:
		require.NoError(e.c.t, os.WriteFile(added, []byte(e.pick([]string{"package component\nx: 1\n", "package component\n#Artifact: ref: name: \"x\"\n", "]"})), 0o644))
	default:
		at := e.random.IntN(len(text))
		require.NoError(e.c.t, os.WriteFile(f, append(append(append([]byte{}, text[:at]...), 'x'), text[at:]...), 0o644))
	}
	e.c.changedOnDisk(f)
	e.c.changedOnDisk(added)
}

// restore makes all what it was.
func (e *randomEditor) restore() {
	for _, f := range append(e.files, e.module) {
		e.c.rewrite(f, e.originals[f])
	}
	for _, f := range e.others {
		added := filepath.Join(filepath.Dir(f), "added.cue")
		_ = os.Remove(added)
		require.NoError(e.c.t, os.WriteFile(f, []byte(e.originals[f]), 0o644))
		e.c.changedOnDisk(f)
		e.c.changedOnDisk(added)
	}
}

// compare writes all buffers and wants the server to say what vet does.
func (e *randomEditor) compare() {
	e.c.t.Helper()
	for _, f := range append(e.files, e.module) {
		e.c.save(f)
	}
	said := e.c.said(e.files[0])
	want := vetted(e.c.t, filepath.Join(e.dir, "deploy"))
	require.Subset(e.c.t, placed(said, nil), placed(want, nil), "vet says so")
	// Where a broken deployment reaches an artifact no more, that is vetted alone.
	for _, f := range e.files[1:] {
		want = append(want, vetted(e.c.t, filepath.Dir(f))...)
	}
	require.Subset(e.c.t, placed(want, want), placed(said, want), "vet does not say so")
}

// placed are problems with their lines. Those that vet, by what it says, has no
// place for in a file of the disk, have none: the server shows them somewhere.
func placed(list, vetted []string) []string {
	unplaced := map[string]bool{}
	for _, l := range vetted {
		if file, message := split(l); !exists(file) {
			unplaced[message] = true
		}
	}
	var out []string
	for _, l := range lines(list) {
		file, message := split(l)
		switch {
		case unplaced[message]:
			out = append(out, message)
		case exists(file):
			out = append(out, l)
		}
	}
	return out
}

// rewrite replaces all of a buffer.
func (c *client) rewrite(file, text string) {
	c.t.Helper()
	c.version++
	c.buffers[file] = text
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri(file), "version": c.version},
		"contentChanges": []any{map[string]any{"text": text}},
	})
}

var problemForm = regexp.MustCompile(`(?s)^(.*?)(?::\d+)+: (.*)$`)

// split takes a problem apart: its file, and what comes behind line and column.
func split(problem string) (file, message string) {
	m := problemForm.FindStringSubmatch(problem)
	return m[1], m[2]
}

func exists(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}
