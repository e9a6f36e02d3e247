package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"kumiki.dev/internal/filter"
	"kumiki.dev/module/catalog"
)

// Role is a role of a service that is made, with the artifact that fills it.
type Role struct {
	Name string
	// Import is how the artifact's package is imported.
	Import string
	// Builtin tells that the artifact has no instances.
	Builtin bool
	// Channels are the artifact's.
	Channels []catalog.Channel
	// To are the servers, ROLE.CHANNEL, that client channels are known to lead to.
	To map[string]string
	// Needs are the fields of config that have to be given to it.
	Needs []Need
}

// Need is a field of an artifact's config that has to be given.
type Need struct {
	Path []string // parameter, title
	// Type is what it takes, in CUE, and Doc what it is for; "" for nothing known.
	Type, Doc string
	// Value is what the service gives in CUE; "" passes the field on to the deployment.
	Value string
}

// Service is the file of a service in a directory of its name: each role with what it
// needs, which the service passes on, and a connector for each channel. A client channel
// leads to the server of its protocol that is called so, or whose role is, or that is the
// only one; what remains are channels of the service's own. The remarks say what was
// decided.
func Service(name string, roles []Role) (files []File, remarks []string, err error) {
	if _, err := Name(name, "a service", "shop"); err != nil {
		return nil, nil, err
	}
	s := &service{roles: roles, config: map[string][]field{}, srv: map[string][]own{}}
	for _, r := range roles {
		s.role(r)
	}
	s.connect()
	files, err = filled("service", map[string]any{"Name": name, "Roles": s.filled, "Config": s.sections(), "Sides": s.sides(), "Connectors": s.connectors})
	for i := range files {
		files[i].Name = name + "/" + files[i].Name
	}
	return files, s.remarks, err
}

// service is one that is being made.
type service struct {
	roles      []Role
	filled     []filledRole
	config     map[string][]field // by section
	srv        map[string][]own   // by side
	connectors []connector
	remarks    []string
}

type (
	filledRole struct {
		Name, Alias, Import string
		Builtin             bool
		Config              string // in CUE
	}
	field   struct{ Name, Type, Doc string }
	own     struct{ Name, Protocol, Port string }
	section struct {
		Name   string
		Fields []field
	}
	side struct {
		Name     string
		Channels []own
	}
	connector struct{ Name, As, From, To string }
	// end is a channel of a role.
	end struct {
		role string
		catalog.Channel
	}
)

// role adds a role, and what it needs to the service's config.
func (s *service) role(r Role) {
	var config strings.Builder
	for _, need := range r.Needs {
		value := need.Value
		if value == "" {
			section, name := need.Path[0], s.fieldName(r, need)
			s.config[section] = append(s.config[section], field{name, cmp.Or(need.Type, "_"), need.Doc})
			value = "description.config." + section + "." + name
		}
		for _, part := range need.Path {
			config.WriteString(label(part) + ": ")
		}
		config.WriteString(value + "\n")
	}
	if !r.Builtin {
		config.WriteString("resilience: description.config.resilience\n")
	}
	s.filled = append(s.filled, filledRole{r.Name, words(r.Name, "artifact"), r.Import, r.Builtin, config.String()})
}

// fieldName is what the service calls a field: its own name where no other role needs one
// of that name, else with the role's before it.
func (s *service) fieldName(r Role, need Need) string {
	path := need.Path[1:]
	for _, other := range s.roles {
		for _, n := range other.Needs {
			if other.Name != r.Name && n.Value == "" && slices.Equal(n.Path, need.Path) {
				return words(append([]string{r.Name}, path...)...)
			}
		}
	}
	return words(path...)
}

// words is a name of several, as in shopTitle.
func words(parts ...string) string {
	var out strings.Builder
	for _, part := range parts {
		for _, word := range strings.FieldsFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if out.Len() > 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			out.WriteString(word)
		}
	}
	return out.String()
}

