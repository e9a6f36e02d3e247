package targets

import (
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
)

// Inbound is the name of the builtin that lets requests in, the only one that a
// target serves: nobody has written down what others would have to do.
const Inbound = "inbound"

// inboundPath is where that builtin comes from.
const inboundPath = "kumori.systems/builtins/inbound"

// Builtins are the problems with a solution's builtins that a target, such as
// "Kubernetes", does not serve: nothing would stand for them.
func Builtins(s *solution.Solution, target string) diag.List {
	var problems diag.List
	for _, name := range Keys(s.Deployments) {
		artifact := s.Deployments[name].Artifact
		if !artifact.Description.Builtin {
			continue
		}
		wrong := func(path []string, format string, args ...any) {
			d := Lost(diag.TargetBuiltin, s, name, "", path, format, args...)
			d.Severity = diag.Error
			problems = append(problems, d)
		}
		srv := artifact.Description.Srv
		serves := append(Keys(srv.Server), Keys(srv.Duplex)...)
		switch {
		case artifact.Ref.Name != Inbound:
			wrong(nil, "%s is builtin %s, which %s does not serve. It serves %s (%s): take that, or a component that does the same", name, strings.Join([]string{artifact.Ref.Domain, artifact.Ref.Module, artifact.Ref.Name}, "/"), target, Inbound, inboundPath)
		case len(serves) > 0:
			wrong([]string{"srv"}, "%s is an inbound with channel %s, where others could reach it: the one that %s serves (%s) only has a client channel", name, strings.Join(serves, ", "), target, inboundPath)
		case name == s.Top:
			wrong(nil, "%s is an inbound by itself, which leads nowhere: make it a role of a service and write a connector from its channel to who serves it, such as connect: open: {from: %s: \"inbound\", to: web: rest: _}", name, Inbound)
		}
	}
	return problems
}
