// Package planedits is a table of changes of solutions, with what each does to the
// instances that run: by the model, and on each target. The tests of plan
// compare with it, and the tests on the targets' own servers compare it with
// what happens there.
package planedits

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Edit is a change of a solution with the classes that it has to get.
type Edit struct {
	// Name says in words what is changed.
	Name string
	// Base is the case of testdata/cases whose solution is.
	Base string
	// Want are the classes by place, under "model" and the names of targets that
	// differ from it; what is not named is unchanged.
	Want  map[string]map[string]string
	steps []step
}

// step sets a value, removes one, or moves or copies one to another place.
type step struct{ verb, path, to string }

//go:embed edits.txt
var table string

// All reads the table.
func All() ([]Edit, error) {
	var all []Edit
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		if verb == "edit" {
			base, name, _ := strings.Cut(rest, ": ")
			all = append(all, Edit{Name: name, Base: base, Want: map[string]map[string]string{}})
			continue
		}
		e := &all[len(all)-1]
		switch verb {
		case "set", "remove", "move", "copy":
			path, to, _ := strings.Cut(rest, " ")
			e.steps = append(e.steps, step{verb, e.long(path), e.long(to)})
		case "model", "kubernetes", "swarm":
			e.Want[verb] = map[string]string{}
			for _, word := range strings.Fields(rest) {
				place, class, _ := strings.Cut(word, "=")
				e.Want[verb][place] = class
			}
		default:
			return nil, fmt.Errorf("%s: %s", e.Name, line)
		}
	}
	return all, nil
}

// On are the classes on a target.
func (e Edit) On(target string) map[string]string {
	if want, ok := e.Want[target]; ok {
		return want
	}
	return e.Want["model"]
}

// long writes out what paths begin with: "@:" is the description of the top's
// artifact, "@ROLE/" a role of it, and "@ROLE:" the description of the role's
// artifact.
func (e *Edit) long(path string) string {
	short, ok := strings.CutPrefix(path, "@")
	if !ok {
		return path
	}
	top := strings.TrimPrefix(e.Base, "example-")
	description := "/deployments/" + top + "/artifact/description/"
	i := strings.IndexAny(short, ":/")
	role, rest := short[:i], short[i+1:]
	switch {
	case role == "":
		return description + rest
	case short[i] == ':':
		return description + "role/" + role + "/artifact/description/" + rest
	default:
		return strings.TrimSuffix(description+"role/"+role+"/"+rest, "/")
	}
}

// Base reads the expected solution of a case, from the directory of the cases,
// without what would have to fit the rest: the layout, the inputs, the digest.
func Base(dir, name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, name, "solution.json"))
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := decode(data, &doc); err != nil {
		return nil, err
	}
	for _, key := range []string{"layout", "digest", "inputs"} {
		delete(doc, key)
	}
	return json.Marshal(doc)
}

// Apply edits the JSON of a solution.
func (e Edit) Apply(text []byte) ([]byte, error) {
	var doc map[string]any
	if err := decode(text, &doc); err != nil {
		return nil, err
	}
	for _, s := range e.steps {
		if err := s.apply(doc); err != nil {
			return nil, fmt.Errorf("%s: %s %s: %w", e.Name, s.verb, s.path, err)
		}
	}
	return json.Marshal(doc)
}

func decode(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(into)
}

func (s step) apply(doc map[string]any) error {
	parent, last, err := descend(doc, s.path)
	if err != nil {
		return err
	}
	if s.verb == "set" {
		var v any
		err := decode([]byte(s.to), &v)
		parent[last] = v
		return err
	}
	value, ok := parent[last]
	if !ok {
		return fmt.Errorf("there is no %s", last)
	}
	if s.verb == "move" || s.verb == "copy" {
		to, name, err := descend(doc, s.to)
		if err != nil {
			return err
		}
		if to[name], err = clone(value); err != nil {
			return err
		}
	}
	if s.verb != "copy" {
		delete(parent, last)
	}
	return nil
}

func clone(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out any
	return out, decode(text, &out)
}

// descend finds the object that the last part of a path is a member of. Parts
// are between slashes; ~1 is a slash in one.
func descend(doc map[string]any, path string) (map[string]any, string, error) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	var at any = doc
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(part, "~1", "/")
		if i == len(parts)-1 {
			break
		}
		switch v := at.(type) {
		case map[string]any:
			at = v[parts[i]]
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n >= len(v) {
				return nil, "", fmt.Errorf("there is no item %s", part)
			}
			at = v[n]
		}
		if at == nil {
			return nil, "", fmt.Errorf("there is no %s", part)
		}
	}
	parent, ok := at.(map[string]any)
	if !ok {
		return nil, "", errors.New("it is in no object")
	}
	return parent, parts[len(parts)-1], nil
}
