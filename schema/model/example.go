package model

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"kumiki.dev/internal/filter"
)

// Example shows fields in sources that compile.
type Example struct {
	// Of are the names of the fields.
	Of []string
	// After is a field whose example this one adds to, "" for none.
	After string
	// Files are what the author writes, by their paths, without the clause of their
	// package.
	Files []txtar.File
	// Becomes is what it changes in the objects of each target; a test makes it.
	Becomes []Becomes
}

// Becomes is what an example changes on one target.
type Becomes struct {
	Target string
	Text   string
}

// Base are the files that examples add to.
func Base() []txtar.File {
	var out []txtar.File
	for _, f := range archive("examples.txtar") {
		if name, ok := strings.CutPrefix(f.Name, "base/"); ok {
			out = append(out, txtar.File{Name: name, Data: f.Data})
		}
	}
	return out
}

// Examples are all, in the order of the reference.
var Examples = sync.OnceValue(func() []*Example {
	became := map[string]string{} // "" for an example that changes nothing
	for _, f := range archive("becomes.txtar") {
		became[f.Name] = string(f.Data)
	}
	var out []*Example
	for _, f := range archive("examples.txtar") {
		head, after, _ := strings.Cut(f.Name, " after ")
		of, file, ok := strings.Cut(head, " ")
		if !ok {
			continue // of the application
		}
		f = txtar.File{Name: file, Data: f.Data}
		if last := len(out) - 1; last >= 0 && strings.Join(out[last].Of, ",") == of {
			out[last].Files = append(out[last].Files, f)
			continue
		}
		names := strings.Split(of, ",")
		x := &Example{Of: names, After: after, Files: []txtar.File{f}}
		for _, target := range []string{"kubernetes", "swarm"} {
			x.Becomes = append(x.Becomes, Becomes{target, became[names[0]+" "+target]})
		}
		out = append(out, x)
	}
	return out
})

func archive(name string) []txtar.File {
	data, err := own.ReadFile(name)
	must(err)
	return txtar.Parse(data).Files
}

// Example is the one of a field, or of another place of the same field; nil for none.
func (f *Field) Example() *Example {
	if x := exampleOf(f.Name()); x != nil {
		return x
	}
	for _, g := range All() {
		if g.declared == f.declared && f.declared.IsValid() {
			if x := exampleOf(g.Name()); x != nil {
				return x
			}
		}
	}
	return nil
}

func exampleOf(name string) *Example {
	i := slices.IndexFunc(Examples(), func(x *Example) bool { return filter.Contains(x.Of, name) })
	if i < 0 {
		return nil
	}
	return Examples()[i]
}

// Source is a file of an example as the compiler takes it: with its package, and the
// import of the model if it names that.
func Source(f txtar.File) []byte {
	dir, _, _ := strings.Cut(f.Name, "/")
	clause := map[string]string{"app": "service", "prod": "deployment", "api-prod": "deployment", "platform": "deployment", "environments": "environment", "policies": "policy", "templates": "template"}[dir]
	if clause == "" {
		clause = "component"
	}
	text := "package " + clause + "\n\n"
	if strings.Contains(string(f.Data), "k.#") {
		text += "import k \"kumori.systems/kumori:kumori\"\n\n"
	}
	return append([]byte(text), f.Data...)
}
