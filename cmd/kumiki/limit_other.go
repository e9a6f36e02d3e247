//go:build !unix

package main

// addressSpace is what limits of the shell leave to use; here there are none.
func addressSpace() (uint64, error) { return 0, errNoLimit }
