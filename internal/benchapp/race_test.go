//go:build race

package benchapp_test

// fewer is how much fewer cases there are under the race detector, which is slow.
const fewer = 50
