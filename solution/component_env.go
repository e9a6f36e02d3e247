package solution

import (
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// env makes an environment variable; a parameter becomes its value as text.
func (c *componentOf) env(name string, d *value.Data) *Env {
	var forms []string
	for _, f := range d.Each() {
		forms = append(forms, f.Name)
	}
	if len(forms) != 1 {
		found := "nothing"
		if len(forms) > 0 {
			found = strings.Join(forms, " and ")
		}
		c.report(diag.New(diag.EnvForm, d.Pos, "environment variable %s of %s has %s: give it exactly one of value, parameter, secret, domain, port, certificate, ca", name, c.what(), found).
			AtPath(c.at("mapping", "env", name)...))
		return &Env{}
	}
	form := forms[0]
	key := d.Get(form)
	if form == "parameter" {
		return c.text(c.parameter(name, key))
	}
	out := decoded[Env](c, d, "env", name)
	if form == "value" {
		c.checkText("environment variable "+name, key, c.at("mapping", "env", name)...)
	} else {
		c.resource("environment variable "+name, key, form, "mapping", "env", name, form)
	}
	return out
}

// text returns a variable with the given value. Components share equal variables.
func (e *extractor) text(s string) *Env {
	known := e.texts[s]
	if known == nil {
		known = &Env{Value: &s}
		e.texts[s] = known
	}
	return known
}

// parameter is the text of the parameter that an environment variable shows:
// strings as they are, anything else as JSON writes it.
func (c *componentOf) parameter(env string, key *value.Data) string {
	parameters := c.node.Config.Get("parameter")
	given := given(c.node, key.Str())
	if given == nil && !isPartly(parameters) {
		c.report(diag.New(diag.UnknownKey, key.Pos, "environment variable %s of %s takes parameter %s, which config.parameter does not have%s", env, c.what(), key.Str(), hint(key.Str(), names(parameters))).
			AtPath(c.at("mapping", "env", env, "parameter")...))
	}
	if given == nil {
		return ""
	}
	if given.Kind == value.String {
		c.checkText("environment variable "+env, given, c.at("mapping", "env", env)...)
		return given.Text
	}
	return given.JSON()
}

// given is the value of a parameter, whose name may be a path with dots; nil for none.
func given(n *value.Node, name string) *value.Data {
	parameters := n.Config.Get("parameter")
	if d := parameters.Get(name); d != nil {
		return d
	}
	return parameters.Get(strings.Split(name, ".")...)
}

// isPartly reports whether a mistake hides what a section of a config has besides what
// is known.
func isPartly(section *value.Data) bool { return section == nil || value.IsStandIn(section.Pos) }

// resource checks that key, at a path in the container, names a resource of the
// kind in config.
func (c *componentOf) resource(user string, key *value.Data, kind string, path ...string) {
	resources := c.node.Config.Get("resource")
	r := resources.Get(key.Str())
	if r == nil {
		r = resources.Get(strings.Split(key.Str(), ".")...)
	}
	switch {
	case r != nil && r.HasStandIn() && len(names(r)) == 0: // the stand-in of a resource is one of its kind
	case r == nil && isPartly(resources):
	case r == nil:
		c.report(diag.New(diag.UnknownKey, key.Pos, "%s of %s uses resource %s, which config.resource does not have%s", user, c.what(), key.Str(), hint(key.Str(), names(resources))).
			With(resources.Pos, "the component's resources").AtPath(c.at(path...)...))
	case r.Get(kind) == nil:
		d := diag.New(diag.WrongKind, key.Pos, "%s of %s uses resource %s as a %s, but it is a %s", user, c.what(), key.Str(), kind, strings.Join(names(r), ", "))
		if !value.IsStandIn(r.Pos) {
			d.With(r.Pos, "the resource")
		}
		c.report(d.AtPath(c.at(path...)...))
	}
}
