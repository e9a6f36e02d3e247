package kubernetes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// balanced is a store whose channel a load balancer leads to, and a shop that needs to know
// where that is.
const balanced = `
-- cue.mod/module.cue --
module: "late.example/apps@v0"
language: version: "v0.12.0"
-- web/web.cue --
package component

#Artifact: {
	ref: name: "web"
	description: {
		config: {
			parameter: {
				host: =~"^[0-9.]+$"
				port: uint16
			}
			scale: hsize: *1 | uint
		}
		srv: server: web: port: 8080
		code: web: {
			image: tag: "web.example/web:1.0.0"
			user: {userid: 10001, groupid: 10001}
			mapping: env: {HOST: parameter: "host", PORT: parameter: "port"}
			size: {cpu: {size: 10, unit: "m"}, memory: {size: 16, unit: "M"}}
		}
		size: bandwidth: {size: 0, unit: "M"}
	}
}
-- data/data.cue --
package service

import (
	k "kumori.systems/kumori:kumori"
	i "kumori.systems/builtins/inbound:service"
	w "late.example/apps/web:component"
)

#Artifact: {
	ref: name: "data"
	description: {
		config: resource: port: k.#Port
		role: {
			sql: {artifact: w.#Artifact, config: parameter: {host: "127.0.0.1", port: 1}}
			edge: {artifact: i.#Artifact, config: {parameter: type: "tcp", resource: port: description.config.resource.port}}
		}
		srv: {}
		connect: edge: {from: edge: "inbound", to: sql: web: _}
	}
}
-- store/deployment.cue --
package deployment

import d "late.example/apps/data:service"

#Deployment: {
	name:     "store"
	artifact: d.#Artifact
	config: {
		resource: port: port: "30032"
		scale: detail: sql: hsize: 1
	}
}
-- shop/deployment.cue --
package deployment

import w "late.example/apps/web:component"

#Deployment: {
	name:     "shop"
	artifact: w.#Artifact
	config: parameter: {
		host: {$from: "store", field: "Service/store-edge.status.loadBalancer.ingress[0].ip"}
		port: {$from: "store", field: "Service/store-edge.spec.ports[0].port"}
	}
}
`

// TestLate fills a solution with what kubectl prints of a load balancer, once the cluster has
// one, and finds the values in the pods.
func TestLate(t *testing.T) {
	t.Parallel()
	s := newSite(t, "restricted")
	dir := t.TempDir()
	writeFiles(t, dir, balanced)
	stream, stderr, err := kumiki(t, "render", filepath.Join(dir, "store"), "-t", "kubernetes", "-n", s.namespace)
	require.NoError(t, err, stderr)
	s.apply(t, stream)
	live := filepath.Join(dir, "live.json")
	fill := func() (filled []byte, stderr string, err error) {
		require.NoError(t, os.WriteFile(live, []byte(s.Kubectl(t, nil, "get", "services", "-n", s.namespace, "-o", "json")), 0o600))
		return kumiki(t, "fill", filepath.Join(dir, "shop"), "--with", filepath.Join(dir, "store"), "--live", live, "-n", s.namespace)
	}
	_, stderr, err = fill()
	require.Error(t, err, "the load balancer has no address yet")
	require.Contains(t, stderr, "Service/store-edge has no status.loadBalancer.ingress")

	s.Kubectl(t, nil, "patch", "service/store-edge", "-n", s.namespace, "--subresource=status", "--type=merge", "-p", `{"status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.7"}]}}}`)
	filled, stderr, err := fill()
	require.NoError(t, err, stderr)
	file := filepath.Join(dir, "shop.json")
	require.NoError(t, os.WriteFile(file, filled, 0o600))
	stream, stderr, err = kumiki(t, "lower", file, "-t", "kubernetes", "-n", s.namespace)
	require.NoError(t, err, stderr)
	s.apply(t, stream)
	var d appsv1.Deployment
	o := s.list(t, "deployments")["Deployment/shop-web"]
	require.NotNil(t, o.json)
	o.read(t, &d)
	require.Subset(t, d.Spec.Template.Spec.Containers[0].Env, []corev1.EnvVar{{Name: "HOST", Value: "203.0.113.7"}, {Name: "PORT", Value: "30032"}})
}

// dependent is a role that is there for its clients, which run on one node.
const dependent = `
-- cue.mod/module.cue --
module: "near.example/apps@v0"
language: version: "v0.12.0"
-- node/node.cue --
package component

#Artifact: {
	ref: name: "node"
	description: {
		srv: {client: next: _, server: entry: port: 8080}
		code: node: {
			image: tag: "node.example/node:1.0.0"
			user: {userid: 10001, groupid: 10001}
			size: {cpu: {size: 10, unit: "m"}, memory: {size: 16, unit: "M"}}
		}
		size: bandwidth: {size: 0, unit: "M"}
	}
}
-- app/app.cue --
package service

import n "near.example/apps/node:component"

#Artifact: {
	ref: name: "app"
	description: {
		role: {
			near: {artifact: n.#Artifact, meta: dependency: true}
			web: artifact: n.#Artifact
		}
		srv: {}
		connect: next: {from: web: "next", to: near: entry: _}
	}
}
-- deploy/deployment.cue --
package deployment

import a "near.example/apps/app:service"

#Deployment: {
	name:     "near"
	artifact: a.#Artifact
	config: scale: detail: {web: hsize: *1 | uint, near: hsize: 4}
}
`

// TestDependency lets the scheduler place a role that is there for another one: its pods wait
// until there are pods of its client, and run on their nodes only, although there is room on
// others.
func TestDependency(t *testing.T) {
	t.Parallel()
	s := newSite(t, "restricted")
	dir := t.TempDir()
	writeFiles(t, dir, dependent)
	render := func(more ...string) (stream []byte, stderr string) {
		stream, stderr, err := kumiki(t, append([]string{"render", filepath.Join(dir, "deploy"), "-t", "kubernetes", "-n", s.namespace}, more...)...)
		require.NoError(t, err, stderr)
		return stream, stderr
	}
	stream, losses := render()
	require.Contains(t, losses, "lost/placement")
	s.apply(t, stream)
	nodes := func(role string) (out []string) {
		for _, o := range s.list(t, "pods", "-l", "kumiki.dev/role="+role) {
			var p corev1.Pod
			o.read(t, &p)
			out = append(out, p.Spec.NodeName)
		}
		return out
	}
	web, near := nodes("web"), nodes("near")
	require.Len(t, web, 1)
	require.Len(t, near, 4)
	require.Equal(t, web, slices.Compact(slices.Sorted(slices.Values(near))))
	require.Greater(t, len(strings.Fields(s.Kubectl(t, nil, "get", "nodes", "-o", "name"))), 1)

	idle, losses := render("--set", "config.scale.detail.web.hsize=0")
	require.NotContains(t, losses, "lost/placement")
	s.Kubectl(t, idle, "apply", "-n", s.namespace, "--server-side", "-f", "-")
	require.Eventually(t, func() bool { return len(nodes("near"))+len(nodes("web")) == 0 }, 2*time.Minute, time.Second, "nobody is left where nobody is served")
}
