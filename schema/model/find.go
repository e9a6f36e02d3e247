package model

import (
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
)

// Found is what a path leads to.
type Found struct {
	// Field is the one that is meant, nil where several are, or none.
	Field *Field
	// Beside tells that the path begins with a field that this one is not in.
	Beside string
	// Others are fields that the path could mean as well.
	Others []*Field
	// Near is what may have been meant where nothing was found, "" for nothing.
	Near string
}

// around are words that sources have around fields, and paths need not.
var around = []string{"deployment", "#Deployment", "#Artifact", "description", "component", "service"}

// Find looks for the field at a path: config.scale, code.api.image, srv.server.port. What
// comes before may be left out, and so may names that the author chooses.
func Find(path string) Found {
	words := strings.Split(strings.Trim(path, "."), ".")
	words[0] = strings.NewReplacer("#Environment", "environment", "#Policy", "policy", "#Template", "template").Replace(words[0])
	for len(words) > 1 && filter.Contains(around, words[0]) && Lookup(strings.Join(words, ".")) == nil {
		words = words[1:]
	}
	if exact, others := match(words); len(exact) > 0 {
		found := chosen(exact, others)
		if near := misspelt(words, found.Field); near != "" {
			return Found{Near: near}
		}
		return found
	}
	if f := referred(words); f != nil {
		return Found{Field: f}
	}
	if best := loosely(words); len(best) > 0 {
		return chosen(best, nil)
	}
	for i := 1; i < len(words); i++ { // code.probe: a probe is beside code
		if !known(words[:i]) {
			break
		}
		if exact, others := match(words[i:]); len(exact) > 0 {
			found := chosen(exact, others)
			found.Beside = strings.Join(words[:i], ".")
			return found
		}
	}
	return Found{Near: near(words)}
}

// misspelt is the path of the field that a last word comes near which would otherwise be a
// name that the author chose: code.imgae.
func misspelt(words []string, f *Field) string {
	last := words[len(words)-1]
	if f == nil || f.Path[len(f.Path)-1] != anyName || last == anyName || known(words[len(words)-1:]) {
		return ""
	}
	var names []string
	for _, in := range f.Fields {
		names = append(names, in.Path[len(in.Path)-1])
	}
	best, ok := diag.Nearest(last, names)
	if !ok {
		return ""
	}
	return strings.Join(append(slices.Clone(words[:len(words)-1]), best), ".")
}

// chosen is what one or several fields are that match.
func chosen(exact, others []*Field) Found {
	if len(exact) == 1 {
		return Found{Field: exact[0], Others: others}
	}
	return Found{Others: append(exact, others...)}
}

// match are the fields whose path is the words, and those whose path ends with them. If
// there are none of the former, the latter are.
func match(words []string) (exact, others []*Field) {
	fewest := len(words)
	for _, f := range All() {
		if skipped, named, ok := ends(f.Path, words); ok && skipped == 0 {
			fewest = min(fewest, named)
		}
	}
	for _, f := range All() {
		skipped, named, ok := ends(f.Path, words)
		ok = ok && named <= fewest
		switch again := func(g *Field) bool { return g.declared == f.declared && g.declared.IsValid() }; {
		case !ok || filter.Any(exact, again) || filter.Any(others, again):
		case skipped == 0:
			exact = append(exact, f)
		default:
			others = append(others, f)
		}
	}
	if len(exact) == 0 {
		return others, nil
	}
	return exact, others
}

// loosely are the shortest paths that have the words in their order, from the first on:
// code.env.secret, inbound.type.
func loosely(words []string) []*Field {
	var best []*Field
	for _, f := range All() {
		j := 0
		for _, part := range f.Path {
			if j < len(words) && part == words[j] {
				j++
			}
		}
		last := f.Path[len(f.Path)-1]
		if j < len(words) || f.Path[0] != words[0] || last != words[len(words)-1] {
			continue
		}
		if len(best) > 0 && len(f.Path) < len(best[0].Path) {
			best = nil
		}
		if len(best) == 0 || len(f.Path) == len(best[0].Path) {
			best = append(best, f)
		}
	}
	return best
}

// ends reports whether words are the end of a path, in which names may be left out, or
// written; how many parts of it come before, and how many words are taken to be names.
func ends(path, words []string) (skipped, named int, ok bool) {
	i, j := len(path), len(words)
	for ; j > 0; i-- {
		switch {
		case i == 0:
			return 0, 0, false
		case path[i-1] == words[j-1]:
			j--
		case path[i-1] != anyName || i == len(path) && (j == 1 || path[i-2] != words[j-2] || known(words[j-1:])):
			return 0, 0, false
		case i > 1 && j > 1 && path[i-2] == words[j-2]: // the author's word for it
			j--
			named++
		}
	}
	return i, named, true
}

// referred is the field at a path that goes through one that is described elsewhere:
// role.api.config.scale, deployment.config.scale.
func referred(words []string) *Field {
	for i := len(words) - 1; i > 0; i-- {
		exact, _ := match(words[:i])
		for _, f := range exact {
			root := elsewhere[f.Definition]
			if f.Path[len(f.Path)-1] == "meta" {
				root = "meta"
			}
			if root == "" {
				continue
			}
			if found, _ := match(append(strings.Split(root, "."), words[i:]...)); len(found) > 0 {
				return found[0]
			}
		}
	}
	return nil
}

// known reports whether words are names of fields.
func known(words []string) bool {
	return !filter.Any(words, func(word string) bool {
		return !filter.Contains(around, word) && !filter.Any(All(), func(f *Field) bool { return f.Path[len(f.Path)-1] == word })
	})
}

// Short is the path as people write it: without names that the author chooses, but where
// nothing else is left.
func (f *Field) Short() string {
	short := filter.Out(f.Path, func(part string) bool { return part == anyName })
	return strings.Join(short, ".")
}

// near is the path that comes near, or that has fields of which one does.
func near(words []string) string {
	var all, last []string
	for _, f := range All() {
		all = append(all, f.Short())
		last = append(last, f.Path[len(f.Path)-1])
	}
	if best, ok := diag.Nearest(strings.Join(words, "."), all); ok {
		return best
	}
	best, ok := diag.Nearest(words[len(words)-1], last)
	if !ok {
		return ""
	}
	mended := append(slices.Clone(words[:len(words)-1]), best)
	if exact, _ := match(mended); len(exact) > 0 {
		return strings.Join(mended, ".")
	}
	return best
}
