package targets

import (
	"encoding/json"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
)

// Settle is a solution with those of its late values that follow from the target: where
// channels of other solutions are. It reports the others, unless the options let them be, and
// addresses that no link lets anybody reach.
// Address says where a channel is, or else in wrong why that has no address.
func Settle(s *solution.Solution, o Options, address func(*solution.LateChannel) (at Address, wrong string)) (*solution.Solution, diag.List) {
	var problems diag.List
	values := map[int]any{}
	for i, l := range s.Late {
		path := strings.Split(l.At, ".")
		pos := s.Position(s.Top, "", path...)
		if l.Channel == nil {
			if !o.Unfilled {
				problems = append(problems, diag.New(diag.LateUnfilled, pos, "%s of %s is not known yet: it is %s of deployment %s; look that up (%s) and put it in with kumiki fill SOLUTION --live live.json", l.At, s.Top, l.Field, l.Deployment, lookUp(l.Field)).AtPath(append([]string{"deployments", s.Top}, path...)...))
			}
			continue
		}
		at, wrong := address(l.Channel)
		if wrong != "" {
			problems = append(problems, diag.New(diag.LateUnfilled, pos, "%s of %s is %s of deployment %s: %s", l.At, s.Top, l.Field, l.Deployment, wrong).AtPath(append([]string{"deployments", s.Top}, path...)...))
			continue
		}
		values[i] = at.part(l.Channel.Part)
		if d := unlinked(s, l, pos); d != nil {
			problems = append(problems, d)
		}
	}
	if problems.HasErrors() || len(values) == 0 {
		return s, problems
	}
	filled, err := s.Fill(values)
	if err != nil {
		return s, append(problems, diag.New(diag.BadSolution, diag.NoPos, "late values do not fit into the solution: %v", err))
	}
	filled.Digest = s.Digest
	return filled, problems
}

// unlinked warns of an address that is told although the solution has no link to its channel.
// The port alone says nothing of who is asked.
func unlinked(s *solution.Solution, l solution.Late, pos diag.Pos) *diag.Diagnostic {
	to := solution.End{Deployment: l.Deployment, Channel: l.Channel.Name}
	linked := s.External != nil && filter.Any(s.External.Links, func(x solution.ExternalLink) bool { return x.To == to })
	if linked || l.Channel.Part == "port" || s.Acknowledged.Cover(diag.LostEgress, pos) {
		return nil
	}
	return diag.Warn(diag.LostEgress, pos, "%s of %s is where %v is, and no link lets instances reach it: link a client channel of %s to it, links: NAME: to: {deployment: %q, channel: %q}", l.At, s.Top, to, s.Top, to.Deployment, to.Channel).
		AtPath(append([]string{"deployments", s.Top}, strings.Split(l.At, ".")...)...)
}

// part is what a field of an address asks for.
func (a Address) part(part string) any {
	port := strconv.Itoa(a.Port)
	switch part {
	case "host":
		return a.Host
	case "port":
		return json.Number(port)
	}
	return a.Host + ":" + port
}

// lookUp is the command that shows an object.
func lookUp(field string) string {
	kind, name, _, _ := solution.SplitObject(field)
	switch strings.ToLower(kind) {
	case "service":
		if kind == "service" {
			return "docker service inspect " + name + " > live.json"
		}
	case "network", "container", "volume", "node", "config", "secret":
		if kind == strings.ToLower(kind) {
			return "docker " + kind + " inspect " + name + " > live.json"
		}
	}
	return "kubectl get " + strings.ToLower(kind) + "/" + name + " -o json > live.json"
}
