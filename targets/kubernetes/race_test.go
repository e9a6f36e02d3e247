//go:build race

package kubernetes_test

// larger is how many times more may be allocated than without the race detector,
// under which pools forget what they hold.
const larger = 8
