package compiler

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/load"
	"kumiki.dev/solution"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// from marks a value that is taken from another deployment, as #From of the
// schema says: {$from: "db", field: "config.parameter.host"}.
const from = "$from"

// reference is such a value.
type reference struct {
	at                []string // below config
	deployment, field string
	pos               diag.Pos
}

// Others are the deployments that others may take values from. They are compiled
// when they are needed, and what is known of them is kept: runs that share them
// come one after the other.
type Others struct {
	paths    []string
	scanned  bool
	solved   map[string]*solution.Solution // by the names of deployments
	dirs     map[string]string             // of deployments that are in directories
	open     []string                      // deployments that are being compiled
	reported map[string]bool               // directories that have problems, which have been told
}

// NewOthers returns the deployments in solution files, directories with a
// #Deployment, and directories of either; see [load.Sources]. Nothing is read yet.
func NewOthers(paths []string) *Others {
	return &Others{paths: paths, solved: map[string]*solution.Solution{}, dirs: map[string]string{}, reported: map[string]bool{}}
}

// taking is one run that takes values from others.
type taking struct {
	*Others
	*compilation
}

// resolve puts values in the place of references. What it could not resolve is
// reported, and false returned.
func (c *compilation) resolve(base *spread.Top) (diag.List, bool) {
	found, problems := findReferences(base.Config, nil)
	if len(found) == 0 || len(problems) > 0 {
		return problems, len(problems) == 0
	}
	r := taking{c.in.With, c}
	if r.Others == nil {
		r.Others = NewOthers(nil)
	}
	problems = append(problems, r.scan()...)
	r.open = append(r.open, base.Name)
	defer func() { r.open = r.open[:len(r.open)-1] }()
	left := 0
	for _, ref := range found {
		value, more := r.value(ref)
		problems = append(problems, more...)
		if value == nil {
			left++
		} else {
			base.Config = replaced(base.Config, ref.at, value)
			c.taken = append(c.taken, solution.Reference{At: "config." + strings.Join(ref.at, "."), Deployment: ref.deployment, Field: ref.field})
		}
	}
	return problems, left == 0 && !problems.HasErrors()
}

// findReferences lists the references in a value of the config.
func findReferences(d *value.Data, path []string) ([]reference, diag.List) {
	if mark := d.Get(from); mark != nil && d.Kind == value.Struct {
		ref := reference{path, mark.Str(), d.Get("field").Str(), mark.Pos}
		if ref.deployment == "" || ref.field == "" || len(d.Fields) != 2 {
			return nil, diag.List{diag.New(diag.NoReferent, mark.Pos, "config.%s is to be taken from another deployment, but does not say which value: write {$from: \"DEPLOYMENT\", field: \"config.parameter.NAME\"}", strings.Join(path, ".")).
				AtPath(append([]string{"config"}, path...)...)}
		}
		return []reference{ref}, nil
	}
	var out []reference
	var problems diag.List
	for _, f := range d.Each() {
		refs, more := findReferences(f.Value, append(slices.Clip(path), f.Name))
		out, problems = append(out, refs...), append(problems, more...)
	}
	return out, problems
}

// scan finds out which deployments there are, once.
func (r taking) scan() diag.List {
	if r.scanned {
		return nil
	}
	r.scanned = true
	var problems diag.List
	for _, arg := range r.paths {
		for _, source := range load.Sources(arg) {
			problems = append(problems, r.add(source)...)
		}
	}
	return problems
}

// add takes in a solution file, or the name of the deployment in a directory.
func (r taking) add(source string) diag.List {
	if info, err := os.Stat(source); err == nil && info.IsDir() {
		in := Input{LoadInput: LoadInput{Dir: source, Modules: r.in.Modules, Registry: r.in.Registry, Texts: r.in.Texts}, nameOnly: true}
		result, _ := r.run(r.ctx, in, UnifyStage) // what is wrong there is told when it is compiled
		if result.Base == nil || result.Base.Name == "" {
			return nil
		}
		name := result.Base.Name
		if other, ok := r.dirs[name]; ok && other != source {
			return diag.List{diag.New(diag.NoReferent, result.Base.Pos, "deployment %s is in %s and in %s: --with may name one of them", name, other, source)}
		}
		r.dirs[name] = source
		return nil
	}
	data, err := os.ReadFile(source)
	if err != nil {
		return diag.List{diag.New(diag.NoReferent, diag.NoPos, "--with %s: %v", source, err)}
	}
	r.in.Texts.JSON(data)
	s, problems := solution.Read(data, source)
	if s != nil {
		r.take(s)
	}
	return problems
}

func (r *Others) take(s *solution.Solution) {
	for name := range s.Deployments {
		r.solved[name] = s
	}
}

