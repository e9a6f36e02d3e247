// Package kubernetes turns a solution into objects of Kubernetes, in the types
// of k8s.io/api, in an order in which they can be created.
//
// In comes a solution that solution.Verify accepts; out go the objects and the
// losses. Role front of the solution shop becomes
//
//	ServiceAccount shop-front             # without a token
//	ConfigMap      shop-front-files-HASH  # its files
//	Deployment     shop-front             # or StatefulSet, or DaemonSet
//	Service        shop-front-web         # each server channel that is used
//	NetworkPolicy  shop-front             # its connections, and no others
//	PodDisruptionBudget, HorizontalPodAutoscaler where it asks for them
//
// Afterwards no two objects have the same kind and name, every name is one that
// its kind takes, all that an object refers to is either among them or
// registered in the cluster under the name that docs/kubernetes.md gives, and
// nothing that changes from version to version is in a field that cannot change.
package kubernetes
