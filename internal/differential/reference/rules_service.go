package reference

import (
	"encoding/json"
	"slices"
)

// serviceRules are those of services alone: scale, connectors and version sets.
func (s *spreader) serviceRules(n *Node) {
	for _, role := range keys(get(n.Config, "scale", "detail")) {
		s.check(n.Roles[role] != nil, "solution/unknown-role", "scale.detail names role %s", role)
	}
	sets := n.Description["vset"]
	for _, name := range keys(sets) {
		s.versionRules(n, name, get(sets, name))
	}
	starts := map[[2]string]bool{}
	for _, name := range keys(n.Description["connect"]) {
		c := get(n.Description, "connect", name)
		from, to := get(c, "from"), get(c, "to")
		s.check(len(keys(from)) > 0 && len(keys(to)) > 0, "solution/empty-connector", "connector %s lacks an end", name)
		var clients, servers []any
		for _, role := range keys(from) {
			channel, _ := get(from, role).(string)
			clients = append(clients, s.end(n, role, channel, "client"))
			s.check(!starts[[2]string{role, channel}], "solution/connected-twice", "%s of %s starts two connectors", channel, role)
			starts[[2]string{role, channel}] = true
		}
		for _, role := range keys(to) {
			s.check(len(keys(get(to, role))) > 0, "solution/empty-connector", "connector %s goes to no channel of %s", name, role)
			for _, channel := range keys(get(to, role)) {
				_, isStruct := get(to, role, channel).(map[string]any)
				s.check(isStruct, "solution/shape", "the facts of %s are no struct", channel)
				if set := get(sets, role); set != nil {
					_, _, ok := ofSet(set, channel)
					s.check(ok, "solution/unknown-channel", "version set %s has no channel %s", role, channel)
					continue
				}
				servers = append(servers, s.end(n, role, channel, "server"))
			}
		}
		for _, a := range clients {
			for _, b := range servers {
				s.check(a == nil || b == nil || (a == "udp") == (b == "udp"), "solution/wrong-protocol", "connector %s joins %s with %s", name, a, b)
			}
		}
	}
}

// end is the protocol of a channel at the end of a connector, nil if there is no
// such channel or it is on the wrong side. From within, the service's own channels
// have the other side.
func (s *spreader) end(n *Node, role, channel, side string) any {
	srv, other := n.Description["srv"], map[string]string{"client": "server", "server": "client"}
	if role == "self" {
		side = other[side]
	} else {
		r := n.Roles[role]
		if !s.check(r != nil, "solution/unknown-role", "there is no role %s", role) || r.Node == nil {
			return nil
		}
		srv = r.Node.Description["srv"]
	}
	for _, good := range []string{side, "duplex"} {
		if ch := get(srv, good, channel); ch != nil {
			return get(ch, "protocol")
		}
	}
	s.check(get(srv, other[side], channel) == nil, "solution/wrong-side", "channel %s of %s is no %s channel", channel, role, side)
	s.check(get(srv, other[side], channel) != nil, "solution/unknown-channel", "%s has no channel %s", role, channel)
	return nil
}

// ofSet is a channel that a version set offers.
func ofSet(set any, channel string) (side string, ch any, ok bool) {
	for _, side := range []string{"server", "duplex"} {
		if ch := get(set, "srv", side, channel); ch != nil {
			return side, ch, true
		}
	}
	return "", nil, false
}

func (s *spreader) versionRules(n *Node, name string, set any) {
	s.check(n.Roles[name] == nil, "solution/shape", "version set %s is called like a role", name)
	roles := get(set, "roles")
	s.check(len(keys(roles)) > 0, "solution/empty-connector", "version set %s has no roles", name)
	offered := slices.Concat(keys(get(set, "srv", "server")), keys(get(set, "srv", "duplex")))
	for _, role := range keys(roles) {
		if !s.check(n.Roles[role] != nil, "solution/unknown-role", "version set %s names role %s", name, role) || n.Roles[role].Node == nil {
			continue
		}
		for _, channel := range keys(get(roles, role, "map")) {
			s.check(slices.Contains(offered, channel), "solution/unknown-channel", "version set %s has no channel %s", name, channel)
		}
		for _, channel := range offered {
			srv, target := n.Roles[role].Node.Description["srv"], mapped(get(roles, role), channel)
			s.check(get(srv, "server", target) != nil || get(srv, "duplex", target) != nil, "solution/unknown-channel", "%s has no server channel %s", role, target)
		}
	}
}

// mapped is the channel of a version that stands for one of its set.
func mapped(version any, channel string) string {
	if name, ok := get(version, "map", channel).(string); ok && name != "" {
		return name
	}
	return channel
}

var _ json.Number
