// Package late fills the values of solutions that were not known when those were made, from
// what runs: objects as kubectl get -o json or docker inspect print them.
package late

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// Options say what is filled, and from where.
type Options struct {
	// Namespace is that of the objects; "" where there is only one of a name.
	Namespace string
	// Partial leaves values open whose objects are not there, or do not have them yet.
	Partial bool
}

// Fill returns the solution with the late values that objects have, and a new digest. Those of
// channels are for a target to fill. The solution is nil if any of the problems is an error.
func Fill(s *solution.Solution, objects []Object, o Options) (*solution.Solution, diag.List) {
	var problems diag.List
	values := map[int]any{}
	for i, l := range s.Late {
		if l.Channel != nil {
			continue
		}
		v, missing, wrong := find(l, objects, o)
		if missing != "" && o.Partial {
			continue
		}
		code := diag.LateUnfilled
		if wrong == "" && missing == "" {
			wrong, code = Check(l.Type, v), diag.LateType
		}
		if text := missing + wrong; text != "" {
			problems = append(problems, diag.New(code, diag.NoPos, "%s of %s is %s of deployment %s: %s", l.At, s.Top, l.Field, l.Deployment, text).AtPath("late", strconv.Itoa(i)))
			continue
		}
		values[i] = v
	}
	if problems.HasErrors() {
		return nil, problems
	}
	out, err := s.Fill(values)
	if err != nil {
		return nil, append(problems, diag.New(diag.BadSolution, diag.NoPos, "the values do not fit into the solution: %v", err))
	}
	out.Digest = ""
	if more := solution.Verify(out); more.HasErrors() {
		return nil, append(problems, more...)
	}
	if out.Digest, err = out.ContentDigest(); err != nil {
		return nil, append(problems, diag.New(diag.Internal, diag.NoPos, "%v", err))
	}
	return out, problems
}

// Object is something that runs, as data.
type Object struct {
	Kind, Name, Namespace string
	Labels                map[string]any
	Data                  map[string]any
}

// Read reads objects: one, a list of kubectl's, an array as docker inspect prints it, or
// several of these one after the other.
func Read(text []byte) ([]Object, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var out []Object
	for {
		var data any
		err := dec.Decode(&data)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		more, err := objectsIn(data, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
}

// maxLists is how deep lists of objects may lie in each other.
const maxLists = 10

func objectsIn(data any, depth int) ([]Object, error) {
	items, isList := data.([]any)
	m, isObject := data.(map[string]any)
	if inner, ok := m["items"].([]any); ok && strings.HasSuffix(text(m["kind"]), "List") {
		items, isList = inner, true
	}
	switch {
	case depth > maxLists:
		return nil, errors.New("lists of objects lie in each other without end")
	case isList:
		var out []Object
		for _, item := range items {
			more, err := objectsIn(item, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
		return out, nil
	case !isObject:
		return nil, fmt.Errorf("it has a %s where an object is expected, as kubectl get -o json or docker inspect print it", kindOf(data))
	}
	return []Object{objectOf(m)}, nil
}

// objectOf tells what an object is called, on Kubernetes or by Docker.
func objectOf(m map[string]any) Object {
	if meta, ok := m["metadata"].(map[string]any); ok {
		labels, _ := meta["labels"].(map[string]any)
		return Object{text(m["kind"]), text(meta["name"]), text(meta["namespace"]), labels, m}
	}
	spec, _ := m["Spec"].(map[string]any)
	labels, _ := spec["Labels"].(map[string]any)
	o := Object{Name: text(spec["Name"]), Labels: labels, Data: m}
	has := func(m map[string]any, keys ...string) bool {
		return !filter.Any(keys, func(key string) bool { _, ok := m[key]; return !ok })
	}
	switch {
	case has(spec, "TaskTemplate"):
		o.Kind = "service"
	case has(m, "Description", "Status"):
		description, _ := m["Description"].(map[string]any)
		o.Kind, o.Name = "node", text(description["Hostname"])
	case has(m, "State", "Config"):
		config, _ := m["Config"].(map[string]any)
		o.Kind, o.Name = "container", strings.TrimPrefix(text(m["Name"]), "/")
		o.Labels, _ = config["Labels"].(map[string]any)
	case has(m, "IPAM"):
		o.Kind, o.Name = "network", text(m["Name"])
		o.Labels, _ = m["Labels"].(map[string]any)
	case has(m, "Mountpoint"):
		o.Kind, o.Name = "volume", text(m["Name"])
		o.Labels, _ = m["Labels"].(map[string]any)
	case has(spec, "Data"):
		o.Kind = "config"
	default:
		o.Kind = "secret"
	}
	return o
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// find looks a value up. Missing says that it is not there yet, wrong that it can never be
// this one.
func find(l solution.Late, objects []Object, o Options) (v any, missing, wrong string) {
	kind, name, path, ok := solution.SplitObject(l.Field)
	if !ok {
		return nil, "", "that is no field of an object"
	}
	if strings.EqualFold(kind, "secret") {
		return nil, "", "what is in a secret stays in the cluster, and is in no solution"
	}
	var found []Object
	for _, x := range objects {
		if strings.EqualFold(x.Kind, kind) && x.Name == name && (o.Namespace == "" || x.Namespace == o.Namespace || x.Namespace == "") {
			found = append(found, x)
		}
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Sprintf("the live objects have no %s/%s%s%s", kind, name, in(o.Namespace), others(kind, objects)), ""
	case len(found) > 1 && found[0].Namespace != found[1].Namespace:
		return nil, "", fmt.Sprintf("there is a %s/%s in namespaces %s and %s: say -n", kind, name, found[0].Namespace, found[1].Namespace)
	}
	x := found[len(found)-1] // of several states of an object, the last
	if owner, ok := x.Labels[targets.DeploymentLabel].(string); ok && !targets.OfDeployment(owner, l.Deployment) {
		return nil, "", fmt.Sprintf("%s/%s is an object of deployment %s", kind, name, owner)
	}
	v, missing = lookup(x.Data, path)
	if missing != "" {
		return nil, fmt.Sprintf("%s/%s has no %s", kind, name, missing), ""
	}
	switch v.(type) {
	case map[string]any, []any:
		return nil, "", fmt.Sprintf("it is a %s, and has to be a single value: go on to one in it", kindOf(v))
	}
	return v, "", ""
}

func in(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// others says which objects of a kind there are.
func others(kind string, objects []Object) string {
	var names []string
	for _, x := range objects {
		if strings.EqualFold(x.Kind, kind) {
			names = append(names, x.Name)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > mostNamed {
		names = append(names[:mostNamed], "…")
	}
	if len(names) == 0 {
		return ""
	}
	return "; there is " + strings.Join(names, ", ")
}

// mostNamed is how many names a message has.
const mostNamed = 8

// lookup follows a path; missing is the part of it that is not there.
func lookup(data any, path []string) (v any, missing string) {
	for i, name := range path {
		so := strings.TrimPrefix(strings.ReplaceAll("."+strings.Join(path[:i+1], "."), ".[", "["), ".")
		switch x := data.(type) {
		case map[string]any:
			next, ok := x[name]
			if !ok || next == nil {
				return nil, so
			}
			data = next
		case []any:
			n, err := strconv.Atoi(strings.Trim(name, "[]"))
			if err != nil || !strings.HasPrefix(name, "[") || n >= len(x) || x[n] == nil {
				return nil, so
			}
			data = x[n]
		default:
			return nil, so
		}
	}
	return data, ""
}

// kindOf names the type of plain data.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "bool"
	case json.Number:
		return "number"
	case []any:
		return "list"
	}
	return "struct"
}
