package kubernetes

import (
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"

	"kumiki.dev/test/kubernetes/policy"
)

// linked is the sources of applications that link to each other.
const linked = `
-- cue.mod/module.cue --
module: "links.example/apps@v0"
language: version: "v0.12.0"
-- node/node.cue --
package component

#Artifact: {
	ref: name: "node"
	description: {
		srv: {
			client: {next: _, skip: _}
			server: {entry: port: 8080, admin: port: 9090}
		}
		config: {
			parameter: peer: *"" | string
			scale: hsize: *1 | uint
		}
		code: node: {
			image: tag: "node.example/node:1.0.0"
			user: {userid: 10001, groupid: 10001}
			mapping: env: {NEXT: value: "http://0.next/", PEER: parameter: "peer"}
			size: {cpu: {size: 10, unit: "m"}, memory: {size: 16, unit: "M"}}
		}
		size: bandwidth: {size: 0, unit: "M"}
	}
}
-- inner/inner.cue --
package service

import n "links.example/apps/node:component"

#Artifact: {
	ref: name: "inner"
	description: {
		role: node: artifact: n.#Artifact
		srv: {
			client: {next: _, skip: _}
			server: {entry: port: 80, admin: port: 80}
		}
		connect: {
			entry: {from: self: "entry", to: node: entry: _}
			admin: {from: self: "admin", to: node: admin: _}
			next: {from: node: "next", to: self: next: _}
			skip: {from: node: "skip", to: self: skip: _}
		}
	}
}
-- outer/outer.cue --
package service

import (
	n "links.example/apps/node:component"
	i "links.example/apps/inner:service"
)

#Artifact: {
	ref: name: "outer"
	description: {
		role: {
			inner: artifact: i.#Artifact
			side: artifact: n.#Artifact
		}
		srv: {
			client: {next: _, skip: _}
			server: {entry: port: 80, admin: port: 80}
		}
		connect: {
			entry: {from: self: "entry", to: inner: entry: _}
			admin: {from: self: "admin", to: inner: admin: _}
			next: {from: inner: "next", to: self: next: _}
			skip: {from: inner: "skip", to: self: skip: _}
		}
	}
}
`

// apps is how many there are. Each links by channel next to the one after it, and by
// channel skip to the one three after: circles of ten.
const apps = 10

// app is one of them.
type app struct {
	name, namespace string
	whole           bool // a service with a service in it, whose role links and serves
}

// server is the pod that serves, in the words of [key].
func (a app) server() string {
	if a.whole {
		return key(a.name+".inner", "node")
	}
	return key(a.name, "node")
}

// told reports whether app i takes the address of the next one as a value. Values are taken in
// no circle.
func (a app) told(i int) bool { return i%2 == 0 && !a.whole }

// target is where a channel of app i leads to.
func target(all []app, i int, channel string) app {
	return all[(i+map[string]int{"next": 1, "skip": 3}[channel])%apps]
}

// writeApps writes the deployments. Clients are accepted by their names, the one before
// app 4 by a label, and everybody by app 7.
func writeApps(t *testing.T, dir string, all []app) {
	t.Helper()
	writeFiles(t, dir, linked)
	for i, a := range all {
		artifact := `"links.example/apps/node:component"`
		if a.whole {
			artifact = `"links.example/apps/outer:service"`
		}
		accepts := fmt.Sprintf(`{deployment: %q}, {deployment: %q}`, all[(i+apps-1)%apps].name, all[(i+apps-3)%apps].name)
		switch i {
		case 4:
			accepts = fmt.Sprintf(`{labels: tier: "3"}, {deployment: %q}`, all[1].name)
		case 7:
			accepts = `{deployment: "*"}`
		}
		peer := ""
		if a.told(i) {
			peer = fmt.Sprintf("\tconfig: parameter: peer: {$from: %q, field: \"channel.entry.address\"}\n", target(all, i, "next").name)
		}
		links := fmt.Sprintf("skip: to: {deployment: %q, channel: \"entry\"}", target(all, i, "skip").name)
		if i%2 == 0 {
			links += fmt.Sprintf("\n\t\tnext: to: {deployment: %q, channel: \"entry\"}", target(all, i, "next").name)
		} else {
			write(t, filepath.Join(dir, "links", a.name+".cue"), fmt.Sprintf("package link\n\n#Link: {from: {deployment: %q, channel: \"next\"}, to: {deployment: %q, channel: \"entry\"}, meta: weight: %d}\n", a.name, target(all, i, "next").name, i))
		}
		write(t, filepath.Join(dir, "apps", a.name, "deployment.cue"), fmt.Sprintf("package deployment\n\nimport a %s\n\n#Deployment: {\n\tname: %q\n\tartifact: a.#Artifact\n\tlabels: tier: \"%d\"\n\tlinks: {\n\t\t%s\n\t}\n\taccepts: entry: [%s]\n%s}\n", artifact, a.name, i, links, accepts, peer))
	}
}

func writeFiles(t *testing.T, dir, archive string) {
	t.Helper()
	name, text := "", ""
	flush := func() {
		if name != "" {
			write(t, filepath.Join(dir, name), text)
		}
	}
	for line := range strings.Lines(archive) {
		if mark, ok := strings.CutPrefix(line, "-- "); ok {
			flush()
			name, text = strings.TrimSuffix(strings.TrimSpace(mark), " --"), ""
			continue
		}
		text += line
	}
	flush()
}

func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

