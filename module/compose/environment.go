package compose

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"strconv"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/internal/secretlike"
	"kumiki.dev/internal/sorting"
)

// environment reads the variables of a service, and what they tell of others.
func (r *role) environment() error {
	values := map[string]*string{}
	for _, f := range r.s.EnvFiles {
		if err := r.envFile(f.Path, values); err != nil {
			return err
		}
	}
	maps.Copy(values, r.s.Environment)
	for _, name := range sorting.Ordered(values) {
		if !variableName().MatchString(name) {
			r.note("environment", "%q is no name of a variable that shells and targets take", name)
			continue
		}
		value := string(open) + name + string(shut) // whoever starts it gives it
		if values[name] != nil {
			value = *values[name]
		}
		r.variable(name, value, values)
	}
	return nil
}

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// envFile adds the variables of a file.
func (r *role) envFile(name string, values map[string]*string) error {
	text, err := r.app.fileOf(name)
	if err != nil {
		r.note("env_file", "%s: %v", name, plainly(err))
		return nil
	}
	env, err := parseEnv(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for k, v := range env {
		values[k] = &v
	}
	return nil
}

// variable makes a secret, a value with the names of channels, or a parameter of a
// variable.
func (r *role) variable(name, value string, all map[string]*string) {
	whole := hole.FindStringSubmatch(value)
	asks := ""
	if whole != nil && whole[0] == value {
		asks = whole[1]
	}
	switch {
	case r.fileOfSecret(name, value):
	case secretlike.Is(name, value), asks != "" && secretlike.Is(asks, "Tr0ub4dor&3"), asks != "" && secretlike.Is(name, "Tr0ub4dor&3"), secretInside(value):
		key, id := r.app.secret(r, name, value)
		r.resource(resource{key: key, kind: "secret", id: id})
		r.env = append(r.env, variable{name: name, secret: key})
		for _, l := range r.linksOf(name, value, all) {
			l.used = true
			r.links = append(r.links, l)
			r.note("environment."+name, "is secret %s now, in which the host of %s has to be 0.%s", id, l.to.s.Name, l.to.name)
		}
	case asks != "":
		r.env = append(r.env, variable{name: name, parameter: r.parameter(asks, "", "string")})
	default:
		if links := r.linksOf(name, value, all); len(links) > 0 {
			r.links = append(r.links, links...)
			r.env = append(r.env, variable{name: name, value: value})
			return
		}
		if whole != nil { // variables within a text
			r.env = append(r.env, variable{name: name, value: value})
			return
		}
		given, typ := typed(value)
		r.env = append(r.env, variable{name: name, parameter: r.parameter(name, given, typ)})
	}
}

// secretInside reports whether a variable in a text is a secret.
func secretInside(value string) bool {
	return filter.Any(hole.FindAllStringSubmatch(value, -1), func(m []string) bool { return secretlike.Is(m[1], "Tr0ub4dor&3") })
}

var number = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,8})$`)

// typed is a value in CUE, with its type: what is written back as the same text may be a
// number or a truth value.
func typed(value string) (string, string) {
	switch {
	case number.MatchString(value):
		return value, "int"
	case value == "true" || value == "false":
		return value, "bool"
	}
	return quote(value), "string"
}

// fileOfSecret makes a variable of one that names the file of a secret, as many images
// take both: DB_PASSWORD for DB_PASSWORD_FILE.
func (r *role) fileOfSecret(name, value string) bool {
	bare, ok := strings.CutSuffix(name, "_FILE")
	if !ok {
		return false
	}
	for _, s := range r.s.Secrets {
		if value == secretPath(s.Source, s.Target) {
			key, id := r.app.registered(s.Source)
			r.resource(resource{key: key, kind: "secret", id: id})
			r.env = append(r.env, variable{name: bare, secret: key})
			r.note("environment."+name, "is %s now, with the secret itself: containers have no files of secrets", bare)
			return true
		}
	}
	return false
}

// secretPath is where Compose puts a secret.
func secretPath(source, target string) string {
	switch {
	case target == "":
		return "/run/secrets/" + source
	case path.IsAbs(target):
		return target
	}
	return "/run/secrets/" + target
}

// secretFiles tells of the secrets that no variable stands for.
func (r *role) secretFiles() {
	for _, s := range r.s.Secrets {
		key, id := r.app.registered(s.Source)
		if filter.Any(r.resources, func(x resource) bool { return x.key == key && x.id == id }) {
			continue
		}
		r.note("secrets", "%s would be the file %s, and containers have no files of secrets: take secret %s in a variable", s.Source, secretPath(s.Source, s.Target), id)
	}
}

// registered is the key and the id of a secret that the Compose file declares.
func (a *application) registered(name string) (key, id string) {
	if s, ok := a.project.Secrets[name]; ok && bool(s.External) {
		if s.Name != "" {
			name = s.Name
		}
		return camel(name), name
	}
	return camel(name), a.name + "-" + word(name)
}

// secret is the key and the id of the secret that a variable's value becomes. Two
// variables of the same value are the same secret, as a database and its clients have it.
func (a *application) secret(r *role, name, value string) (key, id string) {
	if id, ok := a.ids["value "+value]; ok {
		return a.ids["key "+id], id
	}
	short := word(name)
	if _, taken := a.ids["key "+a.name+"-"+short]; taken {
		short = r.name + "-" + short
	}
	id = a.name + "-" + short
	a.ids["value "+value], a.ids["key "+id] = id, camel(short)
	return camel(short), id
}

// The names of variables that hold addresses, and of those that do not although they are
// the name of a service: POSTGRES_DB=web.
var (
	addressLike = lazyregexp.New(`(?i)(^|_)(HOST|HOSTS|HOSTNAME|SERVER|SERVERS|ADDR|ADDRESS|URL|URI|ENDPOINT|ENDPOINTS|BROKER|BROKERS|NODES|UPSTREAM|BACKEND|PEERS|SERVICE|DSN|SEEDS|CONNECT|PROXY)S?[0-9]*$`)
	address     = lazyregexp.New(`(?:([A-Za-z][A-Za-z0-9+.-]*)://(?:[^\s/?#@"']*@)?)?(?:@(?:tcp|udp)\()?([A-Za-z0-9][A-Za-z0-9_.-]*)(?::([0-9]{1,5}))?`)
)

