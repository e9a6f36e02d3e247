// Package capacity holds what kumiki capacity says against the real scheduler, on nodes of
// which there is only the object. It has a control plane of its own, since pods of other
// tests would take the room.
package capacity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	room "kumiki.dev/capacity"
	"kumiki.dev/test/kubernetes/kubetest"
)

var start func(testing.TB) *kubetest.Cluster

func TestMain(m *testing.M) {
	os.Exit(kubetest.Main(m, func(s func(testing.TB) *kubetest.Cluster) { start = s }))
}

// sets is how many clusters and solutions are drawn. Each solution runs on nodes that have
// a label for it.
const sets = 24

// set is a solution with the nodes that it is for.
type set struct {
	name, dir string
	nodes     []any
	report    room.Report
}

// TestScheduler draws nodes with something on them, and solutions; asks what fits; and lets
// the scheduler place the pods. Whatever fits is placed, and at least as many pods stay
// pending as surely have no room. Where more nodes surely make room, they do.
func TestScheduler(t *testing.T) {
	c := start(t)
	namespace := c.Namespace(t)
	r := rand.New(rand.NewPCG(18, 9))
	var all []*set
	var objects []any
	for i := range sets {
		s := &set{name: fmt.Sprintf("set-%d", i), dir: t.TempDir()}
		s.nodes = nodesOf(r, s.name)
		objects = append(append(objects, s.nodes...), podsOf(r, namespace, s.nodes)...)
		s.write(t, r)
		all = append(all, s)
	}
	create(t, c, objects)
	require.Eventually(t, func() bool {
		text := c.Kubectl(t, nil, "get", "nodes,pods", "-A", "-o", "json")
		return !strings.Contains(text, "node.kubernetes.io/not-ready") && !strings.Contains(text, `"phase": "Pending"`)
	}, 2*time.Minute, time.Second, "nodes are not ready, or pods on them do not run")
	nodes := filepath.Join(t.TempDir(), "nodes.json")
	require.NoError(t, os.WriteFile(nodes, []byte(c.Kubectl(t, nil, "get", "nodes,pods", "-A", "-o", "json")), 0o600))
	var stream bytes.Buffer
	counts := map[room.Verdict]int{}
	for _, s := range all {
		s.report = capacity(t, "-n", namespace, "--nodes", nodes, s.dir)
		counts[s.report.Verdict]++
		out, _, err := kumiki(t, "render", s.dir, "-t", "kubernetes", "-n", namespace)
		require.NoError(t, err)
		stream.WriteString("---\n")
		stream.Write(out)
	}
	t.Logf("verdicts: %v", counts)
	require.GreaterOrEqual(t, counts[room.Fits], sets/4)
	require.GreaterOrEqual(t, counts[room.Lacks], sets/4)
	c.Kubectl(t, stream.Bytes(), "apply", "-n", namespace, "--server-side", "-f", "-")
	placed := wait(t, c, namespace, all)
	for _, s := range all {
		s.check(t, placed)
	}
	widen(t, c, namespace, all)
}

// check compares what was said with what came of it.
func (s *set) check(t *testing.T, placed map[string][2]int64) {
	t.Helper()
	var pending int64
	for _, r := range s.report.Roles {
		got := placed[s.name+"/"+r.Role]
		pending += got[1]
		if r.Verdict == room.Fits {
			require.Zero(t, got[1], "%s %s fits, and has pending pods: %+v", s.name, r.Role, r)
		}
		require.GreaterOrEqual(t, got[1], r.Surely, "%s %s: %+v", s.name, r.Role, r)
	}
	require.GreaterOrEqual(t, pending, s.report.Surely, "%s: %v %v", s.name, s.report.Lines(), placed)
	if s.report.Verdict == room.Fits {
		require.Zero(t, pending, s.name)
	}
}

