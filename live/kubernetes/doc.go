// Package kubernetes is the [live.Target] of a Kubernetes cluster: server-side apply with a
// field manager of kumiki's own, lists and watches of the labels that objects of a solution
// have, and a ConfigMap as the record.
//
// It has client-go's dynamic client alone: the typed one and those for discovery know all
// kinds of Kubernetes, and would make the binary a third larger. The kinds that are not in
// a table are asked for when an object is of one.
package kubernetes
