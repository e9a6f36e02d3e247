// Command rusage runs a command and writes what it took, as one JSON object, to
// the file that its first argument names:
//
//	rusage took.json kumiki compile deploy
//	{"wall":0.021,"cpu":0.019,"peak":26504}
//
// wall and cpu are seconds, peak is in kB. It is a process of its own because
// Linux counts the memory of whoever starts a command into the command's peak:
// this one is small, a test or a benchmark is not.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Took is what a command took.
type Took struct {
	Wall float64 `json:"wall"` // seconds from start to end
	CPU  float64 `json:"cpu"`  // seconds, of user and system
	Peak int64   `json:"peak"` // the most memory that was resident, in kB
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: rusage FILE COMMAND ARGS…")
		os.Exit(2)
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	took, err := json.Marshal(Took{
		Wall: wall.Seconds(),
		CPU:  (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		Peak: usage.Maxrss,
	})
	if err == nil {
		err = os.WriteFile(os.Args[1], took, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
