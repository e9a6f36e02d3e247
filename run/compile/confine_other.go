//go:build !linux

package compile

import "os/exec"

// confine does nothing: only Linux gives a process a network of its own.
func (c *Compiler) confine(*exec.Cmd) { c.alone = false }

// start starts a child, whose memory and time kumiki itself bounds.
func (c *Compiler) start(cmd *exec.Cmd) error { return cmd.Start() }
