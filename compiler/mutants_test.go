package compiler_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
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

var (
	member  = regexp.MustCompile(`^(\s*)([\w"]+|\[\w+\])([?!]?): (.+)$`)
	literal = regexp.MustCompile(`"(\\.|[^"\\])*"|\b\d+\b|\btrue\b|\bfalse\b`)
	name    = regexp.MustCompile(`\b[a-zA-Z_]\w*\b`)
	chain   = regexp.MustCompile(`\b(description\.)?config\.parameter\.\w+`)
	label   = regexp.MustCompile(`\b(\w+):`)
)

var otherValues = []string{"0", "-1", "7", "0x10", "1_000", "1K", "1.5", "1e3", `""`, `"other"`, `"é"`, `"a\nb"`, `#"ra"w"#`, "'bytes'", "null", "true", "[]", "[1]", "{}", "{a: 1}", "_", "string", "int", "_|_", `*"x" | string`, "*3 | int", `"\(config.parameter)"`, "1 + 1", `"a" + "b"`, "len([1])"}

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

// pick replaces one match of an expression in a line.
func pick(order *rand.Rand, re *regexp.Regexp, line string, by func(string) string) string {
	all := re.FindAllStringIndex(line, -1)
	if len(all) == 0 {
		return line
	}
	at := all[order.IntN(len(all))]
	return line[:at[0]] + by(line[at[0]:at[1]]) + line[at[1]:]
}

func one(order *rand.Rand, of ...string) string { return of[order.IntN(len(of))] }

// onValue changes the value of a line that is a field.
func onValue(line string, by func(value string) string) string {
	p := member.FindStringSubmatch(line)
	if p == nil || strings.HasSuffix(p[4], "{") || strings.HasSuffix(p[4], "[") || strings.HasSuffix(p[4], `"""`) {
		return line
	}
	return p[1] + p[2] + p[3] + ": " + by(p[4])
}

func onLine(by func(order *rand.Rand, line string) string) func(*rand.Rand, []string, int) []string {
	return func(order *rand.Rand, lines []string, i int) []string {
		lines[i] = by(order, lines[i])
		return lines
	}
}

