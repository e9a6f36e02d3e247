package lsp

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"os/exec"

	"github.com/sourcegraph/jsonrpc2"
)

// delegated answers a request with what CUE's own language server says.
func delegated(method string) func(*server, context.Context, json.RawMessage) (any, error) {
	return func(s *server, ctx context.Context, params json.RawMessage) (any, error) {
		return s.cue.ask(ctx, method, params), nil
	}
}

// cueServer is CUE's language server, a child that may be gone at any time: the
// session goes on without it.
type cueServer struct {
	cmd          *exec.Cmd
	conn         *jsonrpc2.Conn
	capabilities map[string]json.RawMessage
	mirror       *mirror
}

// pipes is the stream to a process.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// startCUE starts it with what the client said of itself; nil if it can't.
func startCUE(ctx context.Context, command []string, params json.RawMessage, read func(string) ([]byte, bool), modules func() []string) *cueServer {
	if len(command) == 0 {
		return nil
	}
	c := &cueServer{cmd: exec.Command(command[0], command[1:]...)}
	c.mirror = newMirror(read, modules, func(method string, params any) {
		_ = c.conn.Notify(ctx, method, params) // it may be gone
	})
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil || c.cmd.Start() != nil {
		return nil
	}
	c.conn = jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(pipes{out, in}, jsonrpc2.VSCodeObjectCodec{}), c, jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	var answer struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	starting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := c.conn.Call(starting, "initialize", params, &answer); err != nil {
		c.stop()
		return nil
	}
	c.capabilities = answer.Capabilities
	return c
}

// Handle implements [jsonrpc2.Handler]: what it asks of its client has a polite
// answer, and what it says of problems is said by vet already.
func (c *cueServer) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	if r.Notif {
		return
	}
	var result any
	if r.Method == "workspace/configuration" {
		var p struct {
			Items []json.RawMessage `json:"items"`
		}
		if r.Params != nil && json.Unmarshal(*r.Params, &p) == nil {
			result = make([]any, len(p.Items))
		}
	}
	_ = conn.Reply(ctx, r.ID, result)
}

// ask forwards a request. Where there is no answer, there is null.
func (c *cueServer) ask(ctx context.Context, method string, params json.RawMessage) json.RawMessage {
	if c == nil {
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	there, file := c.mirror.there(params)
	var out json.RawMessage
	if err := c.conn.Call(asking, method, there, &out); err != nil {
		return nil
	}
	if v, ok := c.mirror.viewAs(file); ok && method == "textDocument/formatting" {
		return v.formatted(out)
	}
	return c.mirror.here(out, file)
}

// tell forwards a notification, unless it is about files that CUE's server sees
// otherwise.
func (c *cueServer) tell(ctx context.Context, method string, params json.RawMessage) {
	if c == nil {
		return
	}
	switch method {
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave":
		var p documentParams
		if json.Unmarshal(params, &p) != nil {
			return
		}
		if file := fileOf(p.TextDocument.URI); file != "" && c.mirror.changed(file) {
			return
		}
	case "workspace/didChangeWatchedFiles":
		var p watchedFilesParams
		if json.Unmarshal(params, &p) != nil {
			return
		}
		for _, change := range p.Changes {
			if file := fileOf(change.URI); file != "" {
				c.mirror.changed(file)
			}
		}
	}
	_ = c.conn.Notify(ctx, method, params) // it may be gone
}

func (c *cueServer) stop() {
	if c == nil {
		return
	}
	_ = c.conn.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}
