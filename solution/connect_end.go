package solution

import (
	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// placedAt is d with a place that a reader can edit: that of the first of the
// others which has one, if it was itself left to the model.
func placedAt(d *value.Data, others ...*value.Data) *value.Data {
	for _, o := range others {
		if d.Pos.IsValid() && !value.IsModel(d.Pos) {
			break
		}
		moved := *d
		moved.Pos = o.Pos
		d = &moved
	}
	return d
}

// promoted is where an end lies in the flat service: a channel of a role that
// is a deployment of its own has become one of the service itself.
func (t *topology) promoted(end Endpoint) Endpoint {
	r := t.roles[end.Role]
	if r == nil || r.Node.Ref.Kind == "component" && !r.Node.Builtin {
		return end
	}
	return Endpoint{Role: self, Channel: end.Role + "." + end.Channel}
}

// srvOf returns the channels of a role, or of the service for self.
func (t *topology) srvOf(connector, side, role string, at *value.Data) (Srv, bool) {
	if role == self {
		return t.srv(t.node), true
	}
	r, ok := t.roles[role]
	if !ok {
		names := append(sorting.Ordered(t.roles), self)
		for _, set := range t.node.Description.Get("vset").Each() {
			names = append(names, set.Name)
		}
		d := diag.New(diag.UnknownRole, at.Pos, "connector %s of %s goes %s role %s, which the service does not have%s", connector, t.what(), side, role, hint(role, names))
		t.renaming(d, role, names)
		t.report(d.AtPath(t.field("connect", connector, side, role)...))
		return Srv{}, false
	}
	if r.Node == nil || r.Node.Unknown {
		return Srv{}, false // its channels are not known; that is reported
	}
	return t.srv(r.Node), true
}

// find reports whether one of the good maps has the channel, and reports it if
// not: as the wrong side of a connector, or as unknown.
func (t *topology) find(connector, side, role, ch string, at *value.Data, good []map[string]*Channel, wrong map[string]*Channel) bool {
	var names []string
	for _, m := range good {
		if m[ch] != nil {
			return true
		}
		names = append(names, sorting.Ordered(m)...)
	}
	path := t.field("connect", connector, side, role)
	wanted := "client"
	if (side == "to") != (role == self) {
		wanted = "server"
	}
	if wrong[ch] != nil {
		is := map[string]string{"client": "server", "server": "client"}[wanted]
		t.report(diag.New(diag.WrongSide, at.Pos, "connector %s goes %s channel %s of %s, which is a %s channel: a connector goes %s a %s channel there%s",
			connector, side, ch, t.end(role), is, side, wanted, listing(names)).AtPath(path...))
		return false
	}
	t.report(diag.New(diag.UnknownChannel, at.Pos, "connector %s goes %s channel %s, but %s has no %s channel of that name%s",
		connector, side, ch, t.end(role), wanted, hint(ch, names)).AtPath(path...).AboutChannel(t.packageOf(role), ch))
	return false
}

// packageOf is the import path of what a role runs, "" if nothing is known of it.
func (t *topology) packageOf(role string) string {
	node := t.node
	if r := t.roles[role]; role != self && r != nil {
		node = r.Node
	}
	if node == nil || node.Package == nil {
		return ""
	}
	return node.Package.ImportPath()
}