// connect makes the connectors.
func (s *service) connect() {
	var servers, clients []end
	for _, r := range s.roles {
		for _, c := range r.Channels {
			switch c.Side {
			case "server":
				servers = append(servers, end{r.Name, c})
			case "client":
				clients = append(clients, end{r.Name, c})
			case "duplex":
				s.connector(c.Name, "full", end{r.Name, c}, fmt.Sprintf("%s: %s: _", label(r.Name), label(c.Name)))
				s.remarks = append(s.remarks, fmt.Sprintf("the instances of %s know each other by %s", r.Name, c.Name))
			}
		}
	}
	reached := map[string]bool{}
	for _, c := range clients {
		to, ok := s.leadsTo(c, servers)
		if !ok {
			s.own("client", c)
			continue
		}
		reached[to.role+"."+to.Name] = true
		s.connector(c.Name, "", c, fmt.Sprintf("%s: %s: _", label(to.role), label(to.Name)))
		s.remarks = append(s.remarks, fmt.Sprintf("%s.%s leads to %s.%s", c.role, c.Name, to.role, to.Name))
	}
	for _, e := range servers {
		if !reached[e.role+"."+e.Name] {
			s.own("server", e)
		}
	}
}

// leadsTo is the server that a client channel is meant for, if that is clear.
func (s *service) leadsTo(client end, servers []end) (end, bool) {
	from := s.called(client.role)
	known := from.To[client.Name]
	var fit, named []end
	for _, e := range servers {
		if known == e.role+"."+e.Name {
			return e, true
		}
		if s.called(e.role).Import == from.Import || e.Protocol != client.Protocol && e.Protocol != "" && client.Protocol != "" {
			continue
		}
		fit = append(fit, e)
		if words(e.role) == words(client.Name) || words(e.Name) == words(client.Name) {
			named = append(named, e)
		}
	}
	for _, of := range [][]end{named, fit} {
		if len(of) == 1 {
			return of[0], true
		}
	}
	return end{}, false
}

// called is the role of a name.
func (s *service) called(name string) Role {
	return s.roles[slices.IndexFunc(s.roles, func(r Role) bool { return r.Name == name })]
}

// own makes a channel of a role the service's own.
func (s *service) own(on string, e end) {
	name := e.Name
	if filter.Any(slices.Concat(s.srv["server"], s.srv["client"]), func(o own) bool { return o.Name == name }) {
		name = e.role + "-" + e.Name
	}
	c := own{Name: name, Protocol: e.Protocol}
	if on == "server" {
		c.Port = "80"
		if _, err := fmt.Sscanf(e.Port, "%d", new(int)); err == nil {
			c.Port = e.Port
		}
		s.connector(name, "", end{"self", catalog.Channel{Name: name}}, fmt.Sprintf("%s: %s: _", label(e.role), label(e.Name)))
	} else {
		s.connector(name, "", e, "self: "+label(name)+": _")
	}
	s.srv[on] = append(s.srv[on], c)
	s.remarks = append(s.remarks, fmt.Sprintf("%s.%s is the service's own channel %s: no role is told by its name or protocol", e.role, e.Name, name))
}

// connector adds one, with a name that no other has.
func (s *service) connector(name, as string, from end, to string) {
	taken := func(name string) bool {
		return filter.Any(s.connectors, func(c connector) bool { return c.Name == name })
	}
	if taken(name) {
		name = from.role + "-" + name
	}
	s.connectors = append(s.connectors, connector{name, as, fmt.Sprintf("%s: %q", label(from.role), from.Name), to})
}

func (s *service) sections() []section {
	var out []section
	for _, name := range []string{"parameter", "resource"} {
		if len(s.config[name]) > 0 {
			out = append(out, section{name, s.config[name]})
		}
	}
	return out
}

func (s *service) sides() []side {
	var out []side
	for _, name := range []string{"server", "client"} {
		if len(s.srv[name]) > 0 {
			out = append(out, side{name, s.srv[name]})
		}
	}
	return out
}
