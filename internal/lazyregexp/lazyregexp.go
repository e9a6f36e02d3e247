// Package lazyregexp has regular expressions that are compiled when they are first
// used. Most commands use few of them, and every command would pay for all at its start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles text at its first call, and then always
// returns the same expression. It panics at that call if text cannot be compiled.
// It is not inlined: its 75 copies would be 100 KB of kumiki.
//
//go:noinline
func New(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
