package kubernetes

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kumiki.dev/engine"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/targets"
)

// Right is a rule of a Role: what may be done with resources of a group.
type Right struct {
	Groups    []string `json:"apiGroups"`
	Resources []string `json:"resources"`
	Names     []string `json:"resourceNames,omitempty"`
	Verbs     []string `json:"verbs"`
}

// Rights are the least that a solution's objects need: in the namespace, and in the whole
// cluster for those that are in none.
type Rights struct{ Namespaced, Wide []Right }

// Read rights that every solution needs: the pods of its roles, and what is said of them.
func readRights() []Right {
	return []Right{
		{Groups: []string{""}, Resources: []string{"events", "pods"}, Verbs: []string{"list", "watch"}},
		{Groups: []string{""}, Resources: []string{"pods/log"}, Verbs: []string{"get"}},
		{Groups: []string{"apps"}, Resources: []string{"daemonsets", "replicasets", "statefulsets"}, Verbs: []string{"list"}},
		{Groups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"list"}},
		{Groups: []string{"autoscaling"}, Resources: []string{"horizontalpodautoscalers"}, Verbs: []string{"list"}},
		{Groups: []string{""}, Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"list"}},
	}
}

// RightsFor returns the rights with which objects can be applied, looked at and removed. It asks no
// cluster: the resource of a kind that is not among the usual ones, and not defined by the
// objects either, is its plural in English.
func RightsFor(objects []targets.Object) (Rights, error) {
	c := &Cluster{kinds: map[string]kind{}, real: map[engine.ID]map[string]any{}, defs: map[string]bool{}}
	made, err := c.Objects("", objects, nil)
	if err != nil {
		return Rights{}, err
	}
	defined := definitions(made)
	var out Rights
	verbs := []string{"create", "delete", "get", "list", "patch", "watch"}
	// The record, which is read by its name and written as a whole.
	rights := map[schema.GroupResource][]string{{Resource: "configmaps"}: append([]string{"update"}, verbs...)}
	wide := map[schema.GroupResource][]string{}
	for _, o := range made {
		k, err := resourceOf(o.About, defined)
		if err != nil {
			return Rights{}, err
		}
		of := rights
		if !k.namespaced {
			of = wide
		}
		if of[k.resource.GroupResource()] == nil {
			of[k.resource.GroupResource()] = verbs
		}
		out.Namespaced, out.Wide = passed(o, k, out.Namespaced, out.Wide)
	}
	out.Namespaced = append(append(ruled(rights), readRights()...), out.Namespaced...)
	out.Wide = append(ruled(wide), out.Wide...)
	return out, nil
}

// definitions returns the kinds that objects define, by kind and group.
func definitions(objects []engine.Object) map[string]kind {
	out := map[string]kind{}
	for _, o := range objects {
		if o.Stage != defining {
			continue
		}
		at := func(path ...string) string { text, _, _ := unstructured.NestedString(o.Given, path...); return text }
		out[at("spec", "names", "kind")+"."+at("spec", "group")] = kind{schema.GroupVersionResource{Group: at("spec", "group"), Resource: at("spec", "names", "plural")}, at("spec", "scope") != "Cluster"}
	}
	return out
}

func resourceOf(about engine.About, defined map[string]kind) (kind, error) {
	gv, err := schema.ParseGroupVersion(about.Version)
	if err != nil {
		return kind{}, err
	}
	if resource, ok := tabled(about.Kind, gv.Group); ok {
		plural, wide := strings.CutPrefix(resource, "!")
		return kind{gv.WithResource(plural), !wide}, nil
	}
	if k, ok := defined[apiKind(about)+"."+gv.Group]; ok {
		return k, nil
	}
	plural, _ := meta.UnsafeGuessKindToResource(gv.WithKind(apiKind(about)))
	return kind{plural, true}, nil
}

// ruled returns rights as rules: resources of a group with the same verbs in one.
func ruled(rights map[schema.GroupResource][]string) []Right {
	byVerbs := map[string]*Right{}
	for r, verbs := range rights {
		key := r.Group + " " + strings.Join(verbs, " ")
		if byVerbs[key] == nil {
			byVerbs[key] = &Right{Groups: []string{r.Group}, Verbs: slices.Sorted(slices.Values(verbs))}
		}
		byVerbs[key].Resources = append(byVerbs[key].Resources, r.Resource)
	}
	var out []Right
	for _, key := range sorting.Ordered(byVerbs) {
		slices.Sort(byVerbs[key].Resources)
		out = append(out, *byVerbs[key])
	}
	return out
}

// passed returns the rights that objects give to others: who gives rights has to have them.
func passed(o engine.Object, k kind, namespaced, wide []Right) (a, b []Right) {
	if o.Kind != "Role" && k.resource.Resource != "clusterroles" {
		return namespaced, wide
	}
	rules, _, _ := unstructured.NestedSlice(o.Given, "rules")
	for _, one := range rules {
		fields, _ := one.(map[string]any)
		texts := func(name string) []string { list, _, _ := unstructured.NestedStringSlice(fields, name); return list }
		r := Right{texts("apiGroups"), texts("resources"), texts("resourceNames"), texts("verbs")}
		if k.namespaced {
			namespaced = append(namespaced, r)
		} else {
			wide = append(wide, r)
		}
	}
	return namespaced, wide
}

// Objects returns rights as a Role and its binding to a ServiceAccount, and those for the whole
// cluster where there are any.
func (r Rights) Objects(name, namespace, account string) []map[string]any {
	subject := []any{map[string]any{"kind": "ServiceAccount", "name": account, "namespace": namespace}}
	pair := func(kind, bound string, in map[string]any, rules []Right) []map[string]any {
		const version = "rbac.authorization.k8s.io/v1"
		return []map[string]any{
			{"apiVersion": version, "kind": kind, "metadata": in, "rules": rules},
			{"apiVersion": version, "kind": bound, "metadata": in, "roleRef": map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": in["name"]}, "subjects": subject},
		}
	}
	out := pair("Role", "RoleBinding", map[string]any{"name": name, "namespace": namespace}, r.Namespaced)
	if len(r.Wide) > 0 {
		out = append(out, pair("ClusterRole", "ClusterRoleBinding", map[string]any{"name": namespace + "-" + name}, r.Wide)...)
	}
	return out
}
