package capacity

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

type object = map[string]any

// nodesOf are some nodes of a few sizes, some of which take nothing, or not everything.
func nodesOf(r *rand.Rand, set string) (nodes []any) {
	for i := range 2 + r.IntN(5) {
		name := fmt.Sprintf("%s-%d", set, i)
		room := object{
			"cpu": one(r, "2", "3500m", "8"), "memory": one(r, "2Gi", "3900Mi", "8Gi", "16G"),
			"pods": one(r, "3", "5", "110", "110"), "ephemeral-storage": one(r, "20Gi", "100Gi"),
		}
		spec := object{}
		switch r.IntN(8) {
		case 0:
			spec["taints"] = []any{object{"key": "dedicated", "value": "db", "effect": one(r, "NoSchedule", "NoExecute")}}
		case 1:
			spec["taints"] = []any{object{"key": "dedicated", "value": "db", "effect": "PreferNoSchedule"}}
		case 2:
			spec["unschedulable"] = true
		}
		labels := object{"set": set, "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": one(r, "a", "b"), "disk": one(r, "ssd", "hdd")}
		if r.IntN(4) == 0 {
			delete(labels, "disk")
		}
		nodes = append(nodes, object{
			"apiVersion": "v1", "kind": "Node", "metadata": object{"name": name, "labels": labels},
			"spec": spec, "status": object{"capacity": room, "allocatable": room},
		})
	}
	return nodes
}

// podsOf are pods that run on nodes: with containers beside and before others, with limits
// only, with ports of the node, and without anything.
func podsOf(r *rand.Rand, namespace string, nodes []any) (pods []any) {
	asks := func() object {
		amounts := object{"cpu": one(r, "10m", "100m", "0.3"), "memory": one(r, "50M", "128Mi", "300Mi")}
		return one(r, object{}, object{"requests": amounts}, object{"limits": amounts}, object{"requests": amounts, "limits": object{"cpu": "2", "memory": "1Gi"}})
	}
	for _, n := range nodes {
		node := n.(object)["metadata"].(object)["name"].(string)
		for i := range r.IntN(3) {
			first := object{"name": "first", "image": "i:1", "resources": asks()}
			if r.IntN(2) == 0 {
				first["restartPolicy"] = "Always"
			}
			spec := object{
				"nodeName": node, "initContainers": []any{first}, "tolerations": []any{object{"operator": "Exists"}},
				"containers": []any{object{"name": "a", "image": "i:1", "resources": asks()}, object{"name": "b", "image": "i:1", "resources": asks()}},
			}
			pods = append(pods, object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": fmt.Sprintf("%s-%d", node, i), "namespace": namespace}, "spec": spec})
		}
	}
	return pods
}

const component = `package component

#Artifact: {
	ref: name: "c"
	description: {
		config: parameter: {cpu: int, memory: int}
		code: c: {
			image: tag: "c:1"
			user: {userid: 1000, groupid: 1000}
			size: {
				cpu: {size: config.parameter.cpu, unit: "m"}
				mincpu: config.parameter.cpu
				memory: {size: config.parameter.memory, unit: "M"}
			}
		}
		size: bandwidth: {size: 0, unit: "M"}
	}
}
`

// write draws a solution, and writes its module.
func (s *set) write(t *testing.T, r *rand.Rand) {
	t.Helper()
	var roles, sizes strings.Builder
	large := one(r, 1, 1, 1, 3)
	for i := range 1 + r.IntN(5) {
		meta := one(r, `{}`, `{}`, `{}`, `{}`, `{}`, `{}`, `{maxPerNode: 1}`, `{share: "node"}`, `{spread: "zone"}`,
			`{placement: [{label: "disk", value: "ssd"}]}`, `{placement: [{label: "disk", value: "ssd", equal: false}]}`,
			`{placement: [{label: "disk", value: "ssd", soft: true}]}`, `{placement: [{label: "disk", value: "ssd"}], maxPerNode: 1}`)
		fmt.Fprintf(&roles, "\t\trole: r%d: {artifact: c.#Artifact, config: parameter: {cpu: %d, memory: %d}, meta: %s}\n",
			i, large*(10+10*r.IntN(40)), large*(20+r.IntN(300)), meta)
		fmt.Fprintf(&sizes, "\tconfig: scale: detail: r%d: hsize: %d\n", i, r.IntN(5))
	}
	for name, text := range map[string]string{
		"cue.mod/module.cue": "module: \"capacity.example/app@v0\"\nlanguage: version: \"v0.12.0\"\n",
		"c/component.cue":    component,
		"s/service.cue":      "package service\n\nimport c \"capacity.example/app/c:component\"\n\n#Artifact: {\n\tref: name: \"s\"\n\tdescription: {\n" + roles.String() + "\t\tsrv: {}\n\t\tconnect: {}\n\t}\n}\n",
		"d/deployment.cue": "package deployment\n\nimport s \"capacity.example/app/s:service\"\n\n#Deployment: {\n\tname: \"" + s.name + "\"\n\tartifact: s.#Artifact\n" +
			"\tmeta: placement: [{label: \"set\", value: \"" + s.name + "\"}]\n" + sizes.String() + "}\n",
	} {
		file := filepath.Join(s.dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	s.dir = filepath.Join(s.dir, "d")
}
