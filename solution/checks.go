package solution

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/distribution/reference"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// checkEnvName reports a variable that no process can be given.
func (c *componentOf) checkEnvName(f value.Field) {
	if !isEnvName(f.Name) {
		c.report(diag.New(diag.Shape, f.Value.Pos, "environment variable %q of %s: the name of a variable is not empty, and has no = in it", f.Name, c.what()).
			AtPath(c.at("mapping", "env", f.Name)...))
	}
}

// checkImage reports an image that no runtime can be asked for.
func (c *componentOf) checkImage(container string, image *value.Data, i Image) {
	wrong := i.wrong()
	if wrong == nil {
		return
	}
	at := append([]string{"image"}, wrong.path...)
	c.report(diag.New(diag.Shape, image.Get(wrong.path...).Pos, "%s %q of container %s of %s %s", wrong.what, wrong.text, container, c.what(), wrong.why).
		AtPath(append([]string{"code", container}, at...)...))
}

// wrongImage is a part of an image's name that cannot be one.
type wrongImage struct {
	path []string // below the image
	what string   // what is there
	text string
	why  string
}

// wrong finds the first part of an image's name with which no runtime can ask for it,
// nil for none.
func (i Image) wrong() *wrongImage {
	if err := referenceError(i.Tag, i.Tag); err != nil {
		return &wrongImage{[]string{"tag"}, "image", i.Tag, fmt.Sprintf("is no reference to one (%v): it is [HOST[:PORT]/]NAME[:TAG][@DIGEST], and the name has small letters only", err)}
	}
	if referenceError(i.Digest, "image@"+i.Digest) != nil {
		return &wrongImage{[]string{"digest"}, "digest", i.Digest, "is no digest: it is sha256: and 64 hexadecimal digits, as docker pull prints it"}
	}
	if referenceError(i.Hub.Name, strings.TrimSuffix(i.Hub.Name, "/")+"/image") != nil {
		return &wrongImage{[]string{"hub", "name"}, "registry", i.Hub.Name, "is no registry: it is HOST[:PORT], such as ghcr.io, without https://"}
	}
	return nil
}

// referenceError says what is wrong with the reference to an image that is made of a part of its name; nil if the part is empty.
func referenceError(part, ref string) error {
	if part == "" {
		return nil
	}
	_, err := reference.ParseNormalizedNamed(ref)
	return err
}

// What no text that a process is given can have in it.
const nul, hasNUL = "\x00", "has a NUL character in it (\\u0000)"

// checkText reports a text that no process can be given: in the kernel's words it would end
// in its middle.
func (c *componentOf) checkText(what string, text *value.Data, at ...string) {
	if strings.Contains(text.Str(), nul) {
		c.report(diag.New(diag.Shape, text.Pos, "%s of %s %s, where it would end for the process: leave it out", what, c.what(), hasNUL).AtPath(at...))
	}
}

// checkWords reports words of a command that no process can be given.
func (c *componentOf) checkWords(field string, words *value.Data) {
	if words == nil {
		return
	}
	for i, x := range words.Members() {
		c.checkText(fmt.Sprintf("word %d of %s of container %s", i+1, field, c.code), x.Value, c.at(field, x.Name)...)
	}
}

