package kubernetes

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// newTerminal makes a terminal: what a program has of it, and what a person sits at.
func newTerminal(t *testing.T) (terminal, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = person.Close() })
	var number, locked uint32
	control := func(what uintptr, value *uint32) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), what, uintptr(unsafe.Pointer(value)))
		require.Zero(t, errno)
	}
	control(syscall.TIOCSPTLCK, &locked)
	control(syscall.TIOCGPTN, &number)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	return terminal, person
}
