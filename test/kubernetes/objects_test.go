package kubernetes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"kumiki.dev/test/kubernetes/kubetest"
)

// object is an object, of which more is read where it is needed.
type object struct {
	metav1.PartialObjectMetadata
	json []byte
}

func (o object) id() string { return o.Kind + "/" + o.Name }

// read fills out, a type of the API, with the object; fields that the type
// lacks are an error.
func (o object) read(t *testing.T, out any) {
	t.Helper()
	require.NoError(t, yaml.UnmarshalStrict(o.json, out), o.id())
}

// parse reads a YAML stream.
func parse(t *testing.T, stream []byte) (objects []object) {
	t.Helper()
	for document := range strings.SplitSeq("\n"+string(stream), "\n---\n") {
		data, err := yaml.YAMLToJSON([]byte(document))
		require.NoError(t, err)
		if !bytes.Equal(data, []byte("null")) {
			objects = append(objects, parseJSON(t, data))
		}
	}
	require.NotEmpty(t, objects)
	return objects
}

func parseJSON(t *testing.T, data []byte) object {
	t.Helper()
	o := object{json: data}
	require.NoError(t, json.Unmarshal(data, &o.PartialObjectMetadata))
	return o
}

// site is a namespace to which manifests are applied.
type site struct {
	*kubetest.Cluster
	namespace string
}

// newSite is a namespace that enforces a Pod Security Standard. That of
// workloads leads to warnings only, which fail the test; that of pods keeps
// them from being made.
func newSite(t *testing.T, standard string) site {
	t.Helper()
	c := start(t)
	return site{c, c.Namespace(t, "pod-security.kubernetes.io/enforce="+standard, "pod-security.kubernetes.io/warn="+standard)}
}

// apply applies a stream twice, once for show, and waits until all workloads
// run.
func (s site) apply(t *testing.T, stream []byte) {
	t.Helper()
	s.Kubectl(t, stream, "apply", "-n", s.namespace, "--server-side", "--dry-run=server", "-f", "-")
	s.start(t, stream, nil)
}

// start applies a stream and waits until all workloads run that are not the same
// in the stream before, which may be nil.
func (s site) start(t *testing.T, stream, before []byte) {
	t.Helper()
	s.Kubectl(t, stream, "apply", "-n", s.namespace, "--server-side", "-f", "-")
	same := map[string]bool{}
	if before != nil {
		for _, o := range parse(t, before) {
			same[string(o.json)] = true
		}
	}
	for _, o := range parse(t, stream) {
		switch o.Kind {
		case "Deployment", "StatefulSet", "DaemonSet":
			if !same[string(o.json)] {
				s.Kubectl(t, nil, "rollout", "status", "-n", s.namespace, o.id(), "--timeout=300s")
			}
		}
	}
}

// list returns the objects of some kinds, "pods,services", by kind and name.
func (s site) list(t *testing.T, kinds string, args ...string) map[string]object {
	t.Helper()
	return byID(t, s.Kubectl(t, nil, append([]string{"get", kinds, "-n", s.namespace, "-o", "json"}, args...)...))
}

// live returns the objects of a stream as the server has them.
func (s site) live(t *testing.T, stream []byte) map[string]object {
	t.Helper()
	return byID(t, s.Kubectl(t, stream, "get", "-n", s.namespace, "-f", "-", "-o", "json"))
}

func byID(t *testing.T, text string) map[string]object {
	t.Helper()
	var list struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &list))
	if list.Kind != "List" {
		list.Items = []json.RawMessage{json.RawMessage(text)}
	}
	objects := map[string]object{}
	for _, data := range list.Items {
		o := parseJSON(t, data)
		objects[o.id()] = o
	}
	return objects
}

// versions are the objects' versions, which every change to them changes.
func versions(objects map[string]object) map[string]string {
	out := map[string]string{}
	for id, o := range objects {
		out[id] = o.ResourceVersion
	}
	return out
}

// pods are the pods of each workload, by its name without the solution's.
func (s site) pods(t *testing.T, label string) map[string]map[string]corev1.Pod {
	t.Helper()
	out := map[string]map[string]corev1.Pod{}
	for _, o := range s.list(t, "pods") {
		if o.DeletionTimestamp != nil {
			continue
		}
		var pod corev1.Pod
		require.NoError(t, json.Unmarshal(o.json, &pod))
		role := fmt.Sprint(o.Labels[label])
		if out[role] == nil {
			out[role] = map[string]corev1.Pod{}
		}
		out[role][string(o.UID)] = pod
	}
	return out
}
