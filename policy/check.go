package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/spread/wording"
	"kumiki.dev/targets"
	"kumiki.dev/value"
)

// subject is what a policy may be about.
type subject struct {
	words            string // what messages call it
	deployment, role string
	data             any
	top              diag.Pos // where it is deployed
	// at is where a value of it was written, by a path in the data.
	at func(path []string) diag.Pos
}

// Solution returns the problems of a solution, and of the roles in it, that break a policy.
func (s *Set) Solution(sol *solution.Solution) diag.List {
	if !s.about("solution", "role") {
		return nil
	}
	encoded, err := labelled(sol).Encode()
	if err != nil {
		return nil // what made it has said so
	}
	data, err := jsondata.Decode(encoded.Bytes())
	if err != nil {
		return nil
	}
	top := sol.Position(sol.Top, "")
	var problems diag.List
	whole := subject{"the solution", sol.Top, "", data, top, func(path []string) diag.Pos {
		if len(path) > 2 && path[0] == "deployments" {
			return sol.Position(path[1], "", afterArtifact(path[2:])...)
		}
		return sol.Position(sol.Top, "")
	}}
	problems = append(problems, s.check("solution", whole)...)
	for _, name := range targets.Keys(sol.Deployments) {
		for _, role := range targets.Keys(sol.Deployments[name].Artifact.Description.Role) {
			facts, _ := targets.At(data, "deployments", name, "artifact", "description", "role", role).(map[string]any)
			if targets.At(facts, "artifact", "description", "code") == nil {
				continue // a builtin runs nothing of its own
			}
			facts = maps.Clone(facts)
			facts["name"], facts["deployment"] = role, name
			problems = append(problems, s.check("role", subject{"role " + role + " of " + name, name, role, facts, top, func(path []string) diag.Pos {
				return sol.Position(name, role, afterArtifact(path)...)
			}})...)
		}
	}
	return problems.Sorted()
}

// labelled is a solution whose labels are all that say what it is: the template's and the
// environment's too, under its own.
func labelled(sol *solution.Solution) *solution.Solution {
	if len(sol.ObjectLabels) == 0 {
		return sol
	}
	out := *sol
	out.Labels = maps.Clone(sol.ObjectLabels)
	maps.Copy(out.Labels, sol.Labels)
	return &out
}

// Objects returns the problems of a target's objects that break a policy.
func (s *Set) Objects(sol *solution.Solution, objects []targets.Object) (problems diag.List) {
	if !s.about("object") {
		return nil
	}
	for _, o := range objects {
		value, err := jsondata.Of(o.Value)
		facts, isObject := value.(map[string]any)
		if err != nil || !isObject {
			continue
		}
		if _, ok := facts["kind"]; !ok { // of a stack
			facts["kind"] = o.Kind
		}
		deployment := o.Deployment
		if deployment == "" {
			deployment = sol.Top
		}
		problems = append(problems, s.check("object", subject{o.Kind + " " + o.Name, deployment, o.Role, facts, sol.Position(sol.Top, ""), func([]string) diag.Pos {
			return sol.Position(deployment, o.Role)
		}})...)
	}
	return problems.Sorted()
}

// about reports whether a policy is about one of these.
func (s *Set) about(kinds ...string) bool {
	return s != nil && filter.Any(s.policies, func(p *policy) bool { return filter.Contains(kinds, p.about) })
}

// afterArtifact turns a path of the solution file into one that [solution.Solution.Position]
// takes: without artifact.description.
func afterArtifact(path []string) []string {
	if len(path) > 1 && path[0] == "artifact" && path[1] == "description" {
		return path[2:]
	}
	return path
}

// check returns one problem for each policy that a subject breaks.
func (s *Set) check(about string, x subject) (problems diag.List) {
	text, err := json.Marshal(x.data)
	if err != nil {
		return nil
	}
	anything, facts := s.ctx.CompileString("_"), s.ctx.CompileBytes(text) // JSON is CUE
	for _, p := range s.policies {
		if p.about != about || !p.concerns(anything, facts, x.data) {
			continue
		}
		if d := p.broken(anything, facts, x); d != nil {
			problems = append(problems, d)
		}
	}
	return problems
}

// concerns reports whether a subject satisfies the policy's when.
func (p *policy) concerns(anything, facts cue.Value, data any) bool {
	when := p.value.LookupPath(cue.ParsePath("when"))
	v := when.UnifyAccept(facts, anything)
	return v.Validate(cue.Concrete(true)) == nil && missing(v, data, nil) == nil
}

