package model_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
	"kumiki.dev/policy"
	"kumiki.dev/schema/model"
	"kumiki.dev/targets/kubernetes"
	"kumiki.dev/targets/swarm"
)

// TestBecomes compiles each example with what it adds to and that without it, lowers both,
// and keeps in becomes.txtar how the objects differ.
func TestBecomes(t *testing.T) {
	t.Parallel()
	made := &txtar.Archive{Comment: []byte("What the examples change in the objects of each target. A test makes it: UPDATE_GOLDEN=1 go test ./schema/model.\n")}
	known := map[string]map[string]objects{} // what examples add to
	for _, x := range model.Examples() {
		m := without(t, x)
		key := m.deployed + " " + x.After
		if known[key] == nil {
			known[key] = lowered(t, m)
		}
		added := with(t, x)
		added.environment = x.Files[0].Name == place+".cue"
		before, after := known[key], lowered(t, added)
		for _, target := range []string{"kubernetes", "swarm"} {
			if text := changed(before[target], after[target]); text != "" {
				made.Files = append(made.Files, txtar.File{Name: x.Of[0] + " " + target, Data: []byte(text)})
			}
		}
	}
	if golden.Update() {
		require.NoError(t, os.WriteFile("becomes.txtar", txtar.Format(made), 0o644))
		return
	}
	want, err := os.ReadFile("becomes.txtar")
	require.NoError(t, err)
	require.Equal(t, string(want), string(txtar.Format(made)), "run UPDATE_GOLDEN=1 go test ./schema/model, and read what it changes")
}

// place is where the examples of an environment lie, without the end of its name.
const place = environment.Directory + "/eu"

// module is an application with examples in it, the directory that is deployed, and
// whether that is done in the environment of the examples.
type module struct {
	root, deployed string
	environment    bool
}

func without(t *testing.T, x *model.Example) module {
	t.Helper()
	m := module{t.TempDir(), "api-prod", false}
	older := before(t, x)
	files := slices.Clone(x.Files)
	for _, o := range older {
		files = append(files, o.Files...)
	}
	if slices.ContainsFunc(files, func(f txtar.File) bool { return slices.Contains([]string{"app", "web", "prod"}, path.Dir(f.Name)) }) {
		m.deployed = "prod"
	}
	for _, f := range model.Base() {
		m.write(t, f.Name, f.Data)
	}
	for i, o := range older {
		for _, f := range o.Files {
			m.write(t, path.Join(path.Dir(f.Name), strings.Repeat("before-", i+1)+path.Base(f.Name)), model.Source(f))
		}
	}
	return m
}

// before are the examples that one adds to, the nearest first.
func before(t *testing.T, x *model.Example) []*model.Example {
	t.Helper()
	var out []*model.Example
	for x.After != "" {
		older := model.Lookup(x.After)
		require.NotNil(t, older, "%s of the example of %s", x.After, x.Of[0])
		require.NotNil(t, older.Example(), "%s of the example of %s", x.After, x.Of[0])
		x = older.Example()
		out = append(out, x)
	}
	return out
}

func with(t *testing.T, x *model.Example) module {
	t.Helper()
	m := without(t, x)
	for _, f := range x.Files {
		m.write(t, f.Name, model.Source(f))
	}
	return m
}

func (m module) write(t *testing.T, name string, data []byte) {
	t.Helper()
	at := filepath.Join(m.root, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
	require.NoError(t, os.WriteFile(at, data, 0o644))
}

// objects are the values of objects by the object and its path; below "lost" is what
// they lack.
type objects map[string]map[string]string

// lowered compiles a module, which has to have no mistake, and makes its objects.
func lowered(t *testing.T, m module) map[string]objects {
	t.Helper()
	e := &environment.Environment{}
	if m.environment {
		found, problems := environment.Find(load.Input{Dir: filepath.Join(m.root, environment.Directory)}, filepath.Base(place))
		require.Empty(t, problems, m.root)
		e = found
	}
	options := e.Lowering()
	options.Namespace = cmp.Or(options.Namespace, "shop")
	s, problems := compiler.Compile(context.Background(), compiler.Input{
		LoadInput:   compiler.LoadInput{Dir: filepath.Join(m.root, m.deployed)},
		With:        compiler.NewOthers([]string{filepath.Join(m.root, "platform")}),
		Environment: e.Config,
	})
	require.False(t, problems.HasErrors(), "%s: %v", m.root, problems)
	if dir := policy.In(filepath.Join(m.root, m.deployed)); dir != "" {
		policies, problems := policy.Load(load.Input{Dir: dir})
		require.Empty(t, problems, m.root)
		require.Empty(t, policies.For(&environment.Environment{Name: "eu", Labels: map[string]string{"stage": "prod"}}).Solution(s), m.root)
	}
	out := map[string]objects{"kubernetes": {}, "swarm": {}}
	made, losses := kubernetes.Lower(s, options)
	require.False(t, losses.HasErrors(), "%s: %v", m.root, losses)
	for _, o := range made {
		plain, err := kubernetes.Plain(o)
		require.NoError(t, err)
		if !strings.HasSuffix(o.Name, "-inventory") {
			out["kubernetes"][o.Kind+"/"+o.Name] = flat(plain)
		}
	}
	out["kubernetes"].lose(losses)
	made, losses = swarm.Lower(s, options)
	require.False(t, losses.HasErrors(), "%s: %v", m.root, losses)
	var text bytes.Buffer
	require.NoError(t, swarm.EncodeJSON(&text, made))
	var stack map[string]map[string]map[string]any
	var all map[string]any
	require.NoError(t, json.Unmarshal(text.Bytes(), &all))
	delete(all, "version")
	narrow, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(narrow, &stack))
	for part, members := range stack {
		for name, value := range members {
			if !strings.Contains(name, "config.json") {
				out["swarm"][part+" "+name] = flat(value)
			}
		}
	}
	out["swarm"].lose(losses)
	return out
}

