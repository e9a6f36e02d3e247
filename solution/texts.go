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
