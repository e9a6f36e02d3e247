package compiler

import (
	"maps"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/value"
)

// accepts are the channels of a solution that clients of others may link to, and
// labels those that others know it by.
func (c *compilation) accepts(s *solution.Solution) (out []solution.Accept, problems diag.List) {
	at := map[solution.End]string{}
	for _, f := range c.result.Base.Accepts.Each() {
		end, d := c.offered(s, f)
		if d != nil {
			problems = append(problems, d)
			continue
		}
		a := solution.Accept{Channel: end.Channel, Deployment: end.Deployment}
		for _, x := range f.Value.Items {
			client, d := acceptedClient(s, x)
			if d != nil {
				problems = append(problems, d.AtPath("accepts", f.Name))
				continue
			}
			for _, client := range append([]solution.Client{client}, c.labelled(client)...) {
				if !filter.Any(a.Clients, func(c solution.Client) bool {
					return c.Deployment == client.Deployment && maps.Equal(c.Labels, client.Labels)
				}) {
					a.Clients = append(a.Clients, client)
				}
			}
		}
		if at[end] != "" {
			problems = append(problems, diag.New(diag.BadLink, f.Value.Pos, "%s and %s are the same %v: write all of its clients into one of them", at[end], f.Name, end).AtPath("accepts", f.Name))
		}
		at[end] = f.Name
		if len(a.Clients) > 0 {
			out = append(out, a)
		}
	}
	return out, problems
}

// labelled are the known clients that have the labels of one, by their names.
func (c *compilation) labelled(by solution.Client) (out []solution.Client) {
	for _, client := range c.in.Clients {
		if by.Deployment == "" && by.Has(client.Labels) {
			out = append(out, solution.Client{Deployment: client.Deployment})
		}
	}
	return out
}

// offered is the channel that an entry of accepts is about: one of the deployment, or
// ROLE.CHANNEL of what a role has become.
func (c *compilation) offered(s *solution.Solution, f value.Field) (solution.End, *diag.Diagnostic) {
	end := solution.End{Channel: f.Name, Deployment: s.Top}
	if i := strings.LastIndex(f.Name, "."); i >= 0 && s.Deployments[s.Top+"."+f.Name[:i]] != nil {
		end = solution.End{Channel: f.Name[i+1:], Deployment: s.Top + "." + f.Name[:i]}
	}
	if d := badEnd(s, end, false, f.Value.Pos, "accepts names"); d != nil {
		return end, d.AtPath("accepts", f.Name)
	}
	return end, nil
}

// acceptedClient is one entry of a channel's clients.
func acceptedClient(s *solution.Solution, d *value.Data) (solution.Client, *diag.Diagnostic) {
	client := solution.Client{Deployment: d.Get("deployment").Str()}
	labels := d.Get("labels")
	switch {
	case (client.Deployment == "") == (len(labels.Each()) == 0):
		return client, diag.New(diag.BadLink, d.Pos, "%s names no client: write either {deployment: \"NAME\"}, {labels: {KEY: \"VALUE\"}}, or {deployment: \"*\"} for all", d.JSON())
	case s.Deployments[client.Deployment] != nil:
		return client, diag.New(diag.BadLink, d.Get("deployment").Pos, "accepts names deployment %s, which is one of its own: it is about clients of other solutions, connectors join those inside", client.Deployment)
	case client.Deployment != "":
		return client, nil
	}
	var problem *diag.Diagnostic
	client.Labels, problem = labelsOf(labels)
	return client, problem
}

// labels are those that the deployment says it has.
func (c *compilation) labels() (map[string]string, diag.List) {
	given := c.result.Base.Labels
	labels, d := labelsOf(given)
	if d != nil {
		return nil, diag.List{d.AtPath("labels")}
	}
	for _, f := range given.Each() {
		if prefix, _, _ := strings.Cut(f.Name, "/"); prefix == "kumiki.dev" || strings.HasSuffix(prefix, ".kumiki.dev") || prefix == "app.kubernetes.io" {
			return nil, diag.List{diag.New(diag.Shape, f.Value.Pos, "label %s is one that kumiki sets itself: choose another key", f.Name).AtPath("labels", f.Name)}
		}
	}
	return labels, nil
}

func labelsOf(d *value.Data) (map[string]string, *diag.Diagnostic) {
	var out map[string]string
	for _, f := range d.Each() {
		if text := solution.LabelProblem(f.Name, f.Value.Str()); text != "" {
			return nil, diag.New(diag.Shape, f.Value.Pos, "%s", text)
		}
		if out == nil {
			out = map[string]string{}
		}
		out[f.Name] = f.Value.Str()
	}
	return out, nil
}
