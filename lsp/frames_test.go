package lsp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"kumiki.dev/lsp"
)

// TestClosedStream closes the stream below a server that waits for a message, as
// its own end does: that is no broken message.
func TestClosedStream(t *testing.T) {
	t.Parallel()
	stream := struct {
		io.Reader
		io.Writer
		io.Closer
	}{iotest.ErrReader(os.ErrClosed), io.Discard, io.NopCloser(nil)}
	require.NoError(t, lsp.Serve(context.Background(), stream, lsp.Options{}))
}

// TestFrames sends what is no message: it is answered, and the session goes on.
func TestFrames(t *testing.T) {
	t.Parallel()
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	tests := []struct {
		name, in, want string
		ends           bool
	}{
		{"no JSON", frame("{not JSON"), `"code":-32700`, false},
		{"a batch", frame("[" + initialize + "]"), `"code":-32600`, false},
		{"null", frame("null"), `"code":-32600`, false},
		{"a number", frame("1"), `"code":-32600`, false},
		{"an object", frame("{}"), `"code":-32600`, false},
		{"params that are none", frame(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":[1]}`), `"id":7`, false},
		{"no length", "Content-Type: x\r\n\r\n{}", `Content-Length is`, true},
		{"too long", "Content-Length: 99999999999\r\n\r\n{}", `expected a number from 1 to`, true},
		{"no header", "GET / HTTP/1.1\r\n\r\n", `the header of a message cannot be read`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(binary, "lsp")
			cmd.Dir = t.TempDir()
			cmd.Stdin = strings.NewReader(tt.in + frame(initialize))
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			err := cmd.Run()
			require.Contains(t, out.String(), tt.want)
			if tt.ends {
				require.Error(t, err)
				require.Equal(t, 1, cmd.ProcessState.ExitCode(), errs.String())
				return
			}
			require.NoError(t, err, errs.String())
			require.Contains(t, out.String(), `"capabilities"`, "what comes after it is answered")
		})
	}
}
