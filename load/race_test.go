//go:build race

package load

// Slower is how much longer tests may take than they may without the race
// detector.
const Slower = 20