// broken returns the problem of a subject that breaks the policy, nil if it does not.
func (p *policy) broken(anything, facts cue.Value, x subject) *diag.Diagnostic {
	around := anything.FillPath(cue.ParsePath(p.about), facts)
	v := p.value.UnifyAccept(around, anything).LookupPath(cue.ParsePath(p.about))
	wrong := p.wrong(v, x.data)
	if len(wrong) == 0 {
		return nil
	}
	var texts []string
	for _, f := range wrong {
		texts = append(texts, strings.TrimSpace(strings.Join(f.path, ".")+" "+f.what))
	}
	first := wrong[0].path
	pos := x.place(first)
	if value.IsStandIn(pos) {
		return nil // what is wrong there is told
	}
	d := diag.New(diag.PolicyBroken, pos, "%s breaks policy %s: %s (%s)", x.words, p.name, p.message, listed(texts))
	d.Severity = p.severity
	if x.top.IsValid() && x.top.Filename() != pos.Filename() {
		d.With(x.top, "it is deployed here")
	}
	return d.With(p.pos, "the policy is here").AtPath(append([]string{"deployments", x.deployment}, first...)...)
}

// wrongField is a field that violates a policy.
type wrongField struct {
	path []string
	what string
}

// wrong returns the fields that violate the policy, each once. A struct is left out if one
// of its fields is in the list. v is the policy's constraint unified with data.
func (p *policy) wrong(v cue.Value, data any) (out []wrongField) {
	say := func(path []string, what string) {
		for _, f := range out {
			if len(f.path) >= len(path) && slices.Equal(f.path[:len(path)], path) {
				return
			}
		}
		out = append(out, wrongField{path, what})
	}
	errs := errors.Errors(v.Validate(cue.Concrete(true)))
	sorting.By(errs, func(a, b errors.Error) int { return len(b.Path()) - len(a.Path()) })
	for _, err := range errs {
		path := below(err.Path(), p.about)
		switch found := targets.At(data, path...); found.(type) {
		case nil:
			say(path, "is missing")
		case map[string]any, []any:
			say(path, "does not fit")
		default:
			say(path, "is "+line(found)+asked(at(v, path)))
		}
	}
	for _, path := range missing(v, data, nil) {
		say(path, "is missing")
	}
	sorting.By(out, func(a, b wrongField) int { return slices.Compare(a.path, b.path) })
	return out
}

// place returns the position of the innermost field on a path that is in a file of the user's.
func (x subject) place(path []string) diag.Pos {
	for n := len(path); n >= 0; n-- {
		if pos := x.at(path[:n]); pos.IsValid() && !value.IsModel(pos) {
			return pos
		}
	}
	return x.top
}

// listed joins the first few texts, and counts the rest.
func listed(texts []string) string {
	const most = 3
	if len(texts) > most {
		return strings.Join(texts[:most], "; ") + fmt.Sprintf("; and %d more", len(texts)-most)
	}
	return strings.Join(texts, "; ")
}

// below returns the part of an error's path after a field of the policy.
func below(path []string, name string) []string {
	i := slices.Index(path, name)
	if i < 0 {
		return nil
	}
	out := slices.Clone(path[i+1:])
	for i, part := range out {
		if s, err := strconv.Unquote(part); err == nil {
			out[i] = s
		}
	}
	return out
}

// at looks up a path in a value; numbers are indices of lists.
func at(v cue.Value, path []string) cue.Value {
	for _, name := range path {
		next := v.LookupPath(cue.MakePath(cue.Str(name)))
		if i, err := strconv.Atoi(name); err == nil && !next.Exists() {
			next = v.LookupPath(cue.MakePath(cue.Index(i)))
		}
		v = next
	}
	return v
}

// asked describes the constraint in v, which is unified with concrete data: the conjuncts
// that are not concrete.
func asked(v cue.Value) string {
	op, parts := v.Expr()
	if op != cue.AndOp {
		return ", which does not fit"
	}
	var words []string
	for _, part := range parts {
		if part.IsConcrete() || part.Err() != nil {
			continue
		}
		if text := wording.Of(part.Eval()); text != "" && !filter.Contains(words, text) {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return ", which does not fit"
	}
	return ", and has to be " + strings.Join(words, " and ")
}

// missing returns the paths of fields that v has and data does not. v is a constraint
// unified with data, so these are the fields that the policy requires.
func missing(v cue.Value, data any, path []string) (out [][]string) {
	switch v.IncompleteKind() {
	case cue.StructKind:
		fields, err := fromcue.Fields(v)
		for err == nil && fields.Next() {
			name := fields.Name()
			at := append(path[:len(path):len(path)], name)
			if value := targets.At(data, name); value != nil || has(data, name) {
				out = append(out, missing(fields.Value(), value, at)...)
			} else {
				out = append(out, at)
			}
		}
	case cue.ListKind:
		items, err := v.List()
		for i := 0; err == nil && items.Next(); i++ {
			name := strconv.Itoa(i)
			out = append(out, missing(items.Value(), targets.At(data, name), append(path[:len(path):len(path)], name))...)
		}
	}
	return out
}

// line writes a scalar on one line.
func line(value any) string {
	if text, ok := value.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(value)
}

func has(data any, name string) bool {
	m, _ := data.(map[string]any)
	_, ok := m[name]
	return ok
}
