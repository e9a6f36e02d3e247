package compiler

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
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
	// Kept returns solutions that are known too, where neither the paths nor one before
	// it have their deployments; nil for none. It is asked once, when that matters.
	Kept func() ([]Kept, error)
	// Templates are the names of those that a template may require, and Required of those
	// that it does; nil for a deployment that is none.
	Templates, Required []string

	paths    []string
	scanned  bool
	solved   map[string]*solution.Solution // by the names of deployments
	kept     map[string]*Kept              // likewise
	dirs     map[string]string             // of deployments that are in directories
	ups      map[string]string             // what these hang from
	open     []string                      // deployments that are being compiled
	linking  *solution.Solution            // the one that is being compiled, nil until it is there
	used     map[string]*solution.Solution // what has been taken from, by the names of deployments
	reported map[string]bool               // directories that have problems, which have been told
}

// Kept is a solution that has been compiled before, and is read when it is needed.
type Kept struct {
	// Top is its name, and Up what its top hangs from, "" for nothing.
	Top, Up string
	// Deployments are the names of its deployments.
	Deployments []string
	// Read returns it.
	Read func() (*solution.Solution, error)
}

// NewOthers returns the deployments in solution files, directories with a
// #Deployment, and directories of either; see [load.Sources]. Nothing is read yet.
func NewOthers(paths []string) *Others {
	return &Others{paths: paths, solved: map[string]*solution.Solution{}, kept: map[string]*Kept{}, ups: map[string]string{}, dirs: map[string]string{}, reported: map[string]bool{}, used: map[string]*solution.Solution{}}
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
		if value == nil && solution.KindOf(ref.field) != solution.OwnField && !more.HasErrors() {
			c.taken = append(c.taken, ref.taken())
		} else if value == nil {
			left++
		} else {
			base.Config = replaced(base.Config, ref.at, value)
			c.taken = append(c.taken, ref.taken())
		}
	}
	if left > 0 || problems.HasErrors() {
		return problems, false
	}
	more := c.examples(base)
	problems = append(problems, more...)
	return problems, !problems.HasErrors()
}

// taken is the reference as the solution keeps it.
func (ref reference) taken() solution.Reference {
	return solution.Reference{At: solution.JoinField(append([]string{"config"}, ref.at...)...), Deployment: ref.deployment, Field: ref.field}
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
	return append(problems, r.keep()...)
}

// keep takes in the solutions that are kept.
func (r taking) keep() diag.List {
	if r.Kept == nil {
		return nil
	}
	kept, err := r.Kept()
	if err != nil {
		return diag.List{unreadable(err)}
	}
	for _, k := range kept {
		if r.dirs[k.Top] != "" || r.solved[k.Top] != nil || r.kept[k.Top] != nil {
			continue
		}
		for _, name := range k.Deployments {
			r.kept[name] = &k
		}
	}
	return nil
}

func unreadable(err error) *diag.Diagnostic {
	return diag.New(diag.NoReferent, diag.NoPos, "what was saved cannot be read: %v", err)
}

// find is the solution with a deployment, read if that has not been done; nil if there is
// none.
func (r *Others) find(deployment string) (*solution.Solution, error) {
	if s := r.solved[deployment]; s != nil || r.kept[deployment] == nil {
		return s, nil
	}
	s, err := r.kept[deployment].Read()
	if err == nil {
		r.take(s)
	}
	return s, err
}

