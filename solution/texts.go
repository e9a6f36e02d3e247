package solution

import "kumiki.dev/value"

// Texts tells of the texts that a tree of roles has in configs and containers, each with
// the path of its field in the artifact that it is of, in no certain order.
func Texts(t *value.Tree, tell func(path []string, text string)) {
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
	t.Objects.EachText([]string{"objects"}, told)
	eachSecretObject(t, func(_ string, d *value.Data) { tell([]string{"password"}, d.Text) })
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

// eachSecretObject goes through the values of the Secrets among the objects that go with a
// deployment.
func eachSecretObject(t *value.Tree, do func(object string, d *value.Data)) {
	for _, o := range t.Objects.Each() {
		if o.Value.Get("kind").Str() != secretKind {
			continue
		}
		for _, section := range secretSections {
			o.Value.Get(section).EachText(nil, func(_ []string, d *value.Data) { do(o.Name, d) })
		}
	}
}
