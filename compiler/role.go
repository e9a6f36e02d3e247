package compiler

import (
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// only is the tree of one of its roles, named by its path, as if its artifact were deployed by
// itself with the config that the levels above give it. What is said of the deployment as a
// whole is not the role's.
func only(t *value.Tree, path string) (*value.Tree, *diag.Diagnostic) {
	node, role := t.Root, (*value.Role)(nil)
	for _, name := range strings.Split(path, ".") {
		i := slices.IndexFunc(node.Roles, func(r *value.Role) bool { return r.Name == name })
		if i < 0 || node.Roles[i].Node == nil {
			return nil, diag.New(diag.UnknownRole, t.Pos, "there is no role %s%s", path, ways(t.Root))
		}
		role = node.Roles[i]
		node = role.Node
	}
	return &value.Tree{
		Name: t.Name + "." + path, Config: node.Config, Meta: value.OrEmpty(role.Meta), Root: node,
		Pos: role.Pos, Work: t.Work, Lent: t.Lent,
	}, nil
}

// ways lists the roles below a node, by their paths.
func ways(n *value.Node) string {
	var all []string
	var walk func(n *value.Node, path string)
	walk = func(n *value.Node, path string) {
		for _, r := range n.Roles {
			at := strings.TrimPrefix(path+"."+r.Name, ".")
			all = append(all, at)
			if r.Node != nil {
				walk(r.Node, at)
			}
		}
	}
	walk(n, "")
	if len(all) == 0 {
		return ": " + n.Called() + " is a component, which has none"
	}
	return ": there is " + strings.Join(all, ", ")
}
