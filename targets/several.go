package targets

import (
	"fmt"
	"strings"
)

// mostTold is how many of a kind a message names.
const mostTold = 5

// Several names what one message is about, each once and in their order: the first ones,
// and how many there are beside.
func Several(names []string) string {
	var told []string
	seen := map[string]bool{}
	for _, name := range names {
		if !seen[name] {
			told = append(told, name)
		}
		seen[name] = true
	}
	more := ""
	if n := len(told) - mostTold; n > 0 {
		told, more = told[:mostTold], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(told, ", ") + more
}
