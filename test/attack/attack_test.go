// Package attack_test gives kumiki what somebody who means harm would: inputs that
// need all memory, registries that lie, damaged archives, links that lead elsewhere,
// a full disk, an end at any moment. No input may lose data, end in a panic, or go
// on without an end.
//
// It runs the binary that KUMIKI names, under limits of the system, so that a
// mistake takes down that process and not the machine. With -short, which CI takes,
// it tries less of everything that is tried many times.
package attack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a command may take before it is ended from outside.
const (
	maxTime = 60 * time.Second
	// maxAddresses is the address space, in kB. Go takes half a gigabyte of it at
	// once and uses little of that.
	maxAddresses = 6 << 20
)

// outcome is what came of a command.
type outcome struct {
	code     int
	out, err string
	took     time.Duration
}

// place is a directory in which commands run, with a cache of its own.
type place struct {
	t   *testing.T
	dir string
	env []string
}

// newPlace makes a directory with the files, by their names.
func newPlace(t *testing.T, files map[string]string) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir()}
	for name, text := range files {
		p.write(name, text)
	}
	p.env = append(os.Environ(), "CUE_CACHE_DIR="+t.TempDir(), "HOME="+t.TempDir())
	return p
}

func (p *place) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *place) write(name, text string) {
	p.t.Helper()
	require.NoError(p.t, os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	require.NoError(p.t, os.WriteFile(p.path(name), []byte(text), 0o644))
}

// kumiki runs one command line and requires that it ends by itself, without a
// panic: what a command answers is for the caller to judge.
func (p *place) kumiki(args ...string) outcome {
	p.t.Helper()
	return p.after("", args...)
}

// after is [place.kumiki] after a line of the shell, which sets more limits.
func (p *place) after(line string, args ...string) outcome {
	p.t.Helper()
	return p.run(fmt.Sprintf("ulimit -v %d; %s\nexec \"$0\" \"$@\"", maxAddresses, line), args)
}

// run lets a script of the shell run kumiki, which is $0, with the arguments.
func (p *place) run(script string, args []string) outcome {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", script, binary(p.t)}, args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.dir, p.env, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // what measures too
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	begun := time.Now()
	failed := cmd.Run()
	o := outcome{out: out.String(), err: err.String(), took: time.Since(begun)}
	what := strings.Join(args, " ")
	require.NoError(p.t, ctx.Err(), "%s has no end\n%s", what, o.err)
	if ended := new(exec.ExitError); errors.As(failed, &ended) {
		o.code = ended.ExitCode()
	} else {
		require.NoError(p.t, failed)
	}
	for _, sign := range []string{"goroutine ", "internal error", "fatal error", "runtime error"} {
		require.NotContains(p.t, o.err[:min(len(o.err), 3000)], sign, what)
	}
	require.Contains(p.t, []int{0, 1, 2, 3, 7}, o.code, "%s ended with %d\n%.3000s", what, o.code, o.err)
	return o
}

// binary is the kumiki to attack.
func binary(t *testing.T) string {
	t.Helper()
	name := os.Getenv("KUMIKI")
	require.NotEmpty(t, name, "KUMIKI names the binary; make attack builds it")
	return name
}

// component is a whole artifact, and deployment one of it.
const (
	moduleFile = "module: \"attack.example/app@v0\"\nlanguage: version: \"v0.17.0\"\n"
	component  = `package component

#Artifact: {
	ref: name: "app"
	description: {
		config: parameter: text: string
		srv: {}
		code: main: {
			image: tag: "app.example/app:1"
			mapping: env: TEXT: parameter: "text"
			size: {cpu: {size: 100, unit: "m"}, memory: {size: 100, unit: "M"}}
		}
		size: bandwidth: {size: 1, unit: "M"}
	}
}
`
	deployment = `package deployment

import a "attack.example/app/app:component"

#Deployment: {
	name:     "app"
	artifact: a.#Artifact
	config: {
		parameter: text: "x"
		scale: hsize: 1
	}
}
`
)

// application are the files of a deployment that is well; more replaces some and
// adds others.
func application(more map[string]string) map[string]string {
	files := map[string]string{"cue.mod/module.cue": moduleFile, "app/app.cue": component, "deploy/deployment.cue": deployment}
	for name, text := range more {
		files[name] = text
	}
	return files
}

// TestNothing is the attack that does nothing, so that what others see is theirs.
func TestNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, application(nil))
	o := p.kumiki("render", "deploy", "-t", "kubernetes")
	require.Zero(t, o.code, o.err)
	require.Contains(t, o.out, "app.example/app:1")
}
