package compiler_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
)

// mutant is an application whose sources are changed at random.
type mutant struct {
	name  string
	files map[string]string
	dir   string // of the deployment
	sets  []string
	order *rand.Rand
	did   []string
}

// change changes one line of a file, or a few.
func (m *mutant) change() {
	files := slices.DeleteFunc(slices.Sorted(maps.Keys(m.files)), func(f string) bool { return !strings.HasSuffix(f, ".cue") || strings.HasSuffix(f, "module.cue") })
	if len(files) == 0 {
		return
	}
	file := files[m.order.IntN(len(files))]
	lines := strings.Split(m.files[file], "\n")
	i := m.order.IntN(len(lines))
	for n := 0; n < 20 && len(strings.TrimSpace(lines[i])) < 3; n++ {
		i = m.order.IntN(len(lines))
	}
	how := m.order.IntN(len(changes))
	before := lines[i]
	m.files[file] = strings.Join(changes[how](m.order, lines, i), "\n")
	m.did = append(m.did, fmt.Sprintf("%d: %s:%d: %s", how, file, i+1, strings.TrimSpace(before)))
}

// moveOut puts a field of a file into a file of its own, deeper than it was.
func (m *mutant) moveOut() {
	for _, file := range slices.Sorted(maps.Keys(m.files)) {
		text := m.files[file]
		at := strings.Index(text, "#Artifact: k.#")
		head, _, ok := strings.Cut(text, "\n#Artifact")
		if !ok || at < 0 || m.order.IntN(3) > 0 {
			continue
		}
		more := one(m.order, "#Artifact: description: config: parameter: {...}", "#Artifact: description: config: parameter: more: *1 | int", "#Artifact: {...}", "_more: #Artifact.ref.name", "#More: {a: 1, b: a}", "#Artifact: description: role: {}", "#Artifact: description: role: [string]: config: parameter: {...}", "string: _", "#Artifact: _")
		m.files[strings.TrimSuffix(file, ".cue")+"_more.cue"] = head + "\n" + more + "\n"
		m.did = append(m.did, file+": "+more)
		return
	}
}

// check compares the mutant with what CUE makes of it; now and then also what a
// memory of the original, and a cache, make.
func (m *mutant) check(t *testing.T, root string, cache *compiler.Cache, original map[string]string) string {
	in := compiler.Input{Sets: m.sets}
	in.Dir = filepath.Join(root, m.dir)
	remembering := in
	if m.order.IntN(3) == 0 {
		remembering.Memory = load.NewMemory()
		m.write(t, root, original)
		toldOf(remembering)
	}
	m.write(t, root, m.files)
	in.NoPartial = true
	want := toldOf(in)
	in.NoPartial = false
	diff := cmp.Diff(want, toldOf(in))
	if remembering.Memory != nil {
		if recalled := cmp.Diff(want, toldOf(remembering)); recalled != "" {
			diff += "with a memory:\n" + recalled
		}
		if cached := cachedDiffers(cache, in); cached != "" {
			diff += "with a cache:\n" + cached
		}
	}
	return diff
}

func (m *mutant) write(t require.TestingT, root string, files map[string]string) {
	require.NoError(t, os.RemoveAll(root))
	for name, text := range files {
		writeFile(t, filepath.Join(root, name), []byte(text))
	}
}

// cachedDiffers compares the bytes that come with a cache with those without.
func cachedDiffers(c *compiler.Cache, in compiler.Input) string {
	want, problems := compiler.Compile(context.Background(), in)
	diff := ""
	for range 2 {
		r, same, err := c.Run(context.Background(), in)
		diff += cmp.Diff(said(problems), said(same))
		if want == nil || diff != "" || err != nil {
			return diff
		}
		text, _ := want.Bytes()
		diff += cmp.Diff(string(text), string(r.Encoded.Bytes()))
	}
	return diff
}

// originals are the applications that mutants are made of.
func originals(t *testing.T) []*mutant {
	var all []*mutant
	add := func(name, dir string, sets []string, files map[string]string) {
		all = append(all, &mutant{name: name, dir: dir, files: files, sets: sets})
	}
	for _, folder := range []string{"cases", "errors"} {
		all := golden.All(t, "../testdata/"+folder+"/*.txtar")
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !strings.Contains(name, "deep") {
				add(name, all[name].Setting("dir"), all[name].Settings["set"], all[name].Files())
			}
		}
	}
	for _, app := range []benchapp.Application{benchapp.Flat(3, 2), benchapp.Usual(3), benchapp.Nested(2, 2, true).WithFile(), benchapp.Connected(3, 2), benchapp.Distinct(3)} {
		add("bench", benchapp.Deploy, nil, app.Kumiki())
	}
	for i, form := range forms {
		if i%4 == 0 {
			add(form.name, "deploy", nil, unpacked(formed(form.files)))
		}
	}
	for seed := range uint64(20) {
		order := rand.New(rand.NewPCG(seed, 7))
		add("plain", "deploy", nil, unpacked(fmt.Sprintf(plainApp, "role: r0: {\nartifact: c.#Artifact\n"+strings.Join(merged([]string{one(order, plainParts...), one(order, plainParts...), one(order, plainParts...)}), "\n")+"\n}\n"+"role: r1: {\nartifact: c.#Artifact\n"+one(order, plainParts...)+"\n}", one(order, besideRoles...))))
		add("described", "deploy", nil, unpacked(fmt.Sprintf(describedApp, one(order, described...)+"\n"+one(order, described...), imported["m"]+"\n"+imported["c"],
			"role: r0: {\nartifact: m.#Artifact\nconfig: {scale: detail: leaf: hsize: 1, parameter: t: \"x\"}\n}\nrole: r1: {\nartifact: c.#Artifact\nconfig: scale: hsize: 1\n}\nrole: r2: {\nartifact: c.#Artifact\nconfig: {\nscale: hsize: 1\nparameter: {\nt: \"y\"\nn: 3\n}\n}\n}")))
	}
	return all
}

func unpacked(archive string) map[string]string {
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// TestMutants compares random mutants of the applications at hand. KUMIKI_MUTANTS
// is FROM:TO, for more of them; below 0 they are the applications as they are.
func TestMutants(t *testing.T) {
	from, to := 0, 40
	if s := os.Getenv("KUMIKI_MUTANTS"); s != "" {
		_, err := fmt.Sscanf(s, "%d:%d", &from, &to)
		require.NoError(t, err)
	}
	all, root, failed := originals(t), filepath.Join(t.TempDir(), "m"), 0
	cache := openCache(t, t.TempDir())
	for seed := from; seed < to && failed < 10; seed++ {
		if seed%1000 == 999 {
			t.Log(seed)
		}
		order := rand.New(rand.NewPCG(uint64(seed), 3))
		m := *all[order.IntN(len(all))]
		if seed < 0 { // as it is
			m = *all[-seed%len(all)]
		}
		original := m.files
		m.files, m.order = maps.Clone(m.files), order
		if seed >= 0 && order.IntN(4) == 0 {
			m.moveOut()
		}
		for range min(1+order.IntN(3), seed+1) {
			m.change()
		}
		if diff := m.check(t, root, cache, original); diff != "" {
			failed++
			t.Errorf("%d: %s\n%s\n(-CUE +partial):\n%s", seed, m.name, strings.Join(m.did, "\n"), diff)
		}
	}
}
