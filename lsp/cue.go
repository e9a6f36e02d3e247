package lsp

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sourcegraph/jsonrpc2"
)

// delegated are the requests that CUE's own language server answers.
var delegated = map[string]string{
	"textDocument/definition":     "definitionProvider",
	"textDocument/references":     "referencesProvider",
	"textDocument/rename":         "renameProvider",
	"textDocument/prepareRename":  "",
	"textDocument/formatting":     "documentFormattingProvider",
	"textDocument/documentSymbol": "documentSymbolProvider",
}

// cueServer is CUE's language server, a child that may be gone at any time: the
// session goes on without it.
type cueServer struct {
	cmd          *exec.Cmd
	conn         *jsonrpc2.Conn
	capabilities map[string]json.RawMessage
	modules      map[string]bool // the module.cue files that were completed
}

// pipes is the stream to a process.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// startCUE starts it with what the client said of itself; nil if it can't.
func startCUE(ctx context.Context, command []string, params json.RawMessage) *cueServer {
	if len(command) == 0 {
		return nil
	}
	c := &cueServer{cmd: exec.Command(command[0], command[1:]...), modules: map[string]bool{}}
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
	var out json.RawMessage
	if err := c.conn.Call(asking, method, params, &out); err != nil {
		return nil
	}
	return out
}

// tell forwards a notification.
func (c *cueServer) tell(ctx context.Context, method string, params json.RawMessage) {
	if c == nil {
		return
	}
	if method == "textDocument/didOpen" {
		c.complete(ctx, params)
	}
	_ = c.conn.Notify(ctx, method, params) // it may be gone
}

// complete opens the module.cue above a file with what comes with kumiki among
// its requirements, which authors need not write.
func (c *cueServer) complete(ctx context.Context, params json.RawMessage) {
	var p documentParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	file := fileOf(p.TextDocument.URI)
	for dir := filepath.Dir(file); file != "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		name := filepath.Join(dir, "cue.mod", "module.cue")
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if full := withModel(string(text)); full != nil && !c.modules[name] && name != file {
			c.modules[name] = true
			_ = c.conn.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
				"uri": uriOf(name), "languageId": "cue", "version": 1, "text": string(full),
			}})
		}
		return
	}
}

func (c *cueServer) stop() {
	if c == nil {
		return
	}
	_ = c.conn.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}
