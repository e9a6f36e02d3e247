package kubernetes

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// namespace is that of all objects, where it is asked for. Others may be at home in it: it
// has no label of the solution, is not in the inventory, and is never removed.
func (b *builder) namespace() {
	if !b.options.CreateNamespace {
		return
	}
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.options.Namespace, Labels: map[string]string{managedBy: "kumiki"}}}
	n.APIVersion, n.Kind = "v1", "Namespace"
	b.add("Namespace", b.options.Namespace, place{}, n)
}

// managedBy is the label by which tools tell whose an object is.
const managedBy = "app.kubernetes.io/managed-by"
