package kubernetes

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"

	"kumiki.dev/internal/golden"
)

// TestCases applies every golden case to the API server: it takes all objects
// without a warning, runs them under the strictest Pod Security Standard, finds
// nothing to do when they come again, and keeps nothing when they are deleted.
func TestCases(t *testing.T) {
	golden.Each(t, cases, func(t *testing.T, c *golden.Case) {
		if c.Section("out/errors.txt") != nil {
			t.Skip("the case has no solution")
		}
		applied(t, manifestOf(c))
	})
}

// TestExamples shows that every example with a deployment is among the cases.
func TestExamples(t *testing.T) {
	t.Parallel()
	deployments, err := filepath.Glob(filepath.Join(root, "examples/*/deploy"))
	require.NoError(t, err)
	require.NotEmpty(t, deployments)
	for _, dir := range deployments {
		require.FileExists(t, filepath.Join(root, "testdata/cases", "example-"+filepath.Base(filepath.Dir(dir))+".txtar"))
	}
}

func applied(t *testing.T, m manifest) {
	t.Helper()
	// The namespace's name is part of what is rendered, so the losses come first.
	_, losses := m.render(t, "any")
	standard := "restricted"
	if strings.Contains(losses, "[lost/user]") {
		standard = "baseline"
	}
	s := newSite(t, standard)
	stream, _ := m.render(t, s.namespace)
	s.provide(t, stream)
	s.apply(t, stream)
	s.again(t, stream)
	s.remove(t, stream)
}

// again applies the stream once more: no object becomes another version of
// itself. Controllers write the status of objects at any time, hence the
// retries.
func (s site) again(t *testing.T, stream []byte) {
	t.Helper()
	var before, after map[string]string
	retry(func() bool {
		before = versions(s.live(t, stream))
		s.Kubectl(t, stream, "apply", "-n", s.namespace, "--server-side", "-f", "-")
		after = versions(s.live(t, stream))
		return equal(before, after)
	})
	require.Equal(t, before, after, "the second apply changes something")
	// kubectl diff reads each object twice: it also shows what a controller wrote in between.
	var out string
	var err error
	retry(func() bool {
		out, _, err = s.Try(stream, "diff", "-n", s.namespace, "--server-side", "-f", "-")
		return err == nil
	})
	require.NoError(t, err, "%s", out)
}

// retry calls ok until it returns true, at most five times and a second apart.
func retry(ok func() bool) {
	for range 5 {
		if ok() {
			return
		}
		time.Sleep(time.Second)
	}
}

func equal(a, b map[string]string) bool {
	for id, version := range a {
		if b[id] != version {
			return false
		}
	}
	return len(a) == len(b)
}

// remove deletes what the inventory lists, and finds nothing left.
func (s site) remove(t *testing.T, stream []byte) {
	t.Helper()
	listed := s.inventory(t)
	for _, o := range parse(t, stream) {
		require.Contains(t, listed, o.id(), "not in the inventory")
	}
	require.Len(t, listed, len(parse(t, stream)))
	s.Kubectl(t, nil, append([]string{"delete", "-n", s.namespace}, listed...)...)
	kinds := strings.Fields(s.Kubectl(t, nil, "api-resources", "--namespaced", "--verbs=list,delete", "-o", "name"))
	kinds = slices.DeleteFunc(kinds, func(kind string) bool { return kind == "endpoints" || strings.HasPrefix(kind, "events") })
	claims := claimPrefixes(t, stream)
	left := func() (ids []string) {
		for id, o := range s.list(t, strings.Join(kinds, ",")) {
			_, foreign := o.Labels[provided]
			foreign = foreign || slices.ContainsFunc(claims, func(c string) bool { return strings.HasPrefix(id, c) })
			if !foreign && id != "ConfigMap/kube-root-ca.crt" && id != "ServiceAccount/default" {
				ids = append(ids, id)
			}
		}
		return ids
	}
	require.Eventually(t, func() bool { return len(left()) == 0 }, 3*time.Minute, time.Second, "%s", later(left))
}

// claimPrefixes are what the claims of a stream's instances begin with. They are
// registered volumes: the platform's, and not deleted with a solution.
func claimPrefixes(t *testing.T, stream []byte) (prefixes []string) {
	t.Helper()
	for _, o := range parse(t, stream) {
		if o.Kind == "StatefulSet" {
			var s appsv1.StatefulSet
			o.read(t, &s)
			for _, c := range s.Spec.VolumeClaimTemplates {
				prefixes = append(prefixes, "PersistentVolumeClaim/"+c.Name+"-"+o.Name+"-")
			}
		}
	}
	return prefixes
}

// later is a list that is made only when it is printed.
type later func() []string

func (l later) String() string { return strings.Join(l(), " ") }
