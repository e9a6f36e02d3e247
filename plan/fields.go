package plan

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// roleView is all that is said of a role, each once, in the words of the model.
func (x indexed) roleView(at Place, r *solution.Role) any {
	d := r.Artifact.Description
	config, hints := merged(r), x.hints(at)
	return plain(map[string]any{
		"artifact": refText(r.Artifact.Ref),
		"code":     d.Code,
		"probe":    d.Probe,
		"profile":  d.Profile,
		"size":     d.Size,
		"srv":      d.Srv,
		"config":   config,
		"meta":     hints[0],
		"around":   hints[1],
		"reach":    x.reach[at],
	})
}

// merged is the config of a role: what is the role's own wins over what its
// artifact ended up with, which says the same in other words.
func merged(r *solution.Role) solution.Config {
	d := r.Artifact.Description.Config
	config := solution.Config{Parameter: d.Parameter, Resilience: r.Config.Resilience, Scale: r.Config.Scale, Resource: maps.Clone(d.Resource)}
	if config.Resource == nil {
		config.Resource = map[string]*solution.Resource{}
	}
	maps.Copy(config.Resource, r.Config.Resource)
	return config
}

// deploymentView is all that is said of a deployment beside its roles.
func (x indexed) deploymentView(name string) any {
	d, meta := x.deployments[name], any(nil)
	if x.solution.Alone(name) == "" {
		meta = d.Meta // else it is the role's
	}
	beside := x.beside(name)
	return plain(map[string]any{
		"sla":       beside["sla"],
		"objects":   beside["objects"],
		"accepts":   beside["accepts"],
		"labels":    beside["labels"],
		"artifact":  refText(d.Artifact.Ref),
		"builtin":   d.Artifact.Description.Builtin,
		"config":    overlay(plain(d.Artifact.Description.Config), plain(d.Config)),
		"connector": d.Artifact.Description.Connector,
		"meta":      meta,
		"srv":       d.Artifact.Description.Srv,
		"up":        d.Up,
		"links":     x.links[name],
	})
}

// overlay is a value with all that another says in its place: what a deployment
// is configured with, on top of what its artifact ended up with.
func overlay(under, over any) any {
	a, isMap := under.(map[string]any)
	b, isMapToo := over.(map[string]any)
	if !isMap || !isMapToo {
		return over
	}
	out := maps.Clone(a)
	for name, v := range b {
		if old, ok := out[name]; ok {
			v = overlay(old, v)
		}
		out[name] = v
	}
	return out
}

// canonical is the JSON of a value, in which equal values are equal: members
// sorted by name. What is given here always encodes.
func canonical(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("a solution that does not encode: " + err.Error())
	}
	return text
}

// plain is a value as maps, lists, strings, numbers and truth values.
func plain(v any) any {
	out, err := jsondata.Decode(canonical(v))
	if err != nil {
		panic("JSON that does not decode: " + err.Error())
	}
	return out
}

// changes are the fields in which two views of a solution differ, sorted by
// path.
func changes(old, new any, rules rules) []Change {
	var out []Change
	diff(nil, old, new, same, func(path []string, from, to any) {
		out = append(out, Change{Path: dotted(path), From: from, To: to, Class: rules(path, from, to)})
	})
	return out
}

// absent stands for a member that is not there.
type absent struct{}

// same takes nothing, null and what is empty for the same: so does the model.
func same(a, b any) bool {
	empty := func(v any) bool {
		m, ok := v.(map[string]any)
		return v == nil || v == any(absent{}) || ok && len(m) == 0
	}
	return empty(a) && empty(b) || exact(a, b)
}

// exact takes nothing for the same but what is: on targets, an empty object
// often means everything.
func exact(a, b any) bool { return reflect.DeepEqual(a, b) }

// diff reports the smallest parts that differ, nil for what is not there; lists
// are taken as a whole, unless their items have names. The members of an object on one side only are reported
// one by one.
func diff(path []string, old, new any, equal func(a, b any) bool, report func(path []string, from, to any)) {
	if equal(old, new) {
		return
	}
	a, isMap := old.(map[string]any)
	b, isMapToo := new.(map[string]any)
	if (isMap || missing(old)) && (isMapToo || missing(new)) && len(a)+len(b) > 0 {
		names := map[string]bool{}
		for name := range a {
			names[name] = true
		}
		for name := range b {
			names[name] = true
		}
		for _, name := range sorting.Ordered(names) {
			diff(append(slices.Clip(path), name), member(a, name), member(b, name), equal, report)
		}
		return
	}
	x, y := byName(old), byName(new)
	if x == nil || y == nil || reflect.DeepEqual(x, y) { // but for the order
		report(path, present(old), present(new))
		return
	}
	diff(path, x, y, equal, report)
}

// byName are the items of a list by their names; nil if it is no list, or they
// have none, or not one each. Containers, variables and ports are such lists.
func byName(v any) map[string]any {
	items, ok := v.([]any)
	if !ok {
		return nil
	}
	named := make(map[string]any, len(items))
	for _, item := range items {
		m, _ := item.(map[string]any)
		name, ok := m["name"].(string)
		if !ok || named[name] != nil {
			return nil
		}
		named[name] = item
	}
	return named
}

func missing(v any) bool { return v == nil || v == any(absent{}) }

func member(m map[string]any, name string) any {
	if v, ok := m[name]; ok {
		return v
	}
	return absent{}
}

func present(v any) any {
	if v == any(absent{}) {
		return nil
	}
	return v
}

// flatten lists the values of a tree by their paths.
func flatten(path []string, v any, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			flatten(append(slices.Clip(path), name), member, into)
		}
	default:
		into[dotted(path)] = string(canonical(v))
	}
}

// dotted writes a path down; names that are no plain words are quoted.
func dotted(path []string) string {
	words := make([]string, len(path))
	for i, word := range path {
		words[i] = word
		odd := func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		if word == "" || strings.ContainsFunc(word, odd) {
			words[i] = strconv.Quote(word)
		}
	}
	return strings.Join(words, ".")
}

// worst is the class of all changes together.
func worst(changes []Change) Class {
	worst := Unchanged
	for _, c := range changes {
		if cmp.Compare(c.Class.grade(), worst.grade()) > 0 {
			worst = c.Class
		}
	}
	return worst
}
