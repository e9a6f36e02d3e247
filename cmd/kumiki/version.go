package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// built is what a binary was built from.
type built struct {
	// Version is that of the module, "(devel)" for a checkout that has none.
	Version string `json:"version"`
	// Commit is that of the sources, "" where they were not in a version control
	// system; Changed tells that there was more than what was committed.
	Commit  string `json:"commit,omitempty"`
	Changed bool   `json:"changed,omitempty"`
	// CUE is the version of the language's implementation.
	CUE string `json:"cue"`
	// Go and Platform are what it was built with and for.
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// cueModule is the module whose version decides what manifests mean.
const cueModule = "cuelang.org/go"

// A release is told to the linker, as it is built from sources alone; both are "" in any
// other build, of which the Go toolchain knows the version.
var release, commit string

// builtFrom is what the Go toolchain has recorded in this binary.
func builtFrom() built {
	b := built{Version: "unknown", CUE: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Path == cueModule {
			b.CUE = m.Version
		}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	if release != "" {
		b.Version, b.Commit, b.Changed = release, commit, false
	}
	return b
}

func newVersionCmd(s streams) *cobra.Command {
	var form string
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Say what this kumiki was built from",
		Long:    "Version says which version of kumiki this is, of which commit, and which version of\nCUE decides what manifests mean.",
		Example: "  kumiki version\n  kumiki version -o json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := builtFrom()
			switch form {
			case "json":
				e := json.NewEncoder(s.out)
				e.SetIndent("", "  ")
				return e.Encode(b)
			case "text":
			default:
				return errors.New("-o " + form + ": there are json and text")
			}
			_, err := fmt.Fprintf(s.out, "kumiki %s%s\nCUE %s\n%s %s\n", b.Version, b.commit(), b.CUE, b.Go, b.Platform)
			return err
		},
	}
	cmd.Flags().StringVarP(&form, "output", "o", "text", "`form`: json, text")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"json", "text"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// identity is the same for two binaries only if they make the same of the same sources: of a
// release its version, of other builds the digest of the binary.
func (b built) identity() string {
	if release != "" || b.Commit == "" && b.Version != "(devel)" && b.Version != "unknown" {
		return b.Version // of a release, or of a published module
	}
	if b.Commit != "" && !b.Changed {
		return b.Version + " " + b.Commit
	}
	name, err := os.Executable()
	if err != nil {
		return b.Version
	}
	f, err := os.Open(name)
	if err != nil {
		return b.Version
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return b.Version
	}
	return fmt.Sprintf("%s %x", b.Version, h.Sum(nil))
}

// commit is what to say of it, "" for nothing.
func (b built) commit() string {
	switch {
	case b.Commit == "":
		return ""
	case b.Changed:
		return " (" + b.Commit + " and changes)"
	default:
		return " (" + b.Commit + ")"
	}
}
