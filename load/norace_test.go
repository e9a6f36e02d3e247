//go:build !race

package load

// Slower is how much longer tests may take because of how they are built.
const Slower = 1
