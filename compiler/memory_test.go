package compiler_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/benchapp"
	"kumiki.dev/load"
)

// TestMemory edits applications at random, on the disk and in buffers: texts,
// files that come, go or are called otherwise, the module's own file. Whatever is
// remembered, each run says what one without memory says.
func TestMemory(t *testing.T) {
	const edits = 10 // three hundred of each went well when this was written
	for name, write := range map[string]func(string) error{
		"shop":     func(dir string) error { return os.CopyFS(dir, os.DirFS("../examples/shop")) },
		"shop-kam": func(dir string) error { return os.CopyFS(dir, os.DirFS("../examples/shop-kam")) },
		"usual":    benchapp.Usual(4).Kumiki().Write,
		"nested":   benchapp.Nested(2, 2, true).Kumiki().Write,
		"shared":   benchapp.App(sharing).Write,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, write(dir))
			w := newWorkshop(t, dir)
			memory := load.NewMemory()
			recalled := 0
			for n := range edits {
				what := w.edit(n)
				want := w.told(w.run(nil))
				for range 2 { // the second time nothing has changed
					with := w.run(memory)
					if diff := cmp.Diff(want, w.told(with)); diff != "" {
						t.Fatalf("after edit %d, %s (-without memory +with):\n%s", n, what, diff)
					}
					if with.result.Tree != nil {
						recalled += with.result.Tree.Work.Recalled
					}
				}
			}
			w.restore()
			require.Empty(t, w.run(memory).problems)
			require.Greater(t, recalled, edits/3, "something is remembered")
		})
	}
}

// TestMemoryReaches makes every variation of every file of an application that is
// remembered as it was before.
func TestMemoryReaches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, benchapp.App(sharing).Write(dir))
	w := newWorkshop(t, dir)
	memory := load.NewMemory()
	for _, file := range w.files {
		for _, v := range variations {
			w.restore()
			require.Empty(t, w.run(memory).problems)
			now := strings.Replace(w.originals[file], v[0], v[1], 1)
			if now == w.originals[file] {
				continue
			}
			w.write(file, now)
			if diff := cmp.Diff(w.told(w.run(nil)), w.told(w.run(memory))); diff != "" {
				t.Fatalf("%s, %q (-without memory +with):\n%s", file, v, diff)
			}
		}
	}
}

// sharing is an application whose service looks into an artifact, and whose
// packages take values from another one, which is no artifact.
var sharing = map[string]string{
	"cue.mod/module.cue": "module: \"memory.example/app\"\nlanguage: version: \"v0.12.0\"\n",
	"values/values.cue":  "package values\nport: 8080\n#Port: uint16\n",
	"c/c.cue": `package component
import v "memory.example/app/values"
#Artifact: {
	ref: name: "c"
	description: {
		config: parameter: port: *v.port | v.#Port
		srv: server: web: port: config.parameter.port
		code: c: {
			image: tag: "c:1"
			mapping: env: PORT: value: "\(config.parameter.port)"
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`,
	"s/s.cue": `package service
import c "memory.example/app/c:component"
#Artifact: {
	ref: name: "s"
	description: {
		config: parameter: who: *"\(c.#Artifact.ref.name)" | string
		role: {
			a: {artifact: c.#Artifact, config: scale: hsize: 1}
			b: {artifact: c.#Artifact, config: {parameter: port: 9090, scale: hsize: 1}}
		}
		srv: server: entry: port: 80
		connect: entry: {from: self: "entry", to: a: web: _}
	}
}
`,
	"t/t.cue": `package service
import (
	c "memory.example/app/c:component"
	s "memory.example/app/s:service"
	v "memory.example/app/values"
)
#Artifact: {
	ref: name: "t"
	description: {
		role: {
			first: {artifact: c.#Artifact, config: {parameter: port: v.port + 1, scale: hsize: 1}}
			second: {artifact: s.#Artifact, config: {}}
		}
		srv: server: entry: port: 80
		connect: entry: {from: self: "entry", to: first: web: _}
	}
}
`,
	"deploy/d.cue": `package deployment
import t "memory.example/app/t:service"
#Deployment: {name: "d", artifact: t.#Artifact, config: {}}
`,
}

// workshop is a module that is edited at random.
type workshop struct {
	t         *testing.T
	dir       string
	files     []string // as they were in the beginning
	originals map[string]string
	overlay   map[string][]byte
	random    *rand.Rand
}

// memorySeed says which edits are made.
const memorySeed = 1

func newWorkshop(t *testing.T, dir string) *workshop {
	w := &workshop{t: t, dir: dir, originals: map[string]string{}, overlay: map[string][]byte{}, random: rand.New(rand.NewPCG(1, memorySeed))}
	require.NoError(t, filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, ".cue") {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			w.files, w.originals[file] = append(w.files, file), string(text)
		}
		return err
	}))
	return w
}