// usualPorts are those of URLs.
var usualPorts = map[string]int{
	"http": 80, "https": 443, "postgres": 5432, "postgresql": 5432, "mysql": 3306, "mariadb": 3306, "redis": 6379, "amqp": 5672, "mongodb": 27017,
	"nats": 4222, "kafka": 9092, "memcached": 11211, "mqtt": 1883, "smtp": 25, "ldap": 389,
}

// place is where a text names a role: the name, its port, and the text around both.
type place struct {
	from, to int // of the name with its port
	role     *role
	port     int
	explicit bool
}

// places finds the roles that an address names.
func (r *role) places(name, value string) []place {
	var out []place
	for _, m := range address().FindAllStringSubmatchIndex(value, -1) {
		host := value[m[4]:m[5]]
		to := r.app.named(host)
		if to == nil || m[4] > 0 && !strings.ContainsRune("/@,; =('\"[", rune(value[m[4]-1])) || m[1] < len(value) && !strings.ContainsRune("/,; ?)'\"]", rune(value[m[1]])) {
			continue
		}
		p := place{from: m[4], to: m[1], role: to}
		switch {
		case m[6] >= 0:
			p.port, _ = strconv.Atoi(value[m[6]:m[7]])
			p.explicit = true
		case m[2] >= 0:
			scheme, _, _ := strings.Cut(value[m[2]:m[3]], "+")
			p.port = usualPorts[scheme]
		case host != value || !addressLike().MatchString(name):
			if !(strings.Contains(value, ",") && addressLike().MatchString(name)) {
				continue
			}
		}
		if p.port > 65535 {
			continue
		}
		out = append(out, p)
	}
	return out
}

// linksOf are the links that a variable tells.
func (r *role) linksOf(name, value string, all map[string]*string) []link {
	var out []link
	for _, p := range r.places(name, value) {
		if p.role == r {
			r.note("environment."+name, "names the service itself; instances of one role find each other by a duplex channel")
			continue
		}
		port := p.port
		if port == 0 {
			port = portBeside(name, all)
		}
		if p.role.reached(port) == nil {
			continue // told by depends_on, or nothing can be
		}
		out = append(out, link{to: p.role, port: port, key: "environment." + name, used: true})
	}
	return out
}

// portBeside is the port in the variable beside one with a host: DB_PORT for DB_HOST.
func portBeside(name string, all map[string]*string) int {
	for _, ending := range []string{"HOSTNAME", "HOST", "SERVER", "ADDRESS", "ADDR"} {
		if begin, ok := strings.CutSuffix(name, ending); ok {
			if v := all[begin+"PORT"]; v != nil {
				n, _ := strconv.Atoi(*v)
				return n
			}
		}
	}
	return 0
}

// addressed is a value with the names of channels in place of those of services: 0.db is
// the servers of channel db, at port 80 wherever they listen.
func (r *role) addressed(value string) string {
	if value == "" {
		return ""
	}
	var out strings.Builder
	last := 0
	for _, p := range r.places("HOST", value) {
		if p.role == r {
			continue
		}
		s := p.role.reached(p.port)
		if s == nil {
			continue
		}
		channel := r.clientTo(p.role)
		if p.port > 0 || channel == "" {
			channel = r.channel(p.role, s)
		}
		out.WriteString(value[last:p.from] + "0." + channel)
		switch {
		case p.explicit && s.protocol == "udp":
			fmt.Fprintf(&out, ":%d", p.port)
		case p.explicit, p.port != 0 && p.port != 80:
			out.WriteString(":80")
		}
		last = p.to
	}
	out.WriteString(value[last:])
	return out.String()
}

// clientTo is the first client channel to a role, "" for none.
func (r *role) clientTo(to *role) string {
	for _, c := range r.clients {
		if c.to == to {
			return c.channel
		}
	}
	return ""
}
