package solution

import (
	"maps"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/secretlike"
	"kumiki.dev/internal/sorting"
)

// Secrets warns of what looks like a secret in a solution that comes from a file: a
// compiled one is told where the values are written, see [Extract].
func (s *Solution) Secrets() diag.List {
	var problems diag.List
	for _, deployment := range keys(s.Deployments) {
		roles := s.Deployments[deployment].Artifact.Description.Role
		for _, role := range keys(roles) {
			code := roles[role].Artifact.Description.Code
			at := []string{"deployments", deployment, "artifact", "description", "role", role, "artifact", "description", "code"}
			for _, key := range keys(code) {
				for _, found := range code[key].secrets() {
					problems = append(problems, diag.Warn(diag.SecretInEnv, s.Position(deployment, role, append([]string{"code", key}, found.path...)...),
						"%s of role %s of %s looks like a secret, and its value is in the solution: register it as a secret, and let the artifact take a resource of type k.#Secret", found.what, role, deployment).
						AtPath(append(append(slices.Clip(at), key), found.path...)...))
				}
			}
		}
	}
	for _, name := range keys(s.Objects) {
		if kind, _ := s.Objects[name].(map[string]any)["kind"].(string); kind == secretKind && holdsValues(s.Objects[name]) || hasSecret("", s.Objects[name]) {
			problems = append(problems, diag.Warn(diag.SecretInEnv, s.ObjectPosition(name), "object %s looks as if it had a secret in it, whose value is in the solution: register the secret, and let the object refer to that", name).AtPath("objects", name))
		}
	}
	return problems.Without(s.Acknowledged)
}

// holdsValues reports whether a Secret has values.
func holdsValues(object any) bool {
	m, _ := object.(map[string]any)
	return filter.Any(secretSections, func(section string) bool { values, _ := m[section].(map[string]any); return len(values) > 0 })
}

// told is a part of a container that has a secret in it.
type told struct {
	what string
	path []string
}

func (c *Container) secrets() []told {
	var out []told
	for _, name := range keys(c.Mapping.Env) {
		if v := c.Mapping.Env[name].Value; v != nil && secretlike.Is(name, *v) {
			out = append(out, told{"environment variable " + name, []string{"mapping", "env", name}})
		}
	}
	for _, target := range keys(c.Mapping.Filesystem) {
		if data := c.Mapping.Filesystem[target].Data; data != nil && hasSecret("", data.Value) {
			out = append(out, told{"file " + target, []string{"mapping", "filesystem", target}})
		}
	}
	for field, words := range map[string][]string{"cmd": c.Cmd, "entrypoint": c.Entrypoint} {
		if filter.Any(words, func(word string) bool { return secretlike.Is("", word) }) {
			out = append(out, told{field, []string{field}})
		}
	}
	sorting.By(out, func(a, b told) int { return strings.Compare(a.what, b.what) })
	return out
}

// hasSecret reports whether any text of a file's data looks like a secret.
func hasSecret(name string, value any) bool {
	switch v := value.(type) {
	case string:
		return secretlike.Is(name, v)
	case map[string]any:
		return filter.Any(slices.Collect(maps.Keys(v)), func(key string) bool { return hasSecret(key, v[key]) })
	case []any:
		return filter.Any(v, func(item any) bool { return hasSecret(name, item) })
	}
	return false
}
