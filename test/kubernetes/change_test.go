package kubernetes

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"kumiki.dev/targets"
)

// changes are the next versions of the shop, each on top of the one before:
// what is changed, and the roles whose pods are replaced by it.
var changes = []struct {
	name   string
	change func(t *testing.T, dir string)
	rolled []string
}{
	{"nothing", func(*testing.T, string) {}, nil},
	{"variable", func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "deploy/deployment.cue"), `"Wood & Joints"`, `"Wood"`)
	}, []string{"web"}},
	{"variable, through a parameter", func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "deploy/deployment.cue"), `title: `, `orders: false, parameter: title: `)
	}, []string{"api"}},
	{"image", func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "web/web.cue"), "shop/web:2.3.1", "shop/web:2.3.2")
	}, []string{"web"}},
	{"file that asks for it", func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "web/web.cue"), `format: "json"`, `format: "json", rebootOnUpdate: true`)
	}, []string{"web"}},
	{"file that asks for it, again", func(t *testing.T, dir string) { edit(t, filepath.Join(dir, "web/web.cue"), "*24", "*48") }, []string{"web"}},
	{"file that does not", func(t *testing.T, dir string) { edit(t, filepath.Join(dir, "db/db.cue"), "pgcrypto", "citext") }, nil},
	{"version of the module", func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "shop/shop.cue"), `name: "shop"`, `name: "shop", ref: version: [2, 1, 0]`)
	}, nil},
	{"secret", func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "deploy/deployment.cue"), `"shop-db-password"`, `"shop-db-password-2"`)
	}, []string{"api", "db"}},
	{"size", func(t *testing.T, dir string) { edit(t, filepath.Join(dir, "api/api.cue"), "size: 512", "size: 640") }, []string{"api"}},
	{"more instances", func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "deploy/deployment.cue"), "web: hsize: 2", "web: hsize: 4")
		edit(t, filepath.Join(dir, "deploy/deployment.cue"), "api: hsize: 3", "api: hsize: 4")
	}, nil},
	{"fewer instances", func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "deploy/deployment.cue"), "web: hsize: 4", "web: hsize: 1")
		edit(t, filepath.Join(dir, "deploy/deployment.cue"), "api: hsize: 4", "api: hsize: 2")
	}, nil},
	{"resilience", func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "deploy/deployment.cue"), "resilience: 1", "resilience: 0")
	}, []string{"api", "web"}},
}

// TestChanges applies one version of the shop after the other and looks at
// whose pods are replaced: those of the roles that have changed and no others.
func TestChanges(t *testing.T) {
	t.Parallel()
	dir := copyOf(t, "shop")
	m := manifest{dir: filepath.Join(dir, "deploy")}
	s := newSite(t, "baseline")
	stream, _ := m.render(t, s.namespace)
	s.provide(t, stream)
	s.apply(t, stream)
	before := s.pods(t, targets.RoleLabel)
	for _, c := range changes {
		c.change(t, dir)
		stream, _ := m.render(t, s.namespace)
		s.provide(t, stream)
		s.apply(t, stream)
		after := s.pods(t, targets.RoleLabel)
		require.Equal(t, c.rolled, rolled(t, before, after), c.name)
		before = after
	}
}

// TestVolumes shows that a role with a registered volume can have more instances
// in its next version, and fewer again. Its first instance may be replaced, as a
// claim for each instance is another than one for all.
func TestVolumes(t *testing.T) {
	t.Parallel()
	dir := copyOf(t, "shop")
	m := manifest{dir: filepath.Join(dir, "deploy")}
	s := newSite(t, "baseline")
	for _, size := range []int{1, 2, 1} {
		edit(t, filepath.Join(dir, "shop/shop.cue"), "scale: hsize: ", fmt.Sprintf("scale: hsize: %d // ", size))
		stream, _ := m.render(t, s.namespace)
		s.provide(t, stream)
		s.apply(t, stream)
		require.Len(t, s.pods(t, targets.RoleLabel)["db"], size)
	}
}

// rolled are the roles whose pods have been replaced, all of them; where the
// number of pods has changed only, the fewer are among the more.
func rolled(t *testing.T, before, after map[string]map[string]corev1.Pod) (roles []string) {
	t.Helper()
	require.Equal(t, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	for _, role := range slices.Sorted(maps.Keys(after)) {
		require.NotEmpty(t, role)
		kept := 0
		for uid := range after[role] {
			if _, ok := before[role][uid]; ok {
				kept++
			}
		}
		switch kept {
		case 0:
			roles = append(roles, role)
		case min(len(before[role]), len(after[role])):
		default:
			t.Errorf("%s: %d of %d pods kept", role, kept, len(before[role]))
		}
	}
	return roles
}

// TestRoleNames shows that the pods of a role can be told by their labels.
func TestRoleNames(t *testing.T) {
	t.Parallel()
	stream, _ := manifest{dir: filepath.Join(root, "examples/shop/deploy")}.render(t, "any")
	var names []string
	for _, o := range parse(t, stream) {
		if w, ok := workload(t, o); ok {
			names = append(names, w.Labels[targets.RoleLabel])
		}
	}
	slices.Sort(names)
	require.Equal(t, "api db web", strings.Join(names, " "))
}
