package spread

import "cmp"

// Called is the artifact's name for people: that of its reference, or the path
// of its package where that says none.
func (n *Node) Called() string {
	if n.Package == nil {
		return n.Ref.Name
	}
	return cmp.Or(n.Ref.Name, n.Package.Path)
}
