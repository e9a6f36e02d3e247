// Package benchapp writes applications of any size, for benchmarks and tests:
// the same arguments always give the same files.
//
// An application has three versions that mean the same: as manifests for
// kumiki, as plain CUE that spreads config by one unification, and as plain CUE
// that makes Kubernetes objects.
package benchapp

import (
	"fmt"
	"os"
	"path/filepath"
)

// App is the sources of a module by their path in it.
type App map[string]string

// Deploy is the directory of an app's deployment.
const Deploy = "deploy"

// Write writes the app below dir.
func (a App) Write(dir string) error {
	for name, text := range a {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// parameters is how many a component has, those of the smallest aside.
const parameters = 20

// Application is what all its versions are written from.
type Application struct {
	artifacts []artifact // what others consist of comes first; the last is deployed
	config    settings   // of the deployment
	file      bool       // components have a file made of their config
	refers    bool       // the file has the server's port too, and roles pass resilience on
}

// artifact is a component, or a service: then it has roles.
type artifact struct {
	name       string
	parameters int  // that it takes
	silent     bool // a component without a client channel
	roles      []role
	connectors []connector
}

// role is a place in a service.
type role struct {
	name   string
	of     string // artifact
	config settings
	hsize  int // 0: the component's default
}

// settings are the values of parameters; what is nil is left to its default.
type settings []*setting

// setting is a literal or a value of the service's, the same parameter's. Of a
// service's value, the text is what it is lengthened by.
type setting struct {
	text string
	from bool
}

// connector leads from a role's client channel to the servers of others.
type connector struct {
	name, from string
	to         []string
}

// Minimal is one component with one parameter, deployed.
func Minimal() Application {
	return Application{artifacts: []artifact{{name: "c0", parameters: 1}}, config: literals(1, 0)}
}

// Flat is a service of roles over the given number of components, connected in
// a ring. All parameters come from the service: roles of one component have the
// same config.
func Flat(roles, components int) Application {
	return flat(roles, components, parameters, false, func(role) role { return role{config: handedDown()} })
}

// Distinct is a service of one component in as many roles, each with values of
// its own for all parameters.
func Distinct(roles int) Application {
	seed := -1
	return flat(roles, 1, 1, false, func(role) role {
		seed++
		return role{config: literals(parameters, seed)}
	})
}

// Usual is a service of roles over ten components, whose config is also written
// into a file. Each role has values of its own for five parameters and says how
// many instances it has; the rest is left to the components' defaults.
func Usual(roles int) Application {
	seed := -1
	return flat(roles, 10, 1, true, func(role) role {
		seed++
		all := literals(parameters, seed)
		some := make(settings, parameters)
		for _, p := range []int{0, 1, 2, firstNumber, firstChoice} {
			some[p] = all[p]
		}
		return role{config: some, hsize: 1 + seed%3}
	})
}

// flat is a service of roles; config completes each of them.
func flat(roles, components, taken int, file bool, config func(role) role) Application {
	a := Application{file: file, config: literals(taken, 0)}
	for c := range min(components, roles) {
		a.artifacts = append(a.artifacts, artifact{name: fmt.Sprintf("c%d", c), parameters: parameters})
	}
	s := artifact{name: "s", parameters: taken, connectors: ring(roles)}
	for r := range roles {
		x := config(role{})
		x.name, x.of = roleName(r), fmt.Sprintf("c%d", r%components)
		s.roles = append(s.roles, x)
	}
	a.artifacts = append(a.artifacts, s)
	return a
}

// Connected is [Flat] of two components, where the first roles have connectors
// to ten others each, in place of the ring. Those of the second have none.
func Connected(roles, connectors int) Application {
	const servers = 10
	a := Flat(roles, 2)
	a.artifacts[1].silent = true
	s := &a.artifacts[2]
	s.connectors = nil
	for r := range s.roles {
		s.roles[r].of = a.artifacts[min(r/connectors, 1)].name
	}
	for n := range connectors {
		c := connector{name: connectorName(n), from: roleName(n)}
		for i := range servers {
			c.to = append(c.to, roleName((n+1+i*roles/servers)%roles))
		}
		s.connectors = append(s.connectors, c)
	}
	return a
}

// Nested is services within services: depth levels of them, each with fanOut
// roles, and components in the innermost. Every level hands its config down. If
// distinct, it lengthens one text, so that no two roles have the same config.
func Nested(depth, fanOut int, distinct bool) Application {
	a := Application{config: literals(parameters, 0), artifacts: []artifact{{name: "c0", parameters: parameters}}}
	for level := depth; level >= 1; level-- {
		of := a.artifacts[len(a.artifacts)-1].name
		s := artifact{name: fmt.Sprintf("s%d", level), parameters: parameters}
		for r := range fanOut {
			config := handedDown()
			if distinct {
				config[0] = &setting{from: true, text: fmt.Sprintf(".%d", r)}
			}
			s.roles = append(s.roles, role{name: roleName(r), of: of, config: config})
		}
		if level == depth {
			s.connectors = ring(fanOut)
		}
		a.artifacts = append(a.artifacts, s)
	}
	return a
}

// WithFile has every component write its config into a file too.
func (a Application) WithFile() Application {
	a.file = true
	return a
}

// LikePeers is what other tools were compared on: besides its config, each
// component's file has the port of its channel, and each service hands its
// resilience on to its roles.
func (a Application) LikePeers() Application {
	a.file, a.refers = true, true
	return a
}

// ring connects every role with the next one.
func ring(roles int) []connector {
	var out []connector
	for r := range roles {
		out = append(out, connector{name: connectorName(r), from: roleName(r), to: []string{roleName((r + 1) % roles)}})
	}
	return out
}

func roleName(r int) string      { return fmt.Sprintf("r%04d", r) }
func connectorName(r int) string { return fmt.Sprintf("n%04d", r) }
