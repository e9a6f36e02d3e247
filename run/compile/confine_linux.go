package compile

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// spare is what a Go process takes of the address space without using it.
const spare = 4 << 30

// niceness is how much a child leaves to others.
const niceness = 10

// confine gives a child a process group of its own, and a network without anything in it.
func (c *Compiler) confine(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if !c.alone {
		return
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNET
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
}

// start starts a child and sets its limits: none of them holds this process.
func (c *Compiler) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	seconds := uint64((c.limits.CPU + time.Second - 1) / time.Second)
	space := uint64(c.limits.Memory) + spare
	for resource, limit := range map[int]uint64{unix.RLIMIT_CPU: seconds, unix.RLIMIT_AS: space, unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: maxOutput} {
		// One that has ended already needs none.
		_ = unix.Prlimit(cmd.Process.Pid, resource, &unix.Rlimit{Cur: limit, Max: limit}, nil)
	}
	// Answers come before compilations.
	_ = unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, niceness)
	return nil
}
