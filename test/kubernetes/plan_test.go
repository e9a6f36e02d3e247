package kubernetes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"kumiki.dev/internal/planedits"
	"kumiki.dev/targets"
)

// lanes are the namespaces that the edits of a case are shared out to.
const lanes = 3

// TestPlans makes every edit of the table, and takes it back: what has to be
// deleted first is deleted, the new version is applied, and what is left over is
// pruned. The server takes all of it, and the roles whose pods are replaced are
// those that the plan names.
func TestPlans(t *testing.T) {
	all, err := planedits.All()
	require.NoError(t, err)
	cases := map[string][]planedits.Edit{}
	for _, e := range all {
		cases[e.Base] = append(cases[e.Base], e)
	}
	for name, list := range cases {
		for lane := range lanes {
			t.Run(fmt.Sprintf("%s/%d", name, lane), func(t *testing.T) {
				t.Parallel()
				v := newDeployed(t, name)
				for i := lane; i < len(list); i += lanes {
					v.thereAndBack(t, list[i])
				}
				v.whole(t)
			})
		}
	}
}

// deployed is a solution in a namespace, at a version.
type deployed struct {
	site
	base   []byte
	file   string // of the version that runs
	stream []byte // its objects
	pods   map[string]map[string]corev1.Pod
}

func newDeployed(t *testing.T, name string) *deployed {
	t.Helper()
	base, err := planedits.Base(filepath.Join(root, "testdata/cases"), name)
	require.NoError(t, err)
	d := &deployed{site: newSite(t, "privileged"), base: base}
	d.Kubectl(t, nil, "label", "nodes", "--all", "--overwrite", "zone=a") // where an edit wants instances
	d.file = d.write(t, base)
	d.run(t)
	d.pods = d.site.pods(t, targets.RoleLabel)
	return d
}

// write keeps a version in a file.
func (d *deployed) write(t *testing.T, text []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "solution.json")
	require.NoError(t, os.WriteFile(file, text, 0o644))
	return file
}

// run applies the current version.
func (d *deployed) run(t *testing.T) {
	t.Helper()
	stream := d.kumiki(t, "lower", d.file)
	d.provide(t, stream)
	d.start(t, stream, d.stream)
	d.stream = stream
}

// kumiki runs a command for the namespace that has to succeed.
func (d *deployed) kumiki(t *testing.T, args ...string) []byte {
	t.Helper()
	args = append(args, "-t", "kubernetes", "-n", d.namespace)
	stdout, stderr, err := kumiki(t, args...)
	require.NoError(t, err, "kumiki %s\n%s", strings.Join(args, " "), stderr)
	return stdout
}

// delete removes the objects of a stream, if there are any.
func (d *deployed) delete(t *testing.T, stream []byte) {
	t.Helper()
	if len(bytes.TrimSpace(stream)) > 0 {
		d.Kubectl(t, stream, "delete", "-n", d.namespace, "--ignore-not-found", "--cascade=foreground", "-f", "-")
	}
}

func (d *deployed) thereAndBack(t *testing.T, e planedits.Edit) {
	t.Helper()
	text, err := e.Apply(d.base)
	require.NoError(t, err)
	before, after := d.file, d.write(t, text)
	d.next(t, after, e.Name)
	d.next(t, before, e.Name+", taken back")
}

// next goes to another version, and compares what the plan says with what
// happens.
func (d *deployed) next(t *testing.T, file, name string) {
	t.Helper()
	var plan struct{ Restarts []string }
	stdout := d.kumiki(t, "plan", d.file, file, "-o", "json", "--allow-data-loss", "shop", "--allow-data-loss", "platform")
	require.NoError(t, json.Unmarshal(stdout, &plan))
	// What is listed to be replaced or pruned is listed before anything is done.
	replaced := d.kumiki(t, "prune", d.file, file, "--replaced")
	gone := d.kumiki(t, "prune", d.file, file)
	d.delete(t, only(t, replaced, gone))
	before := d.pods
	old := d.file
	d.file = file
	d.run(t)
	d.delete(t, gone)
	d.pods = d.site.pods(t, targets.RoleLabel)
	var want []string
	for _, place := range plan.Restarts {
		_, role, _ := strings.Cut(place, "/")
		want = append(want, role)
	}
	slices.Sort(want)
	if got := changed(t, before, d.pods); !slices.Equal(want, got) {
		t.Errorf("%s: the plan has %v, and the server replaced the pods of %v\n%s", name, want, got, d.kumiki(t, "plan", old, file, "--details", "--allow-data-loss", "shop", "--allow-data-loss", "platform"))
	}
}

// whole shows that nothing is left of all the other versions, and nothing of this
// one missing.
func (d *deployed) whole(t *testing.T) {
	t.Helper()
	var want []string
	for _, o := range parse(t, d.stream) {
		want = append(want, o.id())
	}
	const kinds = "serviceaccounts,networkpolicies,configmaps,services,deployments,statefulsets,daemonsets,poddisruptionbudgets,horizontalpodautoscalers,ingresses"
	got := d.list(t, kinds, "-l", targets.SolutionLabel)
	require.ElementsMatch(t, want, slices.Collect(maps.Keys(got)))
}

// only are the objects of a stream that another does not have.
func only(t *testing.T, stream, without []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	for document := range strings.SplitSeq(string(stream), "---\n") {
		if document != "" && !bytes.Contains(without, []byte(document)) {
			b.WriteString("---\n" + document)
		}
	}
	return b.Bytes()
}

// changed are the roles of both versions none of whose pods are the same. Where
// there were none, or are none, nothing is replaced.
func changed(t *testing.T, before, after map[string]map[string]corev1.Pod) (roles []string) {
	t.Helper()
	for role := range after {
		kept := 0
		for uid := range after[role] {
			if _, ok := before[role][uid]; ok {
				kept++
			}
		}
		switch least := min(len(before[role]), len(after[role])); kept {
		case least:
		case 0:
			roles = append(roles, role)
		default:
			t.Errorf("%s: %d of %d pods kept", role, kept, least)
		}
	}
	slices.Sort(roles)
	return roles
}
