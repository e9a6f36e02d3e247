package main

import (
	"context"
	"strings"

	"kumiki.dev/live"
)

// asking returns what a cluster is asked in the time that a key may take; nothing is printed, and
// nothing completed, where it does not answer.
func asking(t typed, ask func(ctx context.Context, c live.System) []string) []string {
	if names, ok := managedNames(t); ok {
		return names
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
	var words []string
	for _, word := range ask(ctx, c) {
		if strings.HasPrefix(word, t.word) {
			words = append(words, word)
		}
	}
	return words
}

// runningOf returns the names of what runs.
func runningOf(t typed) ([]string, bool) {
	return asking(t, func(ctx context.Context, c live.System) (names []string) {
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
	words := asking(t, func(ctx context.Context, c live.System) (paths []string) {
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
	return asking(t, func(ctx context.Context, c live.System) (names []string) {
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
	return asking(t, func(ctx context.Context, c live.System) (names []string) {
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