// value is what a reference leads to; nil if that is told in the problems.
func (r taking) value(ref reference) (*value.Data, diag.List) {
	report := func(code diag.Code, format string, args ...any) diag.List {
		return diag.List{diag.New(code, ref.pos, format, args...).AtPath(append([]string{"config"}, ref.at...)...)}
	}
	top := r.owner(ref.deployment)
	if i := slices.Index(r.open, top); i >= 0 {
		circle := strings.Join(append(slices.Clone(r.open[i:]), top), " → ")
		return nil, report(diag.ReferenceCycle, "deployments take values from each other in a circle: %s; give one of the fields a value of its own", circle)
	}
	if dir, ok := r.dirs[top]; ok && r.solved[top] == nil {
		if problems, ok := r.compile(dir); !ok {
			return nil, problems
		}
	}
	s := r.solved[ref.deployment]
	if s == nil {
		return nil, report(diag.NoReferent, "config.%s is to be taken from deployment %s, which is not known%s; --with says where other deployments are", strings.Join(ref.at, "."), ref.deployment, r.hint(ref.deployment))
	}
	x, missing := field(s.Deployments[ref.deployment], ref.field)
	if missing != "" {
		return nil, report(diag.NoReferent, "config.%s is to be taken from deployment %s, which has no %s", strings.Join(ref.at, "."), ref.deployment, missing)
	}
	return ref.data(x), nil
}

// owner is the deployment that another one, shop.entry, was made of.
func (r *Others) owner(name string) string {
	for at := name; ; {
		if r.dirs[at] != "" || slices.Contains(r.open, at) {
			return at
		}
		i := strings.LastIndex(at, ".")
		if i < 0 {
			return name
		}
		at = at[:i]
	}
}

// compile makes the solution of another deployment, or returns false. Its
// problems are told once.
func (r taking) compile(dir string) (diag.List, bool) {
	if r.reported[dir] {
		return nil, false
	}
	in := Input{LoadInput: LoadInput{Dir: dir, Modules: r.in.Modules, Registry: r.in.Registry, Texts: r.in.Texts}, Strict: r.in.Strict, With: r.Others}
	result, problems := r.run(r.ctx, in, ExtractStage)
	if problems.HasErrors() {
		r.reported[dir] = true
		return problems, false
	}
	r.take(result.Solution)
	return nil, true
}

func (r *Others) hint(name string) string {
	known := slices.Sorted(maps.Keys(r.solved))
	for dir := range r.dirs {
		known = append(known, dir)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if near, ok := diag.Nearest(name, known); ok {
		return "; did you mean " + near + "?"
	}
	if len(known) > 0 {
		return "; there is " + strings.Join(known, ", ")
	}
	return ""
}

// field is the value at a path of a deployment: its name, or a field of its meta
// or config. Missing says what is not there.
func field(d *solution.Deployment, path string) (value any, missing string) {
	p := cue.ParsePath(path)
	if p.Err() != nil {
		return nil, fmt.Sprintf("field %q: it is no path", path)
	}
	value, err := jsondata.Of(map[string]any{"name": d.Name, "meta": d.Meta, "config": d.Config})
	if err != nil {
		return nil, err.Error()
	}
	for _, sel := range p.Selectors() {
		name := sel.String()
		if sel.LabelType() == cue.StringLabel {
			name = sel.Unquoted()
		}
		members, _ := value.(map[string]any)
		next, ok := members[name]
		if !ok {
			names := slices.Sorted(maps.Keys(members))
			if near, ok := diag.Nearest(name, names); ok {
				return nil, path + "; did you mean " + near + "?"
			}
			return nil, strings.TrimSuffix(path+"; there is "+strings.Join(names, ", "), "; there is ")
		}
		value = next
	}
	return value, ""
}

// data is the value that was found in the form that config has; all of it is
// where the reference is.
func (ref reference) data(x any) *value.Data {
	pos := ref.pos
	leaf := func(kind value.Kind, text string) *value.Data {
		return &value.Data{Kind: kind, Text: text, Pos: pos, Origin: value.Origin{By: value.FromDeployment, Who: ref.field + " of " + ref.deployment}}
	}
	switch x := x.(type) {
	case map[string]any:
		var fields []value.Field
		for name, member := range x {
			fields = append(fields, value.Field{Name: name, Value: ref.data(member)})
		}
		return value.NewStruct(pos, fields...)
	case []any:
		list := &value.Data{Kind: value.List, Pos: pos}
		for _, item := range x {
			list.Items = append(list.Items, ref.data(item))
		}
		return list
	case string:
		return leaf(value.String, x)
	case bool:
		return leaf(value.Bool, fmt.Sprint(x))
	case json.Number:
		if _, err := x.Int64(); err == nil {
			return leaf(value.Int, x.String())
		}
		return leaf(value.Float, x.String())
	default:
		return leaf(value.Null, "null")
	}
}
