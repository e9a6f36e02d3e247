//go:build !race

package benchapp_test

// fewer is how much fewer cases there are because of how the tests are built.
const fewer = 1
