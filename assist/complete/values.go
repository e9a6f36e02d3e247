package complete

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// place is where a path has come to: an artifact with its roles, or a value.
type place struct {
	node *value.Node
	data *value.Data
}

// next is what a path can go on with.
type next struct {
	label string
	place place
}

func (p place) next() []next {
	var out []next
	if p.node != nil {
		for _, r := range p.node.Roles {
			if r.Node != nil {
				out = append(out, next{quoted(r.Name), place{node: r.Node}})
			}
		}
		out = append(out, next{"config", place{data: p.node.Config}})
		return append(out, fields(p.node.Description)...)
	}
	return fields(p.data)
}

func fields(d *value.Data) []next {
	if d == nil || d.Kind != value.Struct {
		return nil
	}
	var out []next
	for _, f := range d.Fields {
		out = append(out, next{quoted(f.Name), place{data: f.Value}})
	}
	return out
}

func quoted(name string) string { return cue.MakePath(cue.Str(name)).String() }

// Values are the paths of a tree that a word may become, up to the next dot: roles and
// fields of artifacts as 'kumiki why' takes them.
func Values(t *value.Tree, word string) []string {
	if t == nil {
		return nil
	}
	return from(place{node: t.Root}, "", word)
}

// Config are the paths of what a tree's deployment can be given that a word may become,
// up to the next dot.
func Config(t *value.Tree, word string) []string {
	if t == nil {
		return nil
	}
	top := (&value.Data{Kind: value.Struct}).Set("config", t.Root.Config)
	return from(place{data: top}, "", word)
}

// from are the paths that a word may become, of which the head leads to a place.
func from(at place, head, word string) []string {
	rest := strings.TrimPrefix(word, head)
	var out []string
	for _, n := range at.next() {
		inner := n.place.next()
		if len(inner) > 0 && strings.HasPrefix(rest, n.label+".") {
			return from(n.place, head+n.label+".", word)
		}
		if !strings.HasPrefix(n.label, rest) {
			continue
		}
		if len(inner) > 0 {
			n.label += "."
		}
		out = append(out, head+n.label)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Missing are the fields that problems say a deployment lacks, and that begin with a word.
func Missing(problems diag.List, word string) []string {
	var out []string
	for _, d := range problems {
		if d.Code != diag.Missing && d.Code != diag.MissingHsize || len(d.At) == 0 {
			continue
		}
		labels := make([]string, len(d.At))
		for i, name := range d.At {
			labels[i] = quoted(name)
		}
		if path := strings.Join(labels, "."); strings.HasPrefix(path, word) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
