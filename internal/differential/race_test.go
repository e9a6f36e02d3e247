//go:build race

package differential

// Fewer is how much fewer cases there are under the race detector, which is slow.
const Fewer = 50
