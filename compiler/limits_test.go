package compiler_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/spread"
)

// TestFoundBefore gives a run up that evaluates roles again because something was wrong with one: what that was is told.
func TestFoundBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, formed("-- c/config --\nneeded: string\n-- s/roles --\n"+
		`role: {a: config: parameter: needed: "x", f: {artifact: c.#Artifact & {description: code: c: cmd: ["x"]}}}`+"\n"+
		"-- m/roles --\nrole: leaf: config: parameter: needed: \"x\""))
	ctx, cancel := context.WithCancelCause(context.Background())
	p := &spread.Progress{}
	p.Left = func() {
		if len(p.Found()) > 0 {
			cancel(compiler.OutOfMemory{Limit: 1 << 30})
			<-ctx.Done()
		}
	}
	in := compiler.Input{}
	in.Dir = filepath.Join(dir, "deploy")
	_, problems := compiler.Run(compiler.WithProgress(ctx, p), in, compiler.ExtractStage)
	require.Len(t, problems, 2)
	assert.Equal(t, diag.Missing, problems[0].Code)
	assert.True(t, strings.Contains(problems[0].Message, "needed is missing"), problems[0].Message)
	assert.Equal(t, diag.Memory, problems[1].Code)
}