// lose adds what is lost, in the words of the warning.
func (o objects) lose(losses diag.List) {
	for _, d := range losses.Sorted() {
		id := "lost"
		if o[id] == nil {
			o[id] = map[string]string{}
		}
		o[id][fmt.Sprintf("%s [%s]", d.Message, d.Code)] = ""
	}
}

// flat are the values of an object by their paths, without what is in every one: the
// labels, and hashes.
func flat(o map[string]any) map[string]string {
	out := map[string]string{}
	var add func(at string, value any)
	add = func(at string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, member := range v {
				key := at + "." + name
				if strings.ContainsAny(name, "./") {
					key = at + "[" + name + "]"
				}
				add(key, member)
			}
			if len(v) > 0 {
				return
			}
		case []any:
			if slices.ContainsFunc(v, func(x any) bool { _, scalar := x.(map[string]any); return !scalar }) {
				break // whole, in its order
			}
			for i, element := range v {
				members, name := maps.Clone(element.(map[string]any)), strconv.Itoa(i)
				for _, key := range []string{"mountPath", "target", "name"} {
					if text, ok := members[key].(string); ok && len(members) > 1 {
						name = text
						delete(members, key)
						break
					}
				}
				add(at+"["+name+"]", members)
			}
			return
		}
		if at = strings.TrimPrefix(at, "."); !follows(at) {
			if out[at] = written(value); strings.HasSuffix(at, ".mode") { // which YAML has as it is used
				if n, ok := value.(float64); ok {
					out[at] = fmt.Sprintf("0%o", int(n))
				}
			}
		}
	}
	add("", o)
	return out
}

// follows reports whether a value says nothing by itself: a hash of others, what selects
// pods, what is told to programs about channels.
func follows(at string) bool {
	return slices.ContainsFunc([]string{"kumiki.dev/config", "matchLabels", "config.json", "channels.json"}, func(part string) bool { return strings.Contains(at, part) })
}

// written is a value as JSON on one line.
func written(value any) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // it was JSON before
	}
	const long = 160
	if line := []rune(strings.TrimSpace(text.String())); len(line) > long {
		return string(line[:long]) + " …"
	}
	return strings.TrimSpace(text.String())
}

// most is how many lines of an object, and how many new objects, are shown.
const most = 8

// changed are the lines that say how objects differ.
func changed(before, after objects) string {
	var b strings.Builder
	before, after = maps.Clone(before), maps.Clone(after)
	lost, wasLost := after["lost"], before["lost"]
	delete(after, "lost")
	delete(before, "lost")
	for _, kind := range []string{"StatefulSet", "DaemonSet"} { // in which a Deployment turns
		for id := range after {
			name, ok := strings.CutPrefix(id, kind+"/")
			if old := "Deployment/" + name; ok && after[old] == nil && before[old] != nil {
				writeChanges(&b, id+" in place of "+old, before[old], after[id])
				delete(after, id)
				delete(before, old)
			}
		}
	}
	var added, gone []string
	for _, id := range slices.Sorted(maps.Keys(after)) {
		if before[id] == nil {
			added = append(added, id)
		} else {
			writeChanges(&b, id, before[id], after[id])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if after[id] == nil {
			gone = append(gone, id)
		}
	}
	for _, id := range added {
		if len(gone) == 0 && len(added) < most {
			writeChanges(&b, "new "+id, nil, after[id])
		} else {
			b.WriteString("new " + id + "\n")
		}
	}
	for _, id := range gone {
		b.WriteString("gone " + id + "\n")
	}
	for _, text := range slices.Sorted(maps.Keys(lost)) {
		if _, ok := wasLost[text]; !ok {
			b.WriteString("lost: " + text + "\n")
		}
	}
	for _, text := range slices.Sorted(maps.Keys(wasLost)) {
		if _, ok := lost[text]; !ok && len(lost) < len(wasLost) {
			b.WriteString("not lost any more: " + text + "\n")
		}
	}
	return b.String()
}

// writeChanges writes what is new or gone in an object, indented below its name.
func writeChanges(b *strings.Builder, id string, before, after map[string]string) {
	var lines []string
	for _, at := range slices.Sorted(maps.Keys(after)) {
		if was, ok := before[at]; (!ok || was != after[at]) && (before != nil || !common(at)) {
			lines = append(lines, at+": "+after[at])
		}
	}
	for _, at := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[at]; !ok {
			lines = append(lines, at+" is gone")
		}
	}
	if len(lines) == 0 && before != nil {
		return
	}
	b.WriteString(id + "\n")
	for i, line := range lines {
		if i == most && len(lines) > most+1 {
			fmt.Fprintf(b, "  and %d lines more\n", len(lines)-most)
			return
		}
		b.WriteString("  " + line + "\n")
	}
}

// common reports whether new objects have a field in any case.
func common(at string) bool {
	return at == "apiVersion" || at == "kind" || strings.Contains(at, "kumiki.dev/") || strings.HasPrefix(at, "metadata.") || strings.HasPrefix(at, "deploy.labels") || strings.HasPrefix(at, "labels")
}