// knows reports whether there is a deployment of that name already, compiled or not.
func (r *Others) knows(name string) bool {
	return r.dirs[name] != "" || r.solved[name] != nil || r.kept[name] != nil
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
		if up := result.Base.Up; up != nil {
			r.ups[name] = *up
		}
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

// value is what a reference leads to; nil if that is told in the problems, or is not known
// yet.
func (r taking) value(ref reference) (*value.Data, diag.List) {
	report := func(code diag.Code, format string, args ...any) diag.List {
		return diag.List{diag.New(code, ref.pos, format, args...).AtPath(append([]string{"config"}, ref.at...)...)}
	}
	top := r.owner(ref.deployment)
	if i := slices.Index(r.open, top); i >= 0 {
		circle := strings.Join(append(slices.Clone(r.open[i:]), top), " → ")
		return nil, report(diag.ReferenceCycle, "deployments take values from each other in a circle: %s; give one of the fields a value of its own", circle)
	}
	s, problems, ok := r.other(ref.deployment)
	if !ok {
		return nil, problems
	}
	if s == nil {
		return nil, report(diag.NoReferent, "config.%s is to be taken from deployment %s, which is not known%s", strings.Join(ref.at, "."), ref.deployment, r.hint(ref.deployment))
	}
	if kind := solution.KindOf(ref.field); kind != solution.OwnField {
		late, problem := lateOf(ref, s, kind)
		if problem != "" {
			return nil, report(diag.NoReferent, "config.%s is to be taken from deployment %s, %s", strings.Join(ref.at, "."), ref.deployment, problem)
		}
		r.late = append(r.late, late)
		return nil, nil
	}
	x, missing := s.Deployments[ref.deployment].Field(ref.field)
	if missing != "" {
		return nil, report(diag.NoReferent, "config.%s is to be taken from deployment %s, which has no %s", strings.Join(ref.at, "."), ref.deployment, missing)
	}
	return ref.data(x), nil
}

// other is the solution that has a deployment, nil if none is known. It returns false if it
// is known and cannot be compiled or read, which the problems say.
func (r taking) other(deployment string) (*solution.Solution, diag.List, bool) {
	if r.linking != nil && r.linking.Deployments[deployment] != nil {
		return r.linking, nil, true
	}
	top := r.owner(deployment)
	if dir, ok := r.dirs[top]; ok && r.solved[top] == nil {
		if problems, ok := r.compile(dir); !ok {
			return nil, problems, false
		}
	}
	s, err := r.find(deployment)
	if err != nil {
		return nil, diag.List{unreadable(err)}, false
	}
	r.use(deployment, s)
	return s, nil, true
}

// owner is the deployment that another one, shop.entry, was made of.
func (r *Others) owner(name string) string {
	for at := name; ; {
		if r.dirs[at] != "" || filter.Contains(r.open, at) {
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
	in := Input{LoadInput: LoadInput{Dir: dir, Modules: r.in.Modules, Registry: r.in.Registry, Texts: r.in.Texts}, With: r.Others, unlinked: true}
	result, problems := r.run(r.ctx, in, ExtractStage)
	if problems.HasErrors() {
		r.reported[dir] = true
		return problems, false
	}
	r.take(result.Solution)
	return nil, true
}

// hint says what may be meant by a deployment that is not known.
func (r *Others) hint(name string) string {
	if r.Templates != nil {
		return r.hintTemplate(name)
	}
	const with = "; --with says where other deployments are"
	known := slices.Collect(maps.Keys(r.solved))
	for name := range r.kept {
		known = append(known, name)
	}
	for dir := range r.dirs {
		known = append(known, dir)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if near, ok := diag.Nearest(name, known); ok {
		return "; did you mean " + near + "?" + with
	}
	if len(known) > 0 {
		return "; there is " + strings.Join(known, ", ") + with
	}
	return with
}

// hintTemplate says which template may be meant by a deployment that is not known.
func (r *Others) hintTemplate(name string) string {
	top, _, _ := strings.Cut(name, ".")
	if filter.Contains(r.Templates, top) {
		return fmt.Sprintf("; it is a template: write requires: [%q] beside it", top)
	}
	if near, ok := diag.Nearest(top, r.Required); ok {
		return "; did you mean " + near + "?"
	}
	if near, ok := diag.Nearest(top, r.Templates); ok {
		return fmt.Sprintf("; did you mean template %s? Write requires: [%q] then", near, near)
	}
	if len(r.Required) == 0 {
		return "; the template requires none: write its name into requires"
	}
	return "; the template requires " + strings.Join(r.Required, ", ")
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
