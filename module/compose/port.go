package compose

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/internal/filter"
)

// known are the ports of images that many use, which their Compose files do not say.
var known = map[string]int{
	"postgres": 5432, "postgis": 5432, "mysql": 3306, "mariadb": 3306, "percona": 3306, "redis": 6379, "valkey": 6379, "keydb": 6379,
	"mongo": 27017, "memcached": 11211, "rabbitmq": 5672, "nats": 4222, "kafka": 9092, "zookeeper": 2181, "elasticsearch": 9200, "opensearch": 9200,
	"minio": 9000, "nginx": 80, "httpd": 80, "wordpress": 80, "caddy": 80, "traefik": 80, "haproxy": 80, "php-fpm": 9000, "mosquitto": 1883, "cassandra": 9042,
	"clickhouse-server": 8123, "influxdb": 8086, "grafana": 3000, "prometheus": 9090, "mailhog": 1025, "mailpit": 1025, "adminer": 8080, "vault": 8200, "consul": 8500, "etcd": 2379,
}

// notHTTP are the ports of other protocols; what is published at any other one is taken
// to be HTTP.
var notHTTP = []int{21, 22, 25, 53, 110, 143, 389, 443, 465, 587, 636, 993, 995, 1025, 1433, 1521, 1883, 2181, 2379, 2525, 3306, 4222, 5432, 5672, 6379, 6380, 8443, 8883, 9042, 9092, 9094, 11211, 26379, 27017, 50051}

// usuallyHTTP are ports that are HTTP although nobody has published them.
var usuallyHTTP = []int{80, 3000, 4000, 5000, 8000, 8080, 8081, 8086, 8123, 8200, 8500, 8888, 9000, 9090, 9200}

// ports reads what the role listens at.
func (r *role) ports() {
	for _, p := range r.s.Ports {
		key := "ports"
		local := p.HostIP != "" && p.HostIP != "0.0.0.0" && p.HostIP != "::"
		protocol := p.Protocol
		switch {
		case p.AppProtocol != "":
			protocol = strings.TrimSuffix(p.AppProtocol, "2")
			if protocol != "http" && protocol != "grpc" {
				protocol = "tcp"
			}
		case protocol != "udp" && !filter.Contains(notHTTP, int(p.Target)):
			protocol = "http"
		}
		open := "service"
		switch {
		case local:
			open = ""
			r.note(key, "%d is published to %s only: it is a channel that other roles reach", p.Target, p.HostIP)
		case protocol == "http" && !filter.Any(r.servers, func(s server) bool { return s.open == "inbound" }):
			open = "inbound"
		default:
			r.note(key, "%d is a server channel of the service, to which other deployments can be linked; what comes from outside needs an inbound", p.Target)
		}
		r.server(int(p.Target), protocol, open)
	}
	for _, text := range r.s.Expose {
		number, protocol, _ := strings.Cut(text, "/")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > 65535 {
			r.note("expose", "%s is no single port: write each", unmarked(text))
			continue
		}
		r.server(n, protocol, "")
	}
	base, _, _ := strings.Cut(path.Base(r.s.Image), ":")
	base, _, _ = strings.Cut(base, "@")
	if n := known[base]; n > 0 && len(r.servers) == 0 {
		r.server(n, "", "")
	}
}

// server is the channel of a port, which it adds if it is not there.
func (r *role) server(port int, protocol, open string) *server {
	udp := protocol == "udp"
	for i := range r.servers {
		if s := &r.servers[i]; s.port == port && (s.protocol == "udp") == udp {
			return s
		}
	}
	if protocol == "" || protocol == "tcp" {
		protocol = "tcp"
		if open == "" && filter.Contains(usuallyHTTP, port) {
			protocol = "http"
		}
	}
	channel := protocol
	if filter.Any(r.servers, func(s server) bool { return s.channel == channel }) {
		channel = fmt.Sprintf("%s%d", protocol, port)
	}
	r.servers = append(r.servers, server{channel, protocol, port, open})
	return &r.servers[len(r.servers)-1]
}

// dependencies reads the services that are started before, to which programs connect by
// names that no value shows.
func (r *role) dependencies() {
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range r.s.DependsOn {
			if !yield(name) {
				return
			}
		}
	}) {
		if to := r.app.named(name); to != nil && to != r {
			r.links = append(r.links, link{to: to, key: "depends_on"})
		}
		if c := r.s.DependsOn[name].Condition; c == "service_completed_successfully" {
			r.note("depends_on", "%s has to end before this one starts, which nothing waits for", name)
		}
	}
	for _, text := range r.s.Links {
		name, alias, _ := strings.Cut(text, ":")
		if to := r.app.named(name); to != nil && to != r {
			r.links = append(r.links, link{to: to, key: "links"})
			if alias != "" && alias != name {
				r.note("links", "%s is not called %s: its channel is %s", name, alias, to.name)
			}
		}
	}
}

// connectAll makes client channels of the links, one for each port.
func (r *role) connectAll() {
	named := map[*role]bool{}
	for _, l := range r.links {
		named[l.to] = named[l.to] || l.used
	}
	for _, l := range r.links {
		if !l.used && named[l.to] {
			continue // a value says more
		}
		s := l.to.reached(l.port)
		if s == nil {
			r.note(l.key, "%s listens at no port that the file tells: there is no channel between them", l.to.s.Name)
			continue
		}
		channel := r.channel(l.to, s)
		if !l.used {
			r.note(l.key, "no value of %s names %s; if its program asks for %[2]s, it has to ask for 0.%[3]s", r.s.Name, l.to.s.Name, channel)
		}
	}
	for i, v := range r.env {
		r.env[i].value = r.addressed(v.value)
	}
}

// reached is the server channel at a port, or the first one; nil for none.
func (r *role) reached(port int) *server {
	if port > 0 {
		return r.server(port, "", "")
	}
	if len(r.servers) > 0 {
		return &r.servers[0]
	}
	return nil
}

// channel is the client channel to a server of another role.
func (r *role) channel(to *role, s *server) string {
	name := to.name
	for _, c := range r.clients {
		if c.to == to && c.server == s.channel {
			return c.channel
		}
		if c.channel == name {
			name = fmt.Sprintf("%s-%d", to.name, s.port)
		}
	}
	r.clients = append(r.clients, client{name, to, s.channel})
	return name
}
