package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNullIsNoTerminal: what a script throws away is a character device, and nobody sits
// there.
func TestNullIsNoTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	t.Setenv("TERM", "xterm")
	require.False(t, (&console{Writer: null}).isTerminal())
}
