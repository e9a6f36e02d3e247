package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/assist"
	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
	"kumiki.dev/value"
)

// explained are the targets whose objects why can explain, by the values of -t.
var explained = map[string]struct {
	// plain is an object as data.
	plain func(targets.Object) (map[string]any, error)
	// origin is the path of the value that a field of an object was made of, below
	// its role.
	origin func(*solution.Solution, targets.Object, []string) []string
}{
	"kubernetes": {kubernetes.Plain, kubernetes.Origin},
}

// whyObject explains a field of an object, KIND/NAME:FIELD: first what it is,
// then what it was made of. Problems of the lowering are not the question, and
// not printed unless they are errors.
func whyObject(s streams, f lowerFlags, result *compiler.Result, path string) ([]assist.Step, error) {
	t, err := f.check()
	if err != nil {
		return nil, err
	}
	how, ok := explained[f.target]
	if !ok {
		return nil, fmt.Errorf("why -t %s: objects of %s can be explained", f.target, strings.Join(sorting.Ordered(explained), ", "))
	}
	id, field, ok := strings.Cut(path, ":")
	if !ok || field == "" {
		return nil, fmt.Errorf("%s: with -t, PATH is KIND/NAME:FIELD, such as Deployment/shop-front:spec.replicas", path)
	}
	objects, err := t.objects(s, result.Solution, f.options)
	if err != nil {
		return nil, err
	}
	o, err := object(objects, id)
	if err != nil {
		return nil, err
	}
	plain, err := how.plain(o)
	if err != nil {
		return nil, err
	}
	value, names, err := targets.Field(plain, field)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	first := assist.Step{What: "kumiki's own", Field: path, Value: dataOf(value)}
	if o.Deployment != "" {
		first.What += ", for " + o.Deployment
	}
	below := how.origin(result.Solution, o, names)
	if below == nil {
		return []assist.Step{first}, nil
	}
	steps := whyBelow(result, o, below)
	if len(steps) == 0 {
		first.What += "; " + strings.Join(below, ".") + " would say otherwise"
		return []assist.Step{first}, nil
	}
	first.What = "made of " + steps[0].Field
	for i := range steps {
		steps[i].Depth++
	}
	return append([]assist.Step{first}, steps...), nil
}

// whyBelow explains the value at a path below an object's role, or the innermost
// one around it that there is.
func whyBelow(result *compiler.Result, o targets.Object, below []string) []assist.Step {
	roles := rolesOf(result.Solution.Layout, o.Deployment, o.Role)
	if below[0] == "meta" {
		return whyMeta(result.Solution, o, roles, below)
	}
	tries := [][]string{append(slices.Clone(below), "parameter")} // a variable's value is a parameter's
	for end := len(below); end > 1; end-- {
		tries = append(tries, below[:end])
	}
	for _, try := range tries {
		var words []string
		for _, name := range append(slices.Clone(roles), try...) {
			words = append(words, strconv.Quote(name))
		}
		if steps, err := assist.Why(nil, result.Tree, strings.Join(words, ".")); err == nil {
			return steps
		}
	}
	return nil
}

// whyMeta finds a hint in a role's meta, which is the service's that has the
// role; nil if it is not there.
func whyMeta(s *solution.Solution, o targets.Object, roles, below []string) []assist.Step {
	d := s.Deployments[o.Deployment]
	if d == nil || d.Artifact.Description.Role[o.Role] == nil {
		return nil
	}
	value := d.Artifact.Description.Role[o.Role].Meta
	for _, name := range below[1:] {
		members, _ := value.(map[string]any)
		if value = members[name]; value == nil {
			return nil
		}
	}
	return []assist.Step{{
		What: "role " + o.Role + " of " + d.Artifact.Ref.Kind + " " + d.Artifact.Ref.Name, Field: strings.Join(append(roles, below...), "."),
		Value: dataOf(value), Pos: s.Position(o.Deployment, o.Role, below...),
	}}
}

// rolesOf is the way from the deployed artifact to a role: names of roles.
func rolesOf(l *solution.Layout, deployment, role string) []string {
	if l == nil || l.Deployment == deployment && l.Role == role {
		return nil
	}
	for _, name := range sorting.Ordered(l.Roles) {
		next := l.Roles[name]
		if next.Deployment == deployment && next.Role == role {
			return []string{name}
		}
		if way := rolesOf(next, deployment, role); way != nil {
			return append([]string{name}, way...)
		}
	}
	return nil
}

// dataOf is plain data in the form that steps have.
func dataOf(x any) *value.Data {
	switch v := x.(type) {
	case string:
		return value.NewString(diag.NoPos, v)
	case map[string]any:
		var fields []value.Field
		for name, member := range v {
			fields = append(fields, value.Field{Name: name, Value: dataOf(member)})
		}
		return value.NewStruct(diag.NoPos, fields...)
	case []any:
		list := &value.Data{Kind: value.List}
		for _, item := range v {
			list.Items = append(list.Items, dataOf(item))
		}
		return list
	case bool:
		return &value.Data{Kind: value.Bool, Text: strconv.FormatBool(v)}
	case json.Number: // which need not be a whole one
		return &value.Data{Kind: value.Float, Text: v.String()}
	default:
		return &value.Data{Kind: value.Null, Text: "null"}
	}
}
