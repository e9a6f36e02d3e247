// Package program tells the running program from others: what one has derived, another
// may derive differently.
package program

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime/debug"
)

// ID is the same as long as the program is: it holds what it was built from, and its file.
func ID() (sum [sha256.Size]byte, err error) {
	name, err := os.Executable()
	if err != nil {
		return sum, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return sum, err
	}
	version := ""
	if b, ok := debug.ReadBuildInfo(); ok {
		version = b.String()
	}
	return sha256.Sum256(fmt.Appendf(nil, "%s %d %d", version, info.Size(), info.ModTime().UnixNano())), nil
}
