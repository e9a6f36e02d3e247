package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConsole writes what others may have said: nothing of it steers a terminal, and
// the colours of reports are there where they are asked for.
func TestConsole(t *testing.T) {
	t.Parallel()
	const title, erase, left = "\x1b]0;owned\a", "\x1b[2K\r\x9b", "a\u202eb"
	for color, red := range map[string]string{"never": `\x1b[1;31mred\x1b[0m`, "always": "\x1b[1;31mred\x1b[0m"} {
		var out bytes.Buffer
		c := &console{Writer: &out, color: color}
		fmt.Fprintf(c, "%s%s%s\tté\n\x1b[1;31mred\x1b[0m\n", title, erase, left)
		require.Equal(t, `\x1b]0;owned\a\x1b[2K\r\x9ba\u202eb`+"\tté\n"+red+"\n", out.String())
	}
}
