//go:build unix

package main

import "syscall"

// reserved is about what Go takes of the address space without using it.
const reserved = 2 << 30

// addressSpace is what the shell's ulimit -v leaves to use.
func addressSpace() (uint64, error) {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &r); err != nil || uint64(r.Cur) > 1<<50 {
		return 0, errNoLimit
	}
	return max(uint64(r.Cur), reserved) - reserved, nil
}
