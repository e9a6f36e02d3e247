package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// platform is an operating system and a processor, as Go calls them.
type platform struct{ system, processor string }

func (p platform) String() string { return p.system + "_" + p.processor }

func parsePlatform(text string) (platform, error) {
	system, processor, ok := strings.Cut(text, "/")
	if !ok {
		return platform{}, fmt.Errorf("%q is no platform: write linux/amd64", text)
	}
	return platform{system, processor}, nil
}

// binary is a program for a platform.
type binary struct {
	name string // with .exe on Windows
	on   platform
	data []byte
}

// program is a command of the repository.
type program struct {
	name   string
	module string // the directory of its module, "" for the repository's
}

// The programs of a release. The manager has a module of its own.
var (
	kumiki   = program{name: "kumiki"}
	resolver = program{name: "kumiki-resolver"}
	manager  = program{name: "kumikid", module: "run"}
)

// build builds a program. The version is told to the linker: what Go would record itself
// depends on a tag, and on whether there is a Git repository.
func build(ctx context.Context, root string, v version, on platform, of program) (binary, error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return binary{}, err
	}
	defer os.RemoveAll(dir)
	b := binary{name: of.name, on: on}
	if on.system == "windows" {
		b.name += ".exe"
	}
	told := "-s -w -X main.release=" + v.name + " -X main.commit=" + v.commit
	if err := goTool(ctx, filepath.Join(root, of.module), on, "build", "-ldflags", told, "-o", filepath.Join(dir, b.name), "./cmd/"+of.name); err != nil {
		return binary{}, err
	}
	b.data, err = os.ReadFile(filepath.Join(dir, b.name))
	return b, err
}

// goTool runs the go command for a platform; the zero platform is that of this machine.
// Nothing that a user may have set changes what it builds.
func goTool(ctx context.Context, dir string, on platform, command string, args ...string) error {
	fixed := []string{"-trimpath", "-buildvcs=false", "-mod=readonly"}
	cmd := exec.CommandContext(ctx, "go", append(append([]string{command}, fixed...), args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off", "GOAMD64=v1", "GOARM64=v8.0", "GOOS="+on.system, "GOARCH="+on.processor)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, &said)
	}
	return nil
}
