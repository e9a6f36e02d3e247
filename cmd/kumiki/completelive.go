package main

import (
	"context"
	"strings"

	"kumiki.dev/client"
	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
)

// asking returns what a cluster is asked in the time that a key may take; nothing is printed, and
// nothing completed, where it does not answer.
func asking(t typed, managed func(context.Context, *client.Client) []string, ask func(ctx context.Context, c live.System) []string) []string {
	var words []string
	if askManaged(t, func(ctx context.Context, c *client.Client) { words = managed(ctx, c) }) {
		return begins(words, t.word)
	}
	var f liveFlags
	f.lower.target, f.lower.options.Namespace = flagOf(t, "target"), flagOf(t, "namespace")
	f.cluster.Kubeconfig, f.cluster.Context = flagOf(t, "kubeconfig"), flagOf(t, "context")
	if f.lower.target == "" {
		f.lower.target = "kubernetes"
	}
	connect := systems[f.lower.target]
	if connect == nil {
		return nil
	}
	c, err := connect(&f)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(t.cmd.Context(), completing)
	defer cancel()
	return begins(ask(ctx, c), t.word)
}

// begins returns the words that begin with a text.
func begins(words []string, with string) []string {
	return filter.Out(words, func(word string) bool { return !strings.HasPrefix(word, with) })
}

// deploymentsAt are the names of a manager's deployments.
func deploymentsAt(ctx context.Context, c *client.Client) (names []string) {
	all, _, _ := c.Deployments(ctx, "", "")
	for _, d := range all {
		names = append(names, d.Name)
	}
	return names
}

// rolesAt are the roles of the deployment at a manager that a path begins with.
func rolesAt(ctx context.Context, c *client.Client, path string) []client.Role {
	name, _, _ := strings.Cut(path, "/")
	o, _ := c.Observe(ctx, name)
	return o.Roles
}

// runningOf returns the names of what runs.
func runningOf(t typed) ([]string, bool) {
	return asking(t, deploymentsAt, func(ctx context.Context, c live.System) (names []string) {
		records, _ := c.Records(ctx)
		for _, r := range records {
			names = append(names, r.Solution)
		}
		return names
	}), false
}

// solutionsOrRunningOf returns solutions, and the names of what runs.
func solutionsOrRunningOf(t typed) ([]string, bool) {
	words, noSpace := solutionsOf(t)
	if strings.ContainsAny(t.word, "/.:") {
		return words, noSpace // it is no name
	}
	running, _ := runningOf(t)
	return append(running, words...), noSpace
}

// placesOf returns the names of what runs, and of its deployments and roles.
func placesOf(t typed) ([]string, bool) {
	managed := func(ctx context.Context, c *client.Client) []string {
		paths := deploymentsAt(ctx, c)
		if strings.Contains(t.word, "/") {
			for _, r := range rolesAt(ctx, c, t.word) {
				paths = append(paths, r.Place)
			}
		}
		return paths
	}
	words := asking(t, managed, func(ctx context.Context, c live.System) (paths []string) {
		records, _ := c.Records(ctx)
		for _, r := range records {
			paths = append(append(paths, r.Solution), live.Places(r.Workloads())...)
		}
		return paths
	})
	return words, false
}

// nodesOf returns the nodes of the cluster.
func nodesOf(t typed) ([]string, bool) {
	managed := func(ctx context.Context, c *client.Client) (names []string) {
		nodes, _, _ := c.Nodes(ctx, flagOf(t, "environment"))
		for _, node := range nodes {
			names = append(names, node.Name)
		}
		return names
	}
	return asking(t, managed, func(ctx context.Context, c live.System) (names []string) {
		if n, ok := c.(live.Noder); ok {
			nodes, _ := n.Nodes(ctx)
			for _, node := range nodes {
				names = append(names, node.Name)
			}
		}
		return names
	}), false
}

// instancesOf returns the instances of the role that was typed before.
func instancesOf(t typed) ([]string, bool) {
	managed := func(ctx context.Context, c *client.Client) (names []string) {
		for _, path := range t.args {
			for _, r := range rolesAt(ctx, c, path) {
				for _, one := range r.Instances {
					if r.Place == path || strings.HasPrefix(r.Place, path+"/") {
						names = append(names, one.Name)
					}
				}
			}
		}
		return names
	}
	return asking(t, managed, func(ctx context.Context, c live.System) (names []string) {
		m, ok := c.(live.Mover)
		if !ok {
			return nil
		}
		all, _ := m.Movables(ctx, "")
		for _, one := range all {
			if len(t.args) == 0 || one.Within(t.args[0]) || one.Solution == t.args[0] {
				names = append(names, one.Name)
			}
		}
		return names
	}), false
}
