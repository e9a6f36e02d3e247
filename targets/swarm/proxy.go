package swarm

import (
	"fmt"
	"math/big"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// The proxy's image, and the user that it runs as there.
const (
	proxyRepository = "docker.io/library/haproxy:"
	proxyImage      = proxyRepository + "3.2-alpine"
	proxyUser       = "99:99"
)

// proxyEntry writes the files that HAProxy reads: Swarm's configs would do the
// same, but need files beside the stack. A list of certificates is there only
// where TLS ends.
var (
	proxyEntry = []string{"sh", "-c", `printf '%s' "$HAPROXY_CONFIG" > /tmp/haproxy.cfg && exec haproxy -W -db -f /tmp/haproxy.cfg`}
	tlsEntry   = []string{"sh", "-c", `printf '%s' "$HAPROXY_CERTIFICATES" > /tmp/certificates && printf '%s' "$HAPROXY_CONFIG" > /tmp/haproxy.cfg && exec haproxy -W -db -f /tmp/haproxy.cfg`}
)

// A proxy finds as many instances of a role as it has slots, which therefore
// leave room: a change of the configuration means another proxy.
const (
	leastSlots = 8
	nodeSlots  = 64 // for roles with an instance on each node, or of which that is not known
)

// resolvers make HAProxy ask Docker for the instances again and again, whatever
// life time Docker gives its answers.
const resolvers = `resolvers swarm
  nameserver docker 127.0.0.11:53
  accepted_payload_size 8192
  resolve_retries 3
  timeout resolve 1s
  timeout retry 1s
  hold valid 2s
  hold nx 2s
  hold timeout 10s
  hold refused 10s
  hold obsolete 5s
`

const tcpHead = `global
  log stdout format raw local0 notice
` + resolvers + `defaults
  mode tcp
  log global
  option redispatch 1
  retries 3
  timeout connect 3s
  timeout client 1h
  timeout server 1h
  timeout client-fin 30s
`

// proxies makes the services of all routes that clients share.
func (b *builder) proxies() {
	for _, key := range targets.Keys(b.routes) {
		r := b.routes[key]
		first := r.servers[0]
		path := []string{first.Deployment, first.Role, first.Channel, "lb"}
		for _, t := range r.servers[1:] {
			path = append(path, t.Deployment, t.Role, t.Channel)
		}
		at := place{first.Deployment, first.Role}
		if r.at != (place{}) {
			at = r.at
			path = append([]string{at.deployment, at.role, "to"}, path...)
		}
		config := tcpHead
		for i := range ports(r.servers) {
			config += fmt.Sprintf("frontend in%d\n  bind :%d\n%s  default_backend out%d\n", i, lbPort+i, ownPort(r.servers, i), i)
			config += fmt.Sprintf("backend out%d\n%s", i, b.backend(r, i))
		}
		s := b.proxy(at, config, r.servers)
		for _, network := range targets.Keys(r.on) {
			s.Networks[network] = r.on[network]
			b.external(network)
		}
		b.add(ServiceKind, b.names.of(path...), at, s)
	}
}

// ownPort makes a proxy listen at the servers' own port as well, for clients
// that know it, where they have one port and no other takes it.
func ownPort(servers []solution.Target, i int) string {
	port := servers[0].Server.Port + i
	if filter.Any(servers, func(t solution.Target) bool { return t.Server.Port+i != port }) || port < lbPort+ports(servers) && port >= lbPort {
		return ""
	}
	return fmt.Sprintf("  bind :%d\n", port)
}

// ports is how many ports all of the servers have.
func ports(servers []solution.Target) int {
	n := servers[0].Server.Portnum
	for _, t := range servers {
		n = min(n, t.Server.Portnum)
	}
	return max(n, 1)
}

// backend is the part of a proxy's configuration that names the servers.
func (b *builder) backend(r *route, port int) string {
	var out strings.Builder
	out.WriteString("  balance roundrobin\n")
	check := ""
	if c := r.check; c != nil {
		check = fmt.Sprintf(" check port %d inter %dms fastinter 1s fall 2 rise 1", c.Port(), min(frequency(c).Milliseconds(), 5000))
		if h := c.Protocol.HTTP; h != nil {
			fmt.Fprintf(&out, "  option httpchk\n  http-check send meth GET uri %s\n  http-check expect status 200-399\n", quoted("/"+strings.TrimPrefix(h.Path, "/")))
		}
		fmt.Fprintf(&out, "  timeout check %dms\n", timeout(c).Milliseconds())
	}
	for i, t := range r.servers {
		name := b.nameOf(t)
		fmt.Fprintf(&out, "  server-template s%d- %d %s:%d resolvers swarm resolve-prefer ipv4 init-addr none%s\n", i, b.slots(t), name, t.Server.Port+port, check)
	}
	return out.String()
}

// quoted protects a word of HAProxy's configuration.
func quoted(word string) string {
	var out strings.Builder
	for _, r := range word {
		if strings.ContainsRune(" \\\"'#$", r) {
			out.WriteByte('\\')
		}
		if r >= ' ' {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func (b *builder) slots(t solution.Target) int {
	if isForeign(t) || b.member(t).service.Deploy.Mode == "global" {
		return nodeSlots
	}
	n := leastSlots
	for hsize := b.roleAt(t).Config.Scale.Hsize; hsize != nil && n < *hsize; {
		n *= 2
	}
	return n
}

func (b *builder) roleAt(t solution.Target) *solution.Role {
	return b.solution.Deployments[t.Deployment].Artifact.Description.Role[t.Role]
}

// proxy is a service of HAProxy. It survives as many failures as the servers
// have to, and is found under an address that stays: a VIP of Swarm's.
func (b *builder) proxy(at place, config string, servers []solution.Target) *Service {
	replicas := 1
	for _, t := range servers {
		if isForeign(t) {
			continue
		}
		if n, ok := new(big.Rat).SetString(b.roleAt(t).Config.Resilience.String()); ok && n.IsInt() {
			replicas = max(replicas, int(min(n.Num().Int64(), maxProxies-1))+1)
		}
	}
	return &Service{
		Image:           proxyImage,
		Entrypoint:      proxyEntry,
		User:            proxyUser,
		ReadOnly:        true,
		CapDrop:         []string{"ALL"},
		StopGracePeriod: stopGrace.String(),
		Environment:     map[string]string{"HAPROXY_CONFIG": literal(config)},
		Volumes:         []Mount{{Type: "tmpfs", Target: "/tmp", Tmpfs: &Tmpfs{Size: 1 << 20}}},
		Networks:        map[string]*Attachment{},
		Labels:          b.ownLabels(at),
		Deploy: Deploy{
			Replicas:       &replicas,
			UpdateConfig:   &Update{Parallelism: 1, Delay: updateDelay.String(), FailureAction: "rollback", Monitor: leastMonitor.String(), Order: "start-first"},
			RollbackConfig: &Update{Parallelism: 1, FailureAction: "pause", Order: "stop-first"},
			RestartPolicy:  &Restart{Condition: "any", Delay: restartDelay.String()},
			Resources:      &Resources{Limits: &Quantity{CPUs: "1", Memory: "134217728"}, Reservations: &Quantity{CPUs: "0.05", Memory: "33554432"}},
			Labels:         b.labels(at),
		},
	}
}

// maxProxies bounds how many instances a proxy has.
const maxProxies = 5