// changes are those that people make, and some that they do not.
var changes = []func(order *rand.Rand, lines []string, i int) []string{
	0: func(_ *rand.Rand, lines []string, i int) []string { return slices.Delete(lines, i, i+1) },
	1: func(_ *rand.Rand, lines []string, i int) []string { return slices.Insert(lines, i, lines[i]) },
	2: func(order *rand.Rand, lines []string, i int) []string {
		return slices.Insert(lines, order.IntN(len(lines)), lines[i])
	},
	3: func(order *rand.Rand, lines []string, i int) []string { // swap two values
		j := order.IntN(len(lines))
		a, b := literal.FindString(lines[i]), literal.FindString(lines[j])
		if a != "" && b != "" {
			lines[i] = strings.Replace(lines[i], a, b, 1)
			lines[j] = strings.Replace(lines[j], b, a, 1)
		}
		return lines
	},
	4: onLine(func(order *rand.Rand, line string) string {
		if onValue(line, func(string) string { return "" }) == line {
			return line
		}
		return one(order, "if true", "if false", "for _ in [1]", `for k in ["a", "b"]`, "if config.parameter != _|_", "if description.config.resilience == 0", "let Y = 1, if Y == 1") + " {" + line + "}"
	}),
	5: func(order *rand.Rand, lines []string, i int) []string { // a literal becomes a let
		var value string
		changed := pick(order, literal, lines[i], func(s string) string { value = s; return "Q" + strconv.Itoa(i) })
		if value == "" || member.FindString(lines[i]) == "" {
			return lines
		}
		lines[i] = changed
		return slices.Insert(lines, i, one(order, fmt.Sprintf("let Q%d = %s", i, value), fmt.Sprintf("_Q: %s", value), fmt.Sprintf("Q%d: %s", i, value)))
	},
	6: onLine(func(order *rand.Rand, line string) string {
		return pick(order, name, line, func(s string) string { return s + one(order, "x", "_", "1") })
	}),
	7: onLine(func(order *rand.Rand, line string) string {
		return pick(order, literal, line, func(string) string { return one(order, otherValues...) })
	}),
	8: onLine(func(order *rand.Rand, line string) string {
		return pick(order, label, line, func(s string) string {
			key := strings.TrimSuffix(s, ":")
			return one(order, `"`+key+`":`, "A="+s, key+"?:", key+"!:", `("`+key+`"):`, `"\("`+key+`")":`, "_"+s, "#"+s, `"_`+key+`":`, `[=~"^`+key+`"]:`, "[string]:", key+": B=", s+" Z=", `"`+key+`é":`)
		})
	}),
	9: onLine(func(order *rand.Rand, line string) string {
		return pick(order, chain, line, func(s string) string {
			rest := strings.TrimPrefix(strings.TrimPrefix(s, "description."), "config.")
			return one(order, "config."+rest, "description.config."+rest, `description["config"].`+rest, "#Artifact.description.config."+rest, "("+s+")", s+" & string", `"\(`+s+`)"`, "*"+s+" | string", "config.parameter", "description.config.parameter", "config", "parameter"+strings.TrimPrefix(rest, "parameter"), "{v: "+s+"}.v", "["+s+"][0]", `config["parameter"]`+strings.TrimPrefix(rest, "parameter"))
		})
	}),
	10: onLine(func(order *rand.Rand, line string) string {
		return onValue(line, func(value string) string {
			return one(order, "("+value+")", value+" & _", value+" & {_}", "_ & "+value, value+" | *"+value, "*"+value+" | _", value+" @note(x)", value+" // note", "["+value+"]", "{v: "+value+"}", "{v: "+value+"}.v", value+"\n"+value, "string & "+value, "{"+value+"}", "close("+value+")", value+" & close({})")
		})
	}),
	11: func(order *rand.Rand, lines []string, i int) []string {
		return slices.Insert(lines, i, one(order, "...", "@note(x)", "// note", "_hidden: 1", "#Def: 1", "let L = 1", "let config = {}", "let c = {#Artifact: {}}", "description: {}", "config: {}", "config: parameter: {}", "parameter: {}", "if true {}", "{}", "_", "[string]: _", "role: {}", "extra: 1", "extra?: 1", "#Artifact: {...}", "string: int", "X=more: X", `"é": 1`, "scale: hsize: 2", "resilience: 1", "meta: a: 1"))
	},
	12: func(order *rand.Rand, lines []string, i int) []string {
		j := order.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return lines
	},
	13: func(order *rand.Rand, lines []string, i int) []string { // another path
		var paths []string
		for _, l := range lines {
			paths = append(paths, chain.FindAllString(l, -1)...)
			if p := member.FindStringSubmatch(l); p != nil {
				paths = append(paths, "config.parameter."+strings.Trim(p[2], `"[]`), "description.config.parameter."+strings.Trim(p[2], `"[]`), strings.Trim(p[2], `"[]`))
			}
		}
		if len(paths) > 0 {
			path := paths[order.IntN(len(paths))]
			lines[i] = onValue(lines[i], func(string) string { return one(order, path, `"<\(`+path+`)>"`) })
		}
		return lines
	},
	14: func(order *rand.Rand, lines []string, i int) []string { // a path by way of a name
		var path string
		changed := pick(order, chain, lines[i], func(s string) string { path = s; return one(order, "_P", "P", "P.v") })
		if path == "" || member.FindString(lines[i]) == "" {
			return lines
		}
		lines[i] = changed
		return slices.Insert(lines, order.IntN(i+1), one(order, "let P = "+path, "_P: "+path, "P: "+path, "let P = {v: "+path+"}", "P: v: "+path))
	},
	15: onLine(func(order *rand.Rand, line string) string {
		return pick(order, name, line, func(string) string {
			return one(order, "config", "description", "parameter", "role", "artifact", "scale", "hsize", "resource", "c", "k", "string", "int", "_", "#Artifact", "value")
		})
	}),
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
		remembering.Memory = compiler.NewMemory()
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
	for _, pattern := range []string{"../testdata/cases/*.txtar", "../testdata/errors/*.txtar"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			files, dir, sets := map[string]string{}, "", []string(nil)
			for _, f := range archive.Files {
				if !strings.HasPrefix(f.Name, "out/") && !strings.HasPrefix(f.Name, "oracle/") {
					files[f.Name] = string(f.Data)
				}
			}
			for _, line := range strings.Split(string(archive.Comment), "\n") {
				key, value, _ := strings.Cut(line, ": ")
				switch key {
				case "dir":
					dir = value
				case "set":
					sets = append(sets, value)
				}
			}
			if len(files) > 0 && len(path) > 0 && !strings.Contains(path, "deep") {
				add(filepath.Base(path), dir, sets, files)
			}
		}
	}
	for _, example := range []string{"hello", "regions", "shop", "shop-kam"} {
		files := map[string]string{}
		root := filepath.Join("../examples", example)
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			rel, _ := filepath.Rel(root, path)
			files[rel] = string(text)
			return err
		}))
		add(example, "deploy", nil, files)
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
