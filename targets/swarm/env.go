package swarm

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// secretDir is where Docker puts secrets.
const secretDir = "/run/secrets/"

// env sets a container's variables. What is registered in the cluster reaches
// the container as a file, as that is all that Swarm has; where the container's
// entry point is a shell, the shell reads it into the variable first.
func (r *roleOf) env(key string, c *solution.Container, s *Service) {
	var late, lost []string
	for _, name := range targets.Keys(c.Mapping.Env) {
		e := c.Mapping.Env[name]
		if e.Value != nil {
			s.Environment[name] = literal(*e.Value)
			continue
		}
		if value, ok := r.known(e); ok {
			s.Environment[name] = literal(value)
			continue
		}
		r.mount(name, e, s)
		late = append(late, name)
		if _, taken := c.Mapping.Env[name+"_FILE"]; !taken {
			s.Environment[name+"_FILE"] = secretFile(name)
		}
	}
	if len(late) == 0 {
		return
	}
	if len(c.Entrypoint) > 0 && isShell(c.Entrypoint[0]) && !filter.Any(late, func(name string) bool { return !isVariable(name) }) {
		for _, name := range late {
			if _, taken := c.Mapping.Env[name+"_FILE"]; !taken {
				delete(s.Environment, name+"_FILE") // images refuse to be given both
			}
		}
		s.Entrypoint = reading(late, c.Entrypoint)
		return
	}
	for _, name := range late {
		lost = append(lost, fmt.Sprintf("%s is in %s", name, secretFile(name)))
	}
	r.lost(diag.LostEnv, r.at, []string{"code", key, "mapping", "env"}, "Swarm keeps secrets in files: %s, and %s_FILE says so; container %s of %v gets them as variables only where its entry point is a shell", strings.Join(lost, ", "), late[0], key, r.at)
}

// literal protects a value from Docker, which takes double braces for a
// template and fills it in when a task starts.
func literal(value string) string { return strings.ReplaceAll(value, "{{", `{{"{{"}}`) }

// known is the value of a variable that can be told now: the host of a domain,
// or the number of a port.
func (r *roleOf) known(e *solution.Env) (string, bool) {
	switch {
	case e.Domain != "":
		return r.host(r.resource(e.Domain).Domain)
	case e.Port != "":
		port, ok := r.port(r.resource(e.Port).Port)
		return strconv.Itoa(port), ok
	default:
		return "", false
	}
}

// host is the name of a registered domain's host: what the options say, or the
// id itself where it is one.
func (b *builder) host(id string) (string, bool) {
	if host, ok := b.options.Domains[id]; ok {
		return host, true
	}
	return id, isHost(id)
}

// port is the number of a registered port, likewise.
func (b *builder) port(id string) (int, bool) {
	if port, ok := b.options.Ports[id]; ok {
		return int(port), port > 0
	}
	port, err := strconv.ParseUint(id[strings.LastIndex(id, "/")+1:], 10, 16)
	return int(port), err == nil && port > 0
}

// resource is one of the role's, empty if there is none.
func (r *roleOf) resource(key string) solution.Resource {
	for _, resources := range []map[string]*solution.Resource{r.role.Config.Resource, r.role.Artifact.Description.Config.Resource} {
		if found := find(resources, key); found != nil {
			return *found
		}
	}
	return solution.Resource{}
}

// isHost reports whether the id of a domain is a host's name by itself.
func isHost(id string) bool {
	return strings.Contains(id, ".") && !strings.ContainsAny(id, "/: ") && strings.Trim(id, ".") == id
}

// secretFile is where the value of a variable is kept, under the variable's name
// where that is one of a file.
func secretFile(variable string) string {
	if variable == "." || variable == ".." || strings.Contains(variable, "/") {
		variable = targets.Hashed(targets.MaxName, variable)
	}
	return secretDir + variable
}

// mount puts what a variable stands for into the container, in a file with the
// variable's name.
func (r *roleOf) mount(name string, e *solution.Env, s *Service) {
	ref := FileRef{Target: secretFile(name)}
	mode := Mode(0o444)
	if s.User != "" {
		mode = 0o400
	}
	ref.Mode = &mode
	ref = ref.ownedBy(s.User)
	switch {
	case e.Domain != "":
		ref.Source = r.externalFile(ConfigKind, r.resource(e.Domain).Domain, domainSuffix, r.at)
		s.Configs = append(s.Configs, ref)
		return
	case e.Port != "":
		ref.Source = r.externalFile(ConfigKind, r.resource(e.Port).Port, portSuffix, r.at)
		s.Configs = append(s.Configs, ref)
		return
	case e.Secret != "":
		ref.Source = r.externalFile(SecretKind, r.resource(e.Secret).Secret, secretSuffix, r.at)
	case e.Certificate != "":
		ref.Source = r.externalFile(SecretKind, r.resource(e.Certificate).Certificate, certificateSuffix, r.at)
	case e.CA != "":
		ref.Source = r.externalFile(SecretKind, r.resource(e.CA).CA, caSuffix, r.at)
	}
	s.Secrets = append(s.Secrets, ref)
}

// externalFile makes known a config or secret that is there before the stack.
func (b *builder) externalFile(kind, id, suffix string, at place) string {
	name := b.registeredAs(kind, id, suffix)
	b.add(kind, name, at, &File{External: true, Name: name})
	return name
}

func isShell(command string) bool {
	return filter.Contains([]string{"sh", "bash", "ash", "dash", "ksh", "zsh"}, path.Base(command))
}

// isVariable reports whether a shell can set a variable of this name.
func isVariable(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) < 0 && name != "" && (name[0] < '0' || name[0] > '9')
}

// reading makes a shell set the variables before it becomes what it was asked
// to be.
func reading(variables, entrypoint []string) []string {
	var script strings.Builder
	for _, name := range variables {
		fmt.Fprintf(&script, "%s=\"$(cat %s)\" && export %s && ", name, secretFile(name), name)
	}
	script.WriteString(`exec "$0" "$@"`)
	return append([]string{entrypoint[0], "-c", script.String()}, entrypoint...)
}
