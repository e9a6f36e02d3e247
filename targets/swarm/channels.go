package swarm

import (
	"fmt"
	"path"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// channels finds out what the role's code is told of its client channels, in the
// same words as on every target: a file, and variables.
func (r *roleOf) channels() {
	var ways []targets.Way
	for _, w := range r.clients[r.at] {
		way := targets.Way{Reach: w.Reach, Addresses: make([]targets.Address, len(w.Groups))}
		for i, g := range w.Groups {
			if len(g) > 0 {
				way.Addresses[i] = w.address(i)
			}
		}
		ways = append(ways, way)
	}
	if len(ways) == 0 {
		return
	}
	r.told = []byte(targets.ChannelData(ways))
	r.variables = targets.ChannelVariables(ways, func(variable, first, second string) {
		r.lost(diag.LostChannel, r.at, []string{"srv", "client", second}, "variable %s of %v is the address of channel %s: that of channel %s is only in its file", variable, r.at, first, second)
	})
}

// address is where the client finds group i. Datagrams stay on their port.
func (w *way) address(i int) targets.Address {
	first := w.Groups[i][0]
	server := first.Server
	switch {
	case isForeign(first) && server.Protocol == "udp":
		return targets.Address{Host: foreignName(first), Port: server.Port, Kind: w.Kind}
	case w.Kind == "full":
		return targets.Address{Host: fmt.Sprintf("set.%d.%s", i, w.From.Channel), Port: server.Port, Kind: w.Kind}
	case server.Protocol == "udp":
		return targets.Address{Host: fmt.Sprintf("%d.%s", i, w.From.Channel), Port: server.Port, Kind: w.Kind}
	default:
		return targets.Address{Host: fmt.Sprintf("%d.%s", i, w.From.Channel), Port: lbPort, Kind: w.Kind}
	}
}

// tell gives a container what it is told of the role's channels: variables that
// it has no others for, and the file where it mounts nothing there.
func (r *roleOf) tell(c *solution.Container, s *Service) {
	for _, v := range r.variables {
		if _, taken := c.Mapping.Env[v.Name]; !taken {
			s.Environment[v.Name] = v.Value
		}
	}
	own := func(target string) bool { return targets.Below(target, targets.ChannelDir) }
	mounted := filter.Any(s.Configs, func(f FileRef) bool { return own(f.Target) }) ||
		filter.Any(s.Volumes, func(m Mount) bool { return own(m.Target) })
	if r.told != nil && !mounted {
		r.config(nil, path.Join(targets.ChannelDir, targets.ChannelFile), r.told, nil, s)
	}
}

// addresses reports servers that tell their clients where they are: they have an
// address on each of their networks, and a client reaches only that on its own.
func (b *builder) addresses() {
	served := map[place]bool{}
	for _, w := range b.ways {
		for _, g := range w.Groups {
			for _, t := range g {
				at := place{t.Deployment, t.Role}
				if at != w.client && !w.inbound() {
					served[at] = true
				}
			}
		}
	}
	for _, at := range sorting.Keys(served, comparePlaces) {
		for _, m := range b.members[at] {
			desc := b.solution.Deployments[at.deployment].Artifact.Description.Role[at.role].Artifact.Description
			word, where := advertised(desc.Code[m.container])
			if n := len(m.service.Networks); n > 1 && word != "" {
				b.lost(diag.LostChannel, at, append([]string{"code", m.container}, where...), "%v tells its clients where it is (%s), and has an address on each of its %d networks on Swarm (%s): a client reaches only that on a network of its own; let it tell them a name that they all know, such as 0.CHANNEL", at, word, n, strings.Join(targets.Keys(m.service.Networks), ", "))
			}
		}
	}
}

var (
	// advertising is what settings are called by which servers tell clients where
	// they are: Kafka's, etcd's, Consul's, Redis's and those of many others.
	advertising = lazyregexp.New(`\b\w*?(?:advertise|Advertise|ADVERTISE)[dD]?(?:[-_.]\w+|[A-Z]\w*)|\b(?:announce|ANNOUNCE)[-_](?:ip|host|IP|HOST)\w*`)
	// runtimeName is one of a channel, which means the same on all networks that
	// know it.
	runtimeName = lazyregexp.New(`\b[0-9]+\.[A-Za-z]`)
)

// advertised is the first word of a container's settings by which it tells others
// where it is, and where that is written below the container.
func advertised(c *solution.Container) (word string, where []string) {
	says := func(text string) bool {
		for line := range strings.Lines(text) {
			if found := advertising().FindString(line); found != "" && !runtimeName().MatchString(line) {
				word = found
			}
		}
		return word != ""
	}
	for _, name := range targets.Keys(c.Mapping.Env) {
		if v := c.Mapping.Env[name].Value; v != nil && says(name+"="+*v) {
			return word, []string{"mapping", "env", name}
		}
	}
	for _, target := range targets.Keys(c.Mapping.Filesystem) {
		if f := c.Mapping.Filesystem[target]; f.Volume == "" {
			if text, err := targets.Content(f); err == nil && says(string(text)) {
				return word, []string{"mapping", "filesystem", target}
			}
		}
	}
	if filter.Any(c.Entrypoint, says) {
		return word, []string{"entrypoint"}
	}
	if filter.Any(c.Cmd, says) {
		return word, []string{"cmd"}
	}
	return "", nil
}