func isEnvName(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00") }

// checkPaths reports paths that are written in two ways but are the same.
func (c *componentOf) checkPaths(container string, filesystem *value.Data) {
	seen := map[string]string{}
	for _, f := range filesystem.Each() {
		clean := path.Clean(f.Name)
		if err := pathError(f.Name); err != "" {
			c.report(diag.New(diag.FileForm, f.Value.Pos, "path %q of container %s of %s %s: write the path of a file or directory below /", f.Name, container, c.what(), err).
				AtPath("code", container, "mapping", "filesystem", f.Name))
		}
		if other, ok := seen[clean]; ok {
			c.report(diag.New(diag.SamePath, f.Value.Pos, "paths %q and %q of container %s of %s are the same: only one thing can lie there", other, f.Name, container, c.what()).
				AtPath("code", container, "mapping", "filesystem", f.Name))
		}
		seen[clean] = f.Name
	}
}

// pathError tells what is wrong with the path of a mount, "" for nothing.
func pathError(name string) string {
	switch {
	case strings.Contains(name, nul):
		return hasNUL
	case strings.Contains(name, ":"):
		return "has a colon in it, which no orchestrator mounts"
	case filter.Contains(strings.Split(name, "/"), ".."):
		return "leads upwards"
	case path.Clean(name) == "/":
		return "is the root of the container's file system"
	}
	return ""
}

// checkProtocols reports connectors that join udp with a protocol that is not
// carried by it. Protocols are labels otherwise: tcp is joined with http freely.
func (t *topology) checkProtocols(name string, c *value.Data) {
	clients := t.protocols(c.Get("from"), func(f value.Field) []string { return []string{f.Value.Str()} })
	servers := t.protocols(c.Get("to"), func(f value.Field) []string { return names(f.Value) })
	for _, from := range clients {
		for _, to := range servers {
			if (from.protocol == "udp") != (to.protocol == "udp") {
				t.report(diag.New(diag.WrongProtocol, c.Pos, "connector %s joins channel %s of %s (%s) with channel %s of %s (%s): udp reaches only udp", name,
					from.channel, t.end(from.role), from.protocol, to.channel, t.end(to.role), to.protocol).AtPath(t.field("connect", name)...))
			}
		}
	}
}

// speaker is an end of a connector with what it speaks.
type speaker struct{ role, channel, protocol string }

func (t *topology) protocols(ends *value.Data, channels func(value.Field) []string) []speaker {
	var out []speaker
	for _, f := range ends.Each() {
		srv := t.srv(t.node)
		if r := t.roles[f.Name]; r != nil && r.Node != nil {
			srv = t.srv(r.Node)
		} else if f.Name != self {
			continue
		}
		for _, name := range channels(f) {
			for _, m := range []map[string]*Channel{srv.Client, srv.Server, srv.Duplex} {
				if ch := m[name]; ch != nil {
					out = append(out, speaker{f.Name, name, ch.Protocol})
				}
			}
		}
	}
	return slices.Compact(out)
}

// checkRoleName reports role names that could be taken for something else in
// the names of deployments and the ends of connectors.
func (e *extractor) checkRoleName(p placed, r *value.Role) bool {
	if isRoleName(r.Name) {
		return true
	}
	e.report(diag.New(diag.Shape, r.Pos, "%q is no name for a role: a role's name is not empty, not self, and has no dot or slash, which the names of deployments are made with", r.Name).
		AtPath(append(slices.Clip(p.path), "role", r.Name)...))
	return false
}

func isRoleName(name string) bool {
	return name != "" && name != self && !strings.ContainsAny(name, "./")
}

// checkUp reports a deployment that hangs from itself: up names it, or one that
// is made of its roles.
func (e *extractor) checkUp() {
	way := []string{e.tree.Name}
	for up := e.tree.Up; up != nil; {
		way = append(way, *up)
		d := e.out.Deployments[*up]
		switch {
		case d == nil:
			return // another one, which runs already
		case *up == e.tree.Name:
			e.report(diag.New(diag.UpCycle, cmp.Or(e.tree.UpPos, e.tree.Pos), "up leads back to the deployment itself: %s; it names another deployment, which runs already, or is left out", strings.Join(way, " → ")).AtPath("up"))
			return
		}
		up = d.Up
	}
}

// checkScale warns of a number of instances that a service is given, which has
// none of its own, and of a load that it does not read. An environment gives it to all
// deployments, and means those that have such a number.
func (e *extractor) checkScale(p placed) {
	e.checkQos(p.node, p.path)
	if h := p.node.Config.Get("scale", "hsize"); h != nil && h.Origin.By != value.FromEnvironment {
		e.report(diag.Warn(diag.Shape, h.Pos, "hsize means nothing for service %s, which consists of roles: write scale: detail: ROLE: hsize: %s", p.node.Called(), h.Text).
			AtPath(append(slices.Clip(p.path), "config", "scale", "hsize")...))
	}
}

// checkQos warns of a load that an artifact is told to bear and makes nothing of.
func (e *extractor) checkQos(n *value.Node, path []string) {
	for _, field := range n.UnreadQos {
		what, d := strings.Join(field, "."), n.Config.Get(field[1:]...)
		if len(path) > 0 {
			what += " of role " + strings.Join(path, ".")
		}
		e.report(diag.Warn(diag.UnreadQos, d.Pos, "nothing in %s reads %s: what follows from the load is for the artifact to say, so leave it out, or read it there", n.Called(), what).
			AtPath(append(slices.Clip(path), field...)...))
	}
}

// checkVersions reports version sets that lead nowhere or could be mistaken.
func (t *topology) checkVersions() {
	for _, set := range t.node.Description.Get("vset").Each() {
		path := t.field("vset", set.Name)
		pos := placedAt(set.Value, t.node.Description).Pos
		if t.roles[set.Name] != nil {
			t.report(diag.New(diag.Shape, pos, "version set %s is called like a role: connectors could not tell them apart, so give it another name", set.Name).AtPath(path...))
		}
		if len(set.Value.Get("roles").Each()) == 0 {
			t.report(diag.New(diag.EmptyConnector, pos, "version set %s of %s has no roles: write roles: ROLE: {}", set.Name, t.what()).AtPath(path...))
		}
		offered := append(names(set.Value.Get("srv", "server")), names(set.Value.Get("srv", "duplex"))...)
		for _, version := range set.Value.Get("roles").Each() {
			t.checkVersion(set.Name, offered, version)
		}
	}
}

func (t *topology) checkVersion(set string, offered []string, version value.Field) {
	path := t.field("vset", set, "roles", version.Name)
	r := t.roles[version.Name]
	if r == nil {
		t.report(diag.New(diag.UnknownRole, version.Value.Pos, "version set %s names role %s, which %s does not have%s", set, version.Name, t.what(), hint(version.Name, sorting.Ordered(t.roles))).
			AtPath(path...))
		return
	}
	for _, m := range version.Value.Get("map").Each() {
		if !filter.Contains(offered, m.Name) {
			t.report(diag.New(diag.UnknownChannel, m.Value.Pos, "version set %s maps channel %s, which it does not have%s", set, m.Name, hint(m.Name, offered)).AtPath(append(path, "map", m.Name)...))
		}
	}
	if r.Node == nil || r.Node.Unknown {
		return
	}
	srv := t.srv(r.Node)
	have := append(sorting.Ordered(srv.Server), sorting.Ordered(srv.Duplex)...)
	for _, ch := range offered {
		target, pos := ch, version.Value.Pos
		if m := version.Value.Get("map", ch); m != nil {
			target, pos = m.Str(), m.Pos
		}
		if !filter.Contains(have, target) {
			t.report(diag.New(diag.UnknownChannel, pos, "version set %s leads from its channel %s to channel %s of role %s, which has no such server channel%s", set, ch, target, version.Name, hint(target, have)).
				AtPath(append(path, "map", ch)...).AboutChannel(t.packageOf(version.Name), target))
		}
	}
}

// meant are the paths, from connect on, of connectors that may be meant to start at
// channels which nothing starts at, and of which it is not known where they do. Each
// of their ends is meant for one channel, by their names if there are several.
func (t *topology) meant(ends []Endpoint) map[Endpoint][]string {
	out := map[Endpoint][]string{}
	take := func(connector string, may func(Endpoint) bool) {
		var found *Endpoint
		for _, end := range ends {
			if out[end] == nil && may(end) && (found == nil || connector == end.Role || connector == end.Channel) {
				found = &end
			}
		}
		if found != nil {
			out[*found] = []string{connector, "from"}
		}
	}
	for _, c := range t.node.Description.Get("connect").Each() {
		from := c.Value.Get("from").Each()
		if len(from) == 0 {
			take(c.Name, func(Endpoint) bool { return true })
		}
		for _, x := range from {
			take(c.Name, func(end Endpoint) bool { return t.mayMean(x, end.Role, end.Channel) })
		}
		take(c.Name, func(end Endpoint) bool { return c.Value.Get("to", end.Role, end.Channel) != nil })
	}
	return out
}

// mayMean reports whether an end of a connector that leads nowhere can be meant for a
// channel: it names either the role or, with a role that is not there, the channel. A
// version set has no channels that requests leave by, so any can be meant.
func (t *topology) mayMean(end value.Field, role, channel string) bool {
	switch {
	case end.Name == role:
		return !t.starts(role, end.Value.Str())
	case end.Name == self || t.roles[end.Name] != nil:
		return false
	}
	_, near := diag.Nearest(end.Value.Str(), []string{channel})
	return near || end.Value.HasStandIn() || t.node.Description.Get("vset", end.Name) != nil
}

// starts reports whether a role, or the service itself, has a channel that requests
// leave by, as those around it see it.
func (t *topology) starts(role, channel string) bool {
	node := t.node
	if role != self {
		node = t.roles[role].Node
	}
	if node == nil || node.Unknown {
		return false
	}
	srv := t.srv(node)
	if role == self {
		return srv.Server[channel] != nil || srv.Duplex[channel] != nil
	}
	return srv.Client[channel] != nil || srv.Duplex[channel] != nil
}
