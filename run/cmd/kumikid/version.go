package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// A release is told to the linker; both are "" in any other build, of which the Go toolchain
// knows the commit.
var release, commit string

func newVersionCmd(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say what this kumikid was built from", Args: cobra.NoArgs,
		Example: "  kumikid version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(out, "kumikid %s\n%s %s/%s\n", built(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// built is the version and the commit.
func built() string {
	if release != "" {
		return release + " (" + commit + ")"
	}
	version, of, changed := "(devel)", "", ""
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	if info.Main.Version != "" {
		version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			of = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " and changes"
		}
	}
	if of == "" {
		return version
	}
	return version + " (" + of + changed + ")"
}
