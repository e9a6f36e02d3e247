package swarm

import (
	"errors"
	"fmt"
	"strings"

	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/targets"
)

var stackName = lazyregexp.New(`^[a-zA-Z0-9][a-zA-Z0-9_.-]*$`)

// Remove writes the lines that remove objects of a stack, in their order:
// "docker KIND rm STACK_NAME". What the stack only refers to is not the stack's,
// and must not be among them.
func Remove(stack string, objects []targets.Object) ([]byte, error) {
	if !stackName().MatchString(stack) {
		return nil, errors.New("the name of a stack is letters, digits, dots, underscores and hyphens, the first a letter or digit")
	}
	var b strings.Builder
	for _, o := range objects {
		if !stackName().MatchString(o.Name) { // a shell reads this
			return nil, fmt.Errorf("%s %q has a name that Swarm does not take", o.Kind, o.Name)
		}
		fmt.Fprintf(&b, "docker %s rm %s_%s\n", strings.ToLower(o.Kind), stack, o.Name)
	}
	return []byte(b.String()), nil
}
