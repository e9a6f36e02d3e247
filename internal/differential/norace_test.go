//go:build !race

package differential

// Fewer is how much fewer cases there are because of how the tests are built.
const Fewer = 1
