package lsp_test

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/require"
)

// binary is kumiki, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "kumiki-lsp")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "kumiki")
	if out, err := exec.Command("go", "build", "-o", binary, "kumiki.dev/cmd/kumiki").CombinedOutput(); err != nil {
		panic(string(out))
	}
	// What CUE's server keeps of modules is read-only.
	cache := filepath.Join(dir, "cache")
	_ = os.Setenv("XDG_CACHE_HOME", cache)
	code := m.Run()
	_ = filepath.WalkDir(cache, func(name string, _ os.DirEntry, _ error) error { return os.Chmod(name, 0o700) })
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// The protocol, as far as a client needs it.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	diagnostic struct {
		Range    span   `json:"range"`
		Severity int    `json:"severity"`
		Code     string `json:"code"`
		Message  string `json:"message"`
		Related  []struct {
			Location struct {
				URI   string `json:"uri"`
				Range span   `json:"range"`
			} `json:"location"`
			Message string `json:"message"`
		} `json:"relatedInformation"`
	}
	edit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
	action struct {
		Title string `json:"title"`
		Kind  string `json:"kind"`
		Edit  struct {
			Changes map[string][]edit `json:"changes"`
		} `json:"edit"`
	}
)

// client is an editor without a screen.
type client struct {
	t    testing.TB
	cmd  *exec.Cmd
	conn *jsonrpc2.Conn
	// patience is after how long the server says what it knows by then.
	patience time.Duration

	mu          sync.Mutex
	diagnostics map[string][]diagnostic // by path, as last published
	buffers     map[string]string
	version     int
}

// pipes is the stream to a process.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// start runs a server on a workspace.
func start(t testing.TB, root string) *client {
	t.Helper()
	return startCommand(t, root, exec.Command(binary, "lsp"), nil)
}

// startWith gives it initialization options.
func startWith(t testing.TB, root string, options map[string]any) *client {
	t.Helper()
	return startCommand(t, root, exec.Command(binary, "lsp"), options)
}

// startCommand runs a server in a way of its own.
func startCommand(t testing.TB, root string, cmd *exec.Cmd, options map[string]any) *client {
	t.Helper()
	c := &client{t: t, cmd: cmd, patience: 20 * time.Second, diagnostics: map[string][]diagnostic{}, buffers: map[string]string{}}
	in, err := c.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	c.cmd.Stderr = os.Stderr
	require.NoError(t, c.cmd.Start())
	c.conn = jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(pipes{out, in}, jsonrpc2.VSCodeObjectCodec{}), c, jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	var answer struct {
		Capabilities map[string]any `json:"capabilities"`
	}
	c.call("initialize", map[string]any{"rootUri": "file://" + root, "capabilities": map[string]any{}, "initializationOptions": options}, &answer)
	require.Equal(t, true, answer.Capabilities["hoverProvider"])
	c.notify("initialized", map[string]any{})
	t.Cleanup(c.stop)
	return c
}

// stop ends the session as the protocol has it, and wants the server to go.
func (c *client) stop() {
	c.call("shutdown", nil, nil)
	c.notify("exit", nil)
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }()
	select {
	case err := <-ended:
		require.NoError(c.t, err)
	case <-time.After(20 * time.Second):
		_ = c.cmd.Process.Kill()
		c.t.Error("the server does not end")
	}
}

// Handle implements [jsonrpc2.Handler].
func (c *client) Handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
	if r.Method != "textDocument/publishDiagnostics" {
		return
	}
	var p struct {
		URI         string       `json:"uri"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	if json.Unmarshal(*r.Params, &p) == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.diagnostics[path(p.URI)] = p.Diagnostics
	}
}

func (c *client) call(method string, params, result any) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	require.NoError(c.t, c.conn.Call(ctx, method, params, result), method)
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	require.NoError(c.t, c.conn.Notify(context.Background(), method, params), method)
}

func uri(file string) string { return "file://" + file }

func path(uri string) string { return uri[len("file://"):] }

func id(file string) map[string]any { return map[string]any{"uri": uri(file)} }

// open opens a file of the disk.
func (c *client) open(file string) {
	c.t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(c.t, err)
	c.openText(file, string(text))
}

// openText opens a buffer that is on no disk.
func (c *client) openText(file, text string) {
	c.t.Helper()
	c.version++
	c.buffers[file] = text
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri(file), "languageId": "cue", "version": c.version, "text": text,
	}})
}

func (c *client) close(file string) {
	c.t.Helper()
	delete(c.buffers, file)
	c.notify("textDocument/didClose", map[string]any{"textDocument": id(file)})
}

// replace changes bytes of a buffer; the text has to be ASCII before them in
// their lines.
func (c *client) replace(file string, from, to int, text string) {
	c.t.Helper()
	old := c.buffers[file]
	c.version++
	c.buffers[file] = old[:from] + text + old[to:]
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri(file), "version": c.version},
		"contentChanges": []any{map[string]any{"range": span{at(old, from), at(old, to)}, "text": text}},
	})
}

// save writes the buffer to the disk and says so.
func (c *client) save(file string) {
	c.t.Helper()
	require.NoError(c.t, os.WriteFile(file, []byte(c.buffers[file]), 0o644))
	c.notify("textDocument/didSave", map[string]any{"textDocument": id(file)})
}

// settled waits until the server knows everything, and returns what it has
// said of the file.
func (c *client) settled(file string) []diagnostic {
	c.t.Helper()
	for range 10 {
		begin := time.Now()
		c.call("textDocument/diagnostic", map[string]any{"textDocument": id(file)}, nil)
		if time.Since(begin) < c.patience {
			break // else the server had to answer before it knew everything
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.diagnostics[file]
}

// codes are those of the file's problems when the server has settled.
func (c *client) codes(file string) []string {
	c.t.Helper()
	var out []string
	for _, d := range c.settled(file) {
		out = append(out, d.Code)
	}
	return out
}

// at is the position of an offset in ASCII text.
func at(text string, offset int) position {
	p := position{}
	for _, r := range text[:offset] {
		p.Character++
		if r == '\n' {
			p = position{Line: p.Line + 1}
		}
	}
	return p
}

// offset is the inverse of at.
func offset(text string, p position) int {
	for i := range text {
		if at(text, i) == p {
			return i
		}
	}
	return len(text)
}

// boundary is the nearest offset before i where a character begins.
func boundary(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// replaceUTF16 is replace for any text.
func (c *client) replaceUTF16(file string, from, to int, text string) {
	c.t.Helper()
	old := c.buffers[file]
	c.version++
	c.buffers[file] = old[:from] + text + old[to:]
	where := func(i int) position {
		line := old[strings.LastIndexByte(old[:i], '\n')+1 : i]
		return position{strings.Count(old[:i], "\n"), len(utf16.Encode([]rune(line)))}
	}
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri(file), "version": c.version},
		"contentChanges": []any{map[string]any{"range": span{where(from), where(to)}, "text": text}},
	})
}

// example is a copy of one.
func example(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, os.DirFS("../examples/"+name)))
	return dir
}
