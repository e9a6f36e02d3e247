//go:build !race

package kubernetes_test

// larger is how many times more may be allocated because of how tests are built.
const larger = 1
