package solution

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/value"
)

// Texts tells of all texts that a solution gives to its roles, each with the path of its
// field in the artifact that it is of, in no certain order.
func (s *Solution) Texts(tell func(path []string, text string)) {
	if s == nil {
		return
	}
	t := teller{tell, map[*Artifact]bool{}}
	for name, d := range s.Deployments {
		tell([]string{"name"}, name)
		t.value([]string{"meta"}, d.Meta)
		t.config(d.Config)
		t.artifact(d.Artifact)
	}
}

// TreeTexts does what [Solution.Texts] does for a tree of roles.
func TreeTexts(t *value.Tree, tell func(path []string, text string)) {
	if t == nil {
		return
	}
	told := func(path []string, d *value.Data) { tell(path, d.Text) }
	done := map[*value.Node]bool{}
	var node func(n *value.Node)
	node = func(n *value.Node) {
		if n == nil || done[n] {
			return
		}
		done[n] = true
		n.Config.Get("parameter").EachText([]string{"config", "parameter"}, told)
		n.Description.Get("code").EachText([]string{"code"}, told)
		eachVariable(n, func(env, _ string, d *value.Data) { d.EachText([]string{"env", env, "value"}, told) })
		for _, r := range n.Roles {
			tell([]string{"name"}, r.Name)
			node(r.Node)
		}
	}
	tell([]string{"name"}, t.Name)
	node(t.Root)
}

// eachVariable goes through the parameters that become environment variables, nil for
// one that is not there.
func eachVariable(n *value.Node, do func(env, parameter string, d *value.Data)) {
	for _, container := range n.Description.Get("code").Each() {
		for _, env := range container.Value.Get("mapping", "env").Each() {
			if parameter := env.Value.Get("parameter").Str(); parameter != "" {
				do(env.Name, parameter, given(n, parameter))
			}
		}
	}
}

// teller tells of texts, and of those of an artifact once.
type teller struct {
	tell func(path []string, text string)
	done map[*Artifact]bool
}

func (t teller) artifact(a *Artifact) {
	if a == nil || t.done[a] {
		return
	}
	t.done[a] = true
	t.config(a.Description.Config)
	for name, r := range a.Description.Role {
		t.tell([]string{"name"}, name)
		t.value([]string{"meta"}, r.Meta)
		t.artifact(r.Artifact)
	}
	for name, c := range a.Description.Code {
		t.container([]string{"code", name}, c)
	}
}

func (t teller) config(c Config) {
	t.value([]string{"config", "parameter"}, c.Parameter)
}

func (t teller) container(at []string, c *Container) {
	t.tell(below(at, "image", "tag"), c.Image.Tag)
	for _, words := range [][]string{c.Entrypoint, c.Cmd, {strings.Join(c.Cmd, " ")}} { // of two words, the first may say what the second is
		for _, word := range words {
			t.tell(below(at, "cmd"), word)
		}
	}
	for name, env := range c.Mapping.Env {
		if env.Value != nil {
			t.tell(below(at, "mapping", "env", name, "value"), *env.Value)
		}
	}
	for path, file := range c.Mapping.Filesystem {
		if file.Data != nil {
			t.value(below(at, "mapping", "filesystem", path, "data", "value"), file.Data.Value)
		}
	}
}

// value tells of the texts in a value as JSON has it.
func (t teller) value(at []string, v any) {
	switch v := v.(type) {
	case string:
		t.tell(at, v)
	case []any:
		for i, item := range v {
			t.value(below(at, "["+strconv.Itoa(i)+"]"), item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			t.value(below(at, name), v[name])
		}
	}
}

func below(path []string, names ...string) []string { return append(slices.Clip(path), names...) }