// edit makes one of the changes that authors make, and says which.
func (w *workshop) edit(n int) string {
	file := w.files[w.random.IntN(len(w.files))]
	text := w.text(file)
	if n%3 == 0 {
		w.restore()
		return "all as it was"
	}
	switch w.random.IntN(10) {
	case 1: // a buffer
		w.overlay[file] = []byte(w.mistake(text))
		return "buffer " + file
	case 2:
		w.remove(file)
		return "remove " + file
	case 3:
		w.remove(file)
		w.write(filepath.Join(filepath.Dir(file), fmt.Sprintf("z%d.cue", n%3)), text)
		return "rename " + file
	case 4:
		added := filepath.Join(filepath.Dir(file), fmt.Sprintf("z%d.cue", n%3))
		clause, _, _ := strings.Cut(text[max(0, strings.Index(text, "package ")):], "\n")
		w.write(added, clause+"\n"+w.pick("x: 1\n", "#Artifact: ref: name: \"other\"\n", "import \"strings\"\n", "y: z\n", "#Deployment: config: resilience: 1\n", "]"))
		return "add " + added
	case 5:
		w.write(file, w.mistake(text))
		return "mistake in " + file
	default:
		w.write(file, w.variation(text))
		return "variation of " + file
	}
}

// restore makes all files what they were.
func (w *workshop) restore() {
	added, err := filepath.Glob(filepath.Join(w.dir, "*/z?.cue"))
	require.NoError(w.t, err)
	for _, file := range added {
		w.remove(file)
	}
	for file, text := range w.originals {
		w.write(file, text)
	}
	w.overlay = map[string][]byte{}
}

func (w *workshop) pick(from ...string) string { return from[w.random.IntN(len(from))] }

// mistake is what a typist makes of a text.
func (w *workshop) mistake(text string) string {
	at := w.random.IntN(len(text) + 1)
	end := min(len(text), at+w.random.IntN(4))
	return text[:at] + w.pick("{", "}", "\n", ": ", "x", "\"", "_", "1", "// ", "&", "#Artifact", "config") + text[end:]
}

// variations are replacements that may well be right.
var variations = [][2]string{
	{"8080", "8081"}, {"\n", "\n\n"}, {"package ", "// another\npackage "}, {": \"", ": \"x"}, {"uint16", "int"}, {"hsize", "hsizes"}, {"1", "2"},
	{"parameter: ", "parameter: extra: *5 | int, parameter: "}, {"artifact: ", "artifact: _, artifact: "}, {"import ", "import \"list\"\nimport "},
	{"version", "versions"}, {"v0", "v1"}, {"port", "prot"}, {"server", "duplex"}, {"size", "sizes"},
}

func (w *workshop) variation(text string) string {
	v := variations[w.random.IntN(len(variations))]
	return strings.Replace(text, v[0], v[1], 1)
}

func (w *workshop) text(file string) string {
	if text, err := os.ReadFile(file); err == nil {
		return string(text)
	}
	return w.originals[file]
}

func (w *workshop) write(file, text string) {
	require.NoError(w.t, os.WriteFile(file, []byte(text), 0o644))
}

func (w *workshop) remove(file string) {
	delete(w.overlay, file)
	_ = os.Remove(file)
}

// outcome is that of a run.
type outcome struct {
	result   *compiler.Result
	problems diag.List
}

func (w *workshop) run(memory *load.Memory) outcome {
	in := compiler.Input{Artifacts: true}
	in.Dir, in.Overlay, in.Memory = filepath.Join(w.dir, "deploy"), w.overlay, memory
	result, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
	return outcome{result, problems}
}

// told is all that a run says: problems with what follows from them and how they
// are mended, packages, every leaf of the tree, and the solution.
func (w *workshop) told(o outcome) []string {
	out := []string{text(o.problems, w.dir)}
	for _, d := range o.problems {
		out = append(out, fmt.Sprint(d.Fixes, text(d.Consequences, w.dir)))
	}
	if p := o.result.Program; p != nil {
		for _, pkg := range p.Packages {
			line := fmt.Sprint(pkg.Path, pkg.Digest, *pkg.Module, pkg.Missing, pkg.Broken)
			for _, f := range pkg.Files {
				line += " " + f.Filename
			}
			out = append(out, line)
		}
	}
	if t := o.result.Tree; t != nil {
		out = append(out, leaves(t)...)
	}
	if s := o.result.Solution; s != nil {
		data, err := s.Bytes()
		require.NoError(w.t, err)
		out = append(out, string(data))
	}
	return out
}