// widen adds the nodes that would do to the sets that lack some.
func widen(t *testing.T, c *kubetest.Cluster, namespace string, all []*set) {
	t.Helper()
	var more []any
	var wide []*set
	for _, s := range all {
		for _, w := range s.report.Would {
			if w.Sure == 0 || len(w.Without) > 0 {
				continue
			}
			for i := range w.Sure {
				more = append(more, s.another(w.Like, i))
			}
			wide = append(wide, s)
			break
		}
	}
	require.GreaterOrEqual(t, len(wide), sets/8)
	create(t, c, more)
	for _, s := range wide {
		s.report.Verdict = room.Fits
	}
	require.Eventually(t, func() bool {
		placed := count(t, c, namespace)
		for _, s := range wide {
			for key, n := range placed {
				if strings.HasPrefix(key, s.name+"/") && n[1] > 0 {
					return false
				}
			}
		}
		return true
	}, 3*time.Minute, time.Second, "more nodes did not do for all of %d sets", len(wide))
}

// another is one more node like one of the set.
func (s *set) another(like string, i int64) any {
	for _, n := range s.nodes {
		text, _ := json.Marshal(n)
		var data map[string]any
		_ = json.Unmarshal(text, &data)
		meta := data["metadata"].(map[string]any)
		if meta["name"] == like {
			meta["name"] = fmt.Sprintf("%s-more-%d", like, i)
			meta["labels"].(map[string]any)["kubernetes.io/hostname"] = meta["name"]
			return data
		}
	}
	return nil
}

// wait returns how many pods of each role were placed and are pending, once the scheduler
// has looked at all of them and changes its mind no more.
func wait(t *testing.T, c *kubetest.Cluster, namespace string, all []*set) map[string][2]int64 {
	t.Helper()
	var last map[string][2]int64
	require.Eventually(t, func() bool {
		now := count(t, c, namespace)
		for _, s := range all {
			for _, r := range s.report.Roles {
				if got := now[s.name+"/"+r.Role]; got[0]+got[1] != r.Instances {
					return false
				}
			}
		}
		same := fmt.Sprint(last) == fmt.Sprint(now)
		last = now
		return same
	}, 5*time.Minute, 2*time.Second, "the scheduler has not looked at all pods")
	return last
}

// count is how many pods of each role have a node, and of how many the scheduler says that
// they get none.
func count(t *testing.T, c *kubetest.Cluster, namespace string) map[string][2]int64 {
	t.Helper()
	var list struct {
		Items []struct {
			Metadata struct {
				Labels            map[string]string
				DeletionTimestamp *string
			}
			Spec   struct{ NodeName string }
			Status struct {
				Conditions []struct{ Type, Status, Reason string }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(c.Kubectl(t, nil, "get", "pods", "-n", namespace, "-l", "kumiki.dev/solution", "-o", "json")), &list))
	counts := map[string][2]int64{}
	for _, p := range list.Items {
		key := p.Metadata.Labels["kumiki.dev/solution"] + "/" + p.Metadata.Labels["kumiki.dev/role"]
		n := counts[key]
		if p.Spec.NodeName != "" {
			n[0]++
		}
		for _, condition := range p.Status.Conditions {
			if p.Spec.NodeName == "" && condition.Type == "PodScheduled" && condition.Reason == "Unschedulable" {
				n[1]++
			}
		}
		counts[key] = n
	}
	return counts
}

func create(t *testing.T, c *kubetest.Cluster, objects []any) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
	require.NoError(t, err)
	c.Kubectl(t, text, "create", "-f", "-")
}

// capacity is what kumiki says.
func capacity(t *testing.T, args ...string) (report room.Report) {
	t.Helper()
	out, stderr, err := kumiki(t, append([]string{"capacity", "-t", "kubernetes", "-o", "json"}, args...)...)
	failed, _ := err.(*exec.ExitError)
	require.True(t, err == nil || failed != nil && failed.ExitCode() == 4, "%v %s", err, stderr)
	require.NoError(t, json.Unmarshal(out, &report))
	require.Equal(t, report.Verdict == room.Lacks, err != nil)
	return report
}

func kumiki(t *testing.T, args ...string) (stdout []byte, stderr string, err error) {
	t.Helper()
	binary := os.Getenv("KUMIKI")
	require.NotEmpty(t, binary, "KUMIKI names no binary: run make test-e2e")
	cmd := exec.Command(binary, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.Bytes(), errs.String(), err
}
