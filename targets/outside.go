package targets

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/hostlike"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Named is a host that a role's configuration names.
type Named struct {
	hostlike.Host
	// Path is where, below the role.
	Path []string
}

// Outside are the hosts that the variables, files and words of a role's containers name
// and that its instances cannot reach: none of its hints lets them out, the host is not
// theirs, and reached does not know it as one that a channel leads to.
func Outside(role *solution.Role, h Hints, reached func(host string) bool) []Named {
	var out []Named
	seen := map[hostlike.Host]bool{}
	var key string
	add := func(hosts []hostlike.Host, path ...string) {
		for _, host := range hosts {
			if !seen[host] && !host.IsHere() && !runtimeName().MatchString(host.Name) && !h.letsOut(host) && !reached(host.Name) {
				out = append(out, Named{host, append([]string{"code", key}, path...)})
			}
			seen[host] = true
		}
	}
	code := role.Artifact.Description.Code
	for _, key = range Keys(code) {
		c := code[key]
		for _, name := range Keys(c.Mapping.Env) {
			if value := c.Mapping.Env[name].Value; value != nil {
				if hosts := hostlike.Find(name, *value); len(hosts) > 0 {
					add(hosts, "mapping", "env", name)
				}
			}
		}
		for _, target := range Keys(c.Mapping.Filesystem) {
			if data := c.Mapping.Filesystem[target].Data; data != nil {
				add(inData("", data.Value), "mapping", "filesystem", target)
			}
		}
		for _, word := range c.Entrypoint {
			add(hostlike.InText(word), "entrypoint")
		}
		for _, word := range c.Cmd {
			add(hostlike.InText(word), "cmd")
		}
	}
	return out
}

// runtimeName is a name that the platform gives to what a channel leads to.
var runtimeName = lazyregexp.New(`^(?:[^.]+\.)?(?:[0-9]+|set\.[0-9]+)\.[a-z0-9_-]+$`)

// inData are the hosts that a file names: a text line by line, data by its members.
func inData(name string, value any) []hostlike.Host {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, "\n") {
			return hostlike.InText(v)
		}
		return hostlike.Find(name, v)
	case map[string]any:
		var out []hostlike.Host
		for _, key := range sorting.Ordered(v) {
			out = append(out, inData(key, v[key])...)
		}
		return out
	case []any:
		var out []hostlike.Host
		for _, item := range v {
			out = append(out, inData(name, item)...)
		}
		return out
	}
	return nil
}

// letsOut reports whether the hints let instances out to a host. Which addresses a name
// has nobody knows here: a range for its port is taken to be for it.
func (h Hints) letsOut(host hostlike.Host) bool {
	if h.Internet && !host.IsPrivate() {
		return true
	}
	return filter.Any(h.Egress, func(e Egress) bool {
		if e.Protocol == "udp" || len(e.Ports) > 0 && host.Port > 0 && !filter.Contains(e.Ports, host.Port) {
			return false // what is told by URLs and the like is asked by TCP
		}
		address, isAddress := host.Prefix()
		prefix, err := netip.ParsePrefix(e.CIDR)
		return !isAddress || err == nil && prefix.Contains(address.Addr())
	})
}

// OutsideAdvice says in a sentence which hosts are out of reach, and what to write.
func OutsideAdvice(hosts []Named) string {
	var names, ranges []string
	public, unknown := false, ""
	for _, h := range hosts {
		if len(names) < mostNamed {
			names = append(names, h.String())
			ranges = append(ranges, h.hint())
		}
		public = public || !h.IsPrivate()
		if _, ok := h.Prefix(); !ok && unknown == "" {
			unknown = h.Name
		}
	}
	more := ""
	if n := len(hosts) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	hint := "meta: egress: [" + strings.Join(slices.Compact(ranges), ", ") + "]"
	if unknown != "" {
		hint += " with the addresses of " + unknown
	}
	if public {
		hint = "meta: internet: true, or " + hint
	}
	return fmt.Sprintf("names %s%s, which no channel leads to and nothing lets it reach: write into the role %s", strings.Join(names, ", "), more, hint)
}

// mostNamed is how many hosts a message names.
const mostNamed = 5

// hint is the range to write for the host.
func (n Named) hint() string {
	cidr := "ADDRESS/32"
	if prefix, ok := n.Prefix(); ok {
		cidr = prefix.String()
	}
	if n.Port == 0 {
		return fmt.Sprintf("{cidr: %q}", cidr)
	}
	return fmt.Sprintf("{cidr: %q, ports: [%d]}", cidr, n.Port)
}

// Domains are the hosts at which a solution is asked itself: registered domains, by the
// names that they are known under and by those that the options say.
func Domains(s *solution.Solution, o Options) map[string]bool {
	out := map[string]bool{}
	var add func(resources map[string]*solution.Resource)
	add = func(resources map[string]*solution.Resource) {
		for _, r := range resources {
			if r.Domain != "" {
				out[strings.ToLower(r.Domain)] = true
				out[strings.ToLower(o.Domains[r.Domain])] = true
			}
			add(r.Group)
		}
	}
	for _, d := range s.Deployments {
		add(d.Config.Resource)
		for _, r := range d.Artifact.Description.Role {
			add(r.Config.Resource)
		}
	}
	return out
}
