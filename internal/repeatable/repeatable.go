// Package repeatable makes the tests of a package that draw what they try draw the
// same in every run, so that a change is judged by what it changes. It is imported
// for this effect:
//
//	import _ "kumiki.dev/internal/repeatable"
//
// -rapid.seed=7 draws others, and -rapid.seed=0 others in each run, as .ci/steady does.
package repeatable

import (
	"flag"
	"fmt"

	_ "pgregory.net/rapid" // has the flag
)

// The flag is set before the command line is read, which therefore has the last word.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(fmt.Errorf("rapid has another flag now: %w", err))
	}
}
