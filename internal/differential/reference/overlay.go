package reference

import (
	"path"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/encoding/json"
	"cuelang.org/go/encoding/yaml"
)

// overlay joins what the command line gives, in the deployment's shape: files in
// their order, then single values; the later wins.
func (s *spreader) overlay(manifest cue.Value) any {
	var out any = map[string]any{}
	for _, f := range s.app.Values {
		v := cuecontext.New().CompileString(f.Text)
		switch path.Ext(f.Name) {
		case ".json":
			x, err := json.Extract(f.Name, []byte(f.Text))
			if !s.holds(err) {
				continue
			}
			v = cuecontext.New().BuildExpr(x)
		case ".yaml":
			x, err := yaml.Extract(f.Name, []byte(f.Text))
			if !s.holds(err) {
				continue
			}
			v = cuecontext.New().BuildFile(x)
		}
		values, err := data(v)
		if s.holds(v.Validate(cue.Concrete(true))) && s.holds(err) {
			s.check(only(values, "config", "meta", "up", "name"), "values/bad-file", "%s", f.Name)
			out = merge(out, values)
		}
	}
	for _, set := range s.app.Sets {
		left, text, _ := strings.Cut(set, "=")
		var at []string
		for _, sel := range cue.ParsePath(left).Selectors() {
			at = append(at, sel.Unquoted())
		}
		value := typed(manifest, at, text)
		for i := len(at) - 1; i >= 0; i-- {
			value = map[string]any{at[i]: value}
		}
		s.check(only(value, "config", "meta", "up"), "values/bad-set", "%s", set)
		out = merge(out, value)
	}
	return out
}

// typed is the value that a text of --set stands for: the text itself where the
// artifact takes nothing but a string, else what it means in CUE, if anything.
func typed(manifest cue.Value, path []string, text string) any {
	field := at(manifest, "artifact", "description")
	for _, name := range path {
		regular := at(field, name)
		if !regular.Exists() {
			regular = field.LookupPath(cue.MakePath(cue.Str(name).Optional()))
		}
		field = regular
	}
	if field.IncompleteKind() == cue.StringKind {
		return text
	}
	v := cuecontext.New().CompileString(text)
	value, err := data(v)
	if err != nil || v.Validate(cue.Concrete(true)) != nil {
		return text
	}
	return value
}

// split parts the overlay: what the manifest has a field for, or is open to, and
// the rest, which is for the artifact to judge. A #Deployment is a definition, and
// so closed, but it does not say which parameters there are.
func split(manifest cue.Value, overlay any) (known, rest map[string]any) {
	known, rest = map[string]any{}, map[string]any{}
	for _, name := range keys(overlay) {
		value, field := get(overlay, name), at(manifest, name)
		_, nested := value.(map[string]any)
		switch {
		case !manifest.Allows(cue.Str(name)):
			rest[name] = value
		case nested && field.IncompleteKind() == cue.StructKind:
			k, r := split(field, value)
			known[name] = k
			if len(r) > 0 {
				rest[name] = r
			}
		default:
			known[name] = value
		}
	}
	return known, rest
}

// only reports whether an object has no other members than these.
func only(x any, names ...string) bool {
	members, ok := x.(map[string]any)
	n := 0
	for _, name := range names {
		if _, has := members[name]; has {
			n++
		}
	}
	return ok && n == len(members)
}