// TestLinks applies ten applications that link to each other in circles to two namespaces,
// and reads back what the server has of them: the policies let each link through and nothing
// else, and the address that a client is told leads to the pods of its server.
func TestLinks(t *testing.T) {
	t.Parallel()
	first := newSite(t, "restricted")
	sites := [2]site{first, {first.Cluster, first.namespace + "-2"}}
	first.Kubectl(t, nil, "create", "namespace", sites[1].namespace)
	t.Cleanup(func() { first.Kubectl(t, nil, "delete", "namespace", sites[1].namespace, "--wait=false") })
	all := make([]app, apps)
	for i := range all {
		all[i] = app{"a" + strconv.Itoa(i), sites[i/5].namespace, i%3 == 0}
	}
	dir := t.TempDir()
	writeApps(t, dir, all)
	for i, a := range all {
		args := []string{"render", filepath.Join(dir, "apps", a.name), "-t", "kubernetes", "-n", a.namespace, "--with", filepath.Join(dir, "apps"), "--links", filepath.Join(dir, "links")}
		for _, other := range all {
			args = append(args, "--namespace-of", other.name+"="+other.namespace)
		}
		stream, stderr, err := kumiki(t, args...)
		require.NoError(t, err, stderr)
		sites[i/5].Kubectl(t, stream, "apply", "-n", a.namespace, "--server-side", "-f", "-")
	}
	l := live{pods: map[string]policy.Pod{}, env: map[string]map[string]string{}, services: map[string]corev1.Service{}}
	for _, s := range sites {
		l.read(t, s)
	}
	require.Len(t, l.pods, 2*4+6)
	l.checkLinks(t, all)
	l.checkAddresses(t, all)
}

// live is what the servers have.
type live struct {
	policies policy.Policies
	pods     map[string]policy.Pod
	env      map[string]map[string]string
	services map[string]corev1.Service // by NAME.NAMESPACE
}

func (l *live) read(t *testing.T, s site) {
	t.Helper()
	for _, o := range s.list(t, "networkpolicies,services,deployments,statefulsets") {
		switch o.Kind {
		case "NetworkPolicy":
			var p networkingv1.NetworkPolicy
			o.read(t, &p)
			l.policies = append(l.policies, p)
		case "Service":
			var x corev1.Service
			o.read(t, &x)
			l.services[x.Name+"."+s.namespace] = x
		default:
			w, _ := workload(t, o)
			at := key(w.Labels["kumiki.dev/deployment"], w.Labels["kumiki.dev/role"])
			require.NotContains(t, l.pods, at)
			l.pods[at] = policy.Pod{
				IP: netip.AddrFrom4([4]byte{10, 0, 1, byte(len(l.pods) + 1)}), Namespace: s.namespace, Labels: w.Labels,
				NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": s.namespace},
			}
			l.env[at] = map[string]string{}
			for _, v := range w.Spec.Containers[0].Env {
				l.env[at][v.Name] = v.Value
			}
		}
	}
}

// checkLinks compares what is allowed with the links, for all pairs of pods, at all ports.
func (l *live) checkLinks(t *testing.T, all []app) {
	t.Helper()
	entry := policy.Port{Number: 8080, Protocol: corev1.ProtocolTCP}
	wanted := map[way]bool{}
	for i, a := range all {
		for _, channel := range []string{"next", "skip"} {
			wanted[way{a.server(), target(all, i, channel).server(), entry}] = true
		}
	}
	stranger := policy.Pod{
		IP: netip.AddrFrom4([4]byte{10, 0, 2, 1}), Namespace: all[0].namespace,
		NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": all[0].namespace},
	}
	l.pods[""] = stranger
	wanted[way{"", all[7].server(), entry}] = true
	var wrong []string
	for _, from := range slices.Sorted(maps.Keys(l.pods)) {
		for _, to := range slices.Sorted(maps.Keys(l.pods)) {
			if to == "" || from == to {
				continue
			}
			for _, port := range []policy.Port{entry, {Number: 9090, Protocol: corev1.ProtocolTCP}, {Number: 80, Protocol: corev1.ProtocolTCP}, {Number: 8080, Protocol: corev1.ProtocolUDP}} {
				w := way{from, to, port}
				got, err := l.policies.Allow(l.pods[from], l.pods[to], port)
				require.NoError(t, err)
				if got != wanted[w] {
					wrong = append(wrong, fmt.Sprintf("%v: allowed %t, linked %t", w, got, wanted[w]))
				}
			}
		}
	}
	require.Empty(t, strings.Join(wrong, "\n"))
	require.Len(t, wanted, 2*apps+1)
}

// checkAddresses follows what clients are told through the services.
func (l *live) checkAddresses(t *testing.T, all []app) {
	t.Helper()
	for i, a := range all {
		variables := map[string]string{"KUMIKI_CHANNEL_NEXT": "next", "KUMIKI_CHANNEL_SKIP": "skip"}
		if a.told(i) {
			variables["PEER"] = "next"
		}
		for variable, channel := range variables {
			to := target(all, i, channel)
			host, port, ok := strings.Cut(l.env[a.server()][variable], ":")
			require.True(t, ok, "%s has no %s", a.server(), variable)
			if !strings.Contains(host, ".") {
				require.Equal(t, a.namespace, to.namespace)
				host += "." + a.namespace
			}
			s, ok := l.services[host]
			require.True(t, ok, "%s of %s leads to %s, which is no service", channel, a.name, host)
			at := slices.IndexFunc(s.Spec.Ports, func(p corev1.ServicePort) bool { return strconv.Itoa(int(p.Port)) == port })
			require.GreaterOrEqual(t, at, 0)
			require.Equal(t, 8080, s.Spec.Ports[at].TargetPort.IntValue())
			for name, pod := range l.pods {
				selected := pod.Namespace == to.namespace && labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(pod.Labels))
				require.Equal(t, name == to.server(), selected, "%s of %s reaches %s", channel, a.name, name)
			}
			require.Contains(t, l.services, strings.Replace(host, ".", "-set.", 1), "the names of instances")
		}
	}
}
