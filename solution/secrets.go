package solution

import (
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/secretlike"
	"kumiki.dev/value"
)

// secretCheck looks for secrets whose values are in sources, where everybody who can
// read these can read them.
type secretCheck struct {
	*extractor
	at    map[diag.Pos]bool // what is reported
	found map[string]bool   // the secrets themselves
	names secretlike.Names
}

// checkSecrets warns of each place once, in the words that say most: what becomes an
// environment variable comes first, and what is made of other values last.
func (e *extractor) checkSecrets() {
	c := &secretCheck{extractor: e, at: map[diag.Pos]bool{}, found: map[string]bool{}}
	for _, check := range []func(*value.Node){c.variables, c.parameters, c.containers} {
		for _, n := range e.nodes {
			check(n)
		}
	}
	c.objects()
}

// A Secret of Kubernetes', and the fields that its values are in.
const secretKind = "Secret"

var secretSections = []string{"data", "stringData"}

// objects looks at those that go with the deployment: all that a Secret holds is one.
func (c *secretCheck) objects() {
	eachSecretObject(c.tree, func(object string, d *value.Data) {
		c.checkObject(d, true, "object %s is a Secret whose value is written here: register the secret, leave the object out, and let the artifact take a resource of type k.#Secret", object)
	})
	for _, o := range c.tree.Objects.Each() {
		o.Value.EachText([]string{o.Name}, func(path []string, d *value.Data) {
			name, isValue := secretlike.Path(path)
			c.checkObject(d, isValue && len(c.names.Find(name, d.Text)) > 0, "%s of object %s looks like a secret, and its value is written here: register the secret, and let the object refer to that", strings.Join(path[1:], "."), o.Name)
		})
	}
}

func (c *secretCheck) checkObject(d *value.Data, secret bool, format string, args ...any) {
	if !secret || d.Text == "" || c.at[d.Pos] {
		return
	}
	c.at[d.Pos] = true
	c.report(diag.Warn(diag.SecretInEnv, d.Pos, format, args...).AtPath("objects"))
}

// variables looks at parameters that become environment variables.
func (c *secretCheck) variables(n *value.Node) {
	eachVariable(n, func(env, parameter string, d *value.Data) {
		if c.finds(env, d) {
			c.warn(n, d, []string{"config", "parameter", parameter},
				"parameter %s becomes environment variable %s of component %s, which looks like a secret, and its value is written here: register it as a secret, and let the artifact take a resource of type k.#Secret", parameter, env, n.Called())
		}
	})
}

// parameters looks at the whole config.
func (c *secretCheck) parameters(n *value.Node) {
	at := []string{"config", "parameter"}
	n.Config.Get("parameter").EachText(at, func(path []string, d *value.Data) {
		if name, _ := secretlike.Path(path); c.finds(name, d) {
			c.warn(n, d, path, "parameter %s of %s looks like a secret, and its value is written here: register it as a secret, and let the artifact take a resource of type k.#Secret", strings.Join(path[len(at):], "."), n.Called())
		}
	})
}

// containers looks at what a component gives to its containers: variables, files,
// commands.
func (c *secretCheck) containers(n *value.Node) {
	n.Description.Get("code").EachText([]string{"code"}, func(path []string, d *value.Data) {
		if name, isValue := secretlike.Path(path); !isValue || !c.finds(name, d) {
			return
		}
		i := slices.Index(path, "mapping")
		switch {
		case i >= 0 && len(path) > i+2 && path[i+1] == "env":
			env := path[i+2]
			key := strings.ToLower(strings.ReplaceAll(env, "_", ""))
			c.warn(n, d, path[:i+3], "environment variable %s of component %s looks like a secret, and its value is written here: declare config: resource: %s: k.#Secret and write %s: secret: %q", env, n.Called(), key, env, key)
		case i >= 0 && len(path) > i+2:
			c.warn(n, d, path, "file %s of component %s has in it what looks like a secret: declare a resource of type k.#Secret, give it to an environment variable (secret: KEY), and let the file refer to that", path[i+2], n.Called())
		default:
			c.warn(n, d, path, "%s of component %s has in it what looks like a secret: declare a resource of type k.#Secret, give it to an environment variable (secret: KEY), and take it from there", strings.Join(path, "."), n.Called())
		}
	})
}

// finds reports whether a value under a name looks like a secret that has not been reported yet. A text that is
// made of other values contains their secrets, which are reported where they were given.
func (c *secretCheck) finds(name string, d *value.Data) bool {
	if d == nil || d.Kind != value.String {
		return false
	}
	found := c.names.Find(name, d.Text)
	if len(found) == 0 || c.at[d.Pos] || found[0] != d.Text && !filter.Any(found, func(s string) bool { return !c.found[s] }) {
		return false
	}
	c.at[d.Pos] = true
	for _, s := range found {
		c.found[s] = true
	}
	return true
}

// warn reports a secret at a path of an artifact. It copies the path.
func (c *secretCheck) warn(n *value.Node, d *value.Data, path []string, format string, args ...any) {
	path = slices.Clone(path)
	c.report(diag.Warn(diag.SecretInEnv, d.Pos, format, args...).AtPath(path...).In(n.Package.ImportPath(), path...))
}
