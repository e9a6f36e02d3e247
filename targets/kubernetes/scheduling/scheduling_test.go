package scheduling_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/capacity"
	"kumiki.dev/late"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	pods "kumiki.dev/targets/kubernetes/scheduling"
	tasks "kumiki.dev/targets/swarm/scheduling"
)

// riders are objects that nobody but their author has looked at.
func riders(t testing.TB, text string) []targets.Object {
	t.Helper()
	found, err := late.Read([]byte(text))
	require.NoError(t, err)
	var out []targets.Object
	for _, x := range found {
		out = append(out, targets.Object{Kind: x.Kind, Name: x.Name, Value: x.Data})
	}
	return out
}

const nodes = `[
 {"kind": "Node", "metadata": {"name": "a", "labels": {"zone": "1", "kubernetes.io/hostname": "a", "size": "8"}}, "status": {"allocatable": {"cpu": "2", "memory": "4Gi", "pods": "4"}}},
 {"kind": "Node", "metadata": {"name": "b", "labels": {"zone": "2", "kubernetes.io/hostname": "b", "size": "16"}}, "status": {"allocatable": {"cpu": "2", "memory": "4Gi", "pods": 4}}},
 {"kind": "Pod", "metadata": {"name": "db", "namespace": "x", "labels": {"app": "db"}}, "spec": {"nodeName": "b", "containers": [{"name": "db", "ports": [{"hostPort": 80}]}]}, "status": {"phase": "Running"}},
 {"kind": "Pod", "metadata": {"name": "shy", "namespace": "x"}, "spec": {"nodeName": "a", "containers": [], "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "loud"}}}]}}}, "status": {"phase": "Running"}}
]`

// TestConditions: what objects of others may ask for besides what roles do.
func TestConditions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, spec string
		labels     string
		placed     int64
		reason     string // of the first node that takes no more
	}{
		{"beside", `"replicas": 5, TEMPLATE "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["db"]}]}}]}}`, "", 3, "none of those that it has to be beside is there"},
		{"beside itself", `"replicas": 9, TEMPLATE "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "me"}}}]}}`, "", 3, "4 instances run there, which is all that there may be"},
		{"spread", `"replicas": 9, TEMPLATE "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "me"}}}]`, "", 6, "4 instances run there, which is all that there may be"},
		{"loud", `"replicas": 1, TEMPLATE "nodeSelector": {"zone": "1"}`, "loud", 0, "others that run there keep it away"},
		{"size", `"replicas": 9, TEMPLATE "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "size", "operator": "Gt", "values": ["8"]}]}, {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["c"]}]}]}}}`, "", 3, "size has to be more than 8: it is 8"},
		{"port", `"replicas": 3, TEMPLATE "hostNetwork": true`, "", 1, "port 80/tcp is taken"},
		{"nowhere", `"replicas": 1, TEMPLATE "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{}]}}}`, "", 0, "no node is asked for"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			app := test.labels
			if app == "" {
				app = "me"
			}
			text := `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "me"}, "spec": {` + replaceTemplate(test.spec, app) + `}}}}`
			demands, err := pods.Demands(&solution.Solution{}, riders(t, text), targets.Options{Namespace: "x"}, false)
			require.NoError(t, err)
			require.Len(t, demands, 1)
			site, err := pods.Site(data(t, nodes), demands)
			require.NoError(t, err)
			report := capacity.Weigh(site, demands)
			require.Equal(t, test.placed, report.Roles[0].Placed, "%+v", report.Roles[0])
			require.NotEmpty(t, report.Roles[0].Why)
			found := ""
			for _, w := range report.Roles[0].Why {
				found += w.Reason + "\n"
			}
			require.Contains(t, found, test.reason)
			require.NotEqual(t, capacity.Fits, report.Verdict)
		})
	}
}

func replaceTemplate(spec, app string) string {
	const marker = "TEMPLATE"
	for i := range spec {
		if len(spec) >= i+len(marker) && spec[i:i+len(marker)] == marker {
			return spec[:i] + `"template": {"metadata": {"labels": {"app": "` + app + `"}}, "spec": {"containers": [{"name": "c", "ports": [{"containerPort": 80}], "resources": {"requests": {"cpu": "100m"}}}],` + spec[i+len(marker):]
		}
	}
	return spec
}

func data(t testing.TB, text string) (out []map[string]any) {
	t.Helper()
	found, err := late.Read([]byte(text))
	require.NoError(t, err)
	for _, x := range found {
		out = append(out, x.Data)
	}
	return out
}

// FuzzSite: whatever is in a file of nodes, and whatever objects ask for, there is an answer
// or an error.
func FuzzSite(f *testing.F) {
	f.Add(nodes, `{"kind": "Deployment", "metadata": {"name": "me"}, "spec": {"replicas": 3, "template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}}}`)
	f.Add(`{"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1e9999", "memory": -3, "pods": "9223372036854775807"}}}`, `{"kind": "DaemonSet", "metadata": {}, "spec": {}}`)
	f.Add(`{"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"pods": "9223372036854775807"}}}`, `{"kind": "Deployment", "metadata": {}, "spec": {"replicas": 9223372036854775807, "template": {"spec": {"topologySpreadConstraints": [{"whenUnsatisfiable": "DoNotSchedule", "maxSkew": -2147483648}]}}}}`)
	f.Add(`{"ID": "a", "Description": {"Hostname": "a", "Resources": {"NanoCPUs": 1e300, "MemoryBytes": -1}}, "Status": {}}`, `{"kind": "Service", "metadata": {"name": "s"}, "deploy": {"replicas": -5, "resources": {"reservations": {"cpus": "NaN", "memory": "99999999999999999999"}}}}`)
	f.Add(`{"NodeID": 5, "Spec": []}`, `{"kind": "Job", "metadata": {}, "spec": {"parallelism": -1}}`)
	f.Fuzz(func(t *testing.T, live, objects string) {
		found, err := late.Read([]byte(live))
		if err != nil {
			return
		}
		var site []map[string]any
		for _, x := range found {
			site = append(site, x.Data)
		}
		asks, err := late.Read([]byte(objects))
		if err != nil {
			return
		}
		var made []targets.Object
		for _, x := range asks {
			made = append(made, targets.Object{Kind: x.Kind, Name: x.Name, Value: x.Data})
		}
		if demands, err := pods.Demands(&solution.Solution{}, made, targets.Options{}, true); err == nil {
			if s, err := pods.Site(site, demands); err == nil {
				capacity.Weigh(s, demands).Lines()
			}
		}
		if demands, err := tasks.Demands(&solution.Solution{}, made, targets.Options{}, true); err == nil {
			if s, err := tasks.Site(site, demands); err == nil {
				capacity.Weigh(s, demands).Lines()
			}
		}
	})
}
