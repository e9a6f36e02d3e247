//go:build !race

package compiler

// Slower is how much longer tests may take because of how they are built.
const Slower = 1
