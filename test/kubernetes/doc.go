// Package kubernetes tests what kumiki makes for Kubernetes on a real API
// server, with Kubernetes' own controllers and scheduler; the nodes alone are
// pretended. `make test-e2e` provides the programs and runs it. It is a module
// of its own so that nothing of Kubernetes is needed to build and test the rest.
package kubernetes
