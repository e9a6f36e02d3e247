// Package filter looks for elements of slices, and leaves them out, in less room than package slices does.
package filter

// Out are the elements of s that drop does not hold for. s itself is left alone, and nil stays nil.
//
// The compiler makes a [slices.DeleteFunc] of its own for every type of element, three times as large, which also needs a
// [slices.Clone] where s is used again.
//
//go:noinline
func Out[E any](s []E, drop func(E) bool) []E {
	if s == nil {
		return nil
	}
	out := make([]E, 0, len(s))
	for _, x := range s {
		if !drop(x) {
			out = append(out, x)
		}
	}
	return out
}

// Any reports whether f is true of an element of s. The compiler copies [slices.ContainsFunc] to where it is called, which makes the binary larger.
//
//go:noinline
func Any[E any](s []E, f func(E) bool) bool {
	for _, x := range s {
		if f(x) {
			return true
		}
	}
	return false
}

// Contains is [slices.Contains], which the compiler copies to where it is called, too.
//
//go:noinline
func Contains[E comparable](s []E, x E) bool {
	for _, y := range s {
		if x == y {
			return true
		}
	}
	return false
}
