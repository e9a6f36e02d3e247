package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kumiki.dev/engine"
)

// kind is the API resource of a kind.
type kind struct {
	resource   schema.GroupVersionResource
	namespaced bool
}

// errNoKind says that a cluster knows no such kind.
var errNoKind = errors.New("the cluster has no such kind")

// plurals are the resources of the kinds that solutions are made of, and of some that go with
// them often; those with a ! are in no namespace.
const plurals = `ConfigMap configmaps Service services ServiceAccount serviceaccounts Secret secrets Pod pods
PersistentVolumeClaim persistentvolumeclaims PersistentVolume !persistentvolumes Namespace !namespaces Node !nodes Event events ResourceQuota resourcequotas LimitRange limitranges
Deployment deployments StatefulSet statefulsets DaemonSet daemonsets ReplicaSet replicasets Job jobs CronJob cronjobs
NetworkPolicy networkpolicies Ingress ingresses PodDisruptionBudget poddisruptionbudgets HorizontalPodAutoscaler horizontalpodautoscalers
Role roles RoleBinding rolebindings ClusterRole.rbac.authorization.k8s.io !clusterroles ClusterRoleBinding.rbac.authorization.k8s.io !clusterrolebindings
CustomResourceDefinition.apiextensions.k8s.io !customresourcedefinitions Gateway gateways HTTPRoute httproutes TCPRoute tcproutes`

// kind finds out about the kind of an object: from the table, else by asking the cluster.
func (c *Cluster) kind(ctx context.Context, about engine.About) (kind, error) {
	gv, err := schema.ParseGroupVersion(about.Version)
	if err != nil {
		return kind{}, err
	}
	if resource, ok := tabled(about.Kind, gv.Group); ok {
		plural, wide := strings.CutPrefix(resource, "!")
		return kind{gv.WithResource(plural), !wide}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name, _, _ := strings.Cut(about.Kind, ".")
	key := about.Version + "/" + name
	if found, ok := c.kinds[key]; ok {
		return found, nil
	}
	found, err := c.ask(ctx, gv, name)
	if err == nil {
		c.kinds[key] = found
	}
	return found, err
}

// tabled returns the resource of a kind by the table. One without a group in its name is of a
// group of Kubernetes' own.
func tabled(name, group string) (string, bool) {
	words := strings.Fields(plurals)
	for i := 0; i < len(words); i += 2 {
		_, qualified, has := strings.Cut(words[i], ".")
		if words[i] == name && (has && group == qualified || !has && !strings.Contains(name, ".")) {
			return words[i+1], true
		}
	}
	return "", false
}

// ask reads what kinds a group of the API has.
func (c *Cluster) ask(ctx context.Context, gv schema.GroupVersion, name string) (kind, error) {
	path := "/apis/" + gv.String()
	if gv.Group == "" {
		path = "/api/" + gv.Version
	}
	var list struct {
		Resources []struct {
			Name, Kind string
			Namespaced bool
		}
	}
	if err := c.read(ctx, path, &list); err != nil {
		return kind{}, err
	}
	for _, r := range list.Resources {
		if r.Kind == name && !strings.Contains(r.Name, "/") {
			return kind{gv.WithResource(r.Name), r.Namespaced}, nil
		}
	}
	return kind{}, fmt.Errorf("%w: %s of %s", errNoKind, name, gv)
}

// read gets JSON by its path.
func (c *Cluster) read(ctx context.Context, path string, into any) error {
	body, err := c.open(ctx, path, "")
	if err != nil {
		return err
	}
	defer body.Close()
	return json.NewDecoder(body).Decode(into)
}

// open gets what is at a path.
func (c *Cluster) open(ctx context.Context, path, query string) (io.ReadCloser, error) {
	at := *c.base
	at.Path, at.RawQuery = strings.TrimSuffix(at.Path, "/")+path, query
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusOK {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if answer.StatusCode == http.StatusNotFound {
		return nil, fmt.Errorf("%w: %s", errNoKind, path)
	}
	return nil, fmt.Errorf("%s: %s", path, messageOf(answer.Status, text))
}

// messageOf returns what the API server says, without the rest of its answer.
func messageOf(status string, text []byte) string {
	var said struct{ Message string }
	if json.Unmarshal(text, &said) == nil && said.Message != "" {
		return said.Message
	}
	return status
}
