package load

import (
	"strings"

	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
)

// What depends on how CUE words an error is here, and nowhere else in this package.
// TestWording says which words those are in the version that is built with.

// atEndOfFile reports whether the parser came to the end where more was expected.
func atEndOfFile(e errors.Error) bool {
	_, args := e.Msg()
	return filter.Any(args, func(arg any) bool {
		tok, ok := arg.(token.Token)
		return ok && tok == token.EOF
	})
}

// nobodyProvides reports whether a registry says no more than that no module has a
// package.
func nobodyProvides(err error) bool {
	return strings.Contains(err.Error(), "cannot find module providing package")
}

// ofModuleFile is what is wrong with a module's file, without its name.
func ofModuleFile(name string, err error) string {
	return strings.TrimPrefix(err.Error(), "invalid module file "+name+": ")
}
