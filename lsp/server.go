package lsp

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// Options say how the server runs.
type Options struct {
	// Worker is the command line of a process that runs [Worker]; how many MB that
	// may take is added as an argument.
	Worker []string
	// Limits are those of one compilation.
	Limits Limits
	// CUE is the command line of a process that runs [CUE]; nil goes without.
	CUE []string
	// Version is kumiki's own.
	Version string
}

// Serve speaks the protocol on the stream until the client says exit or the
// stream ends. An error says that what came was no message.
func Serve(ctx context.Context, stream io.ReadWriteCloser, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{
		options:   o,
		child:     &child{command: o.Worker, limits: o.Limits},
		documents: map[string]*document{},
		targets:   map[string]*target{},
		published: map[string]string{},
		woken:     make(chan struct{}, 1),
		settled:   make(chan struct{}),
		requests:  map[string]context.CancelFunc{},
		exit:      cancel,
		ready:     make(chan struct{}),
	}
	in := newFrames(stream)
	conn := jsonrpc2.NewConn(ctx, in, s, jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	s.conn = conn
	close(s.ready)
	var evaluating sync.WaitGroup
	evaluating.Go(func() { s.evaluate(ctx) })
	select {
	case <-conn.DisconnectNotify():
	case <-ctx.Done():
	}
	cancel()
	evaluating.Wait()
	s.child.close()
	s.cue.stop()
	_ = conn.Close() // it may be closed: that is how sessions end
	return in.failure()
}

// server is one session. What is below mu belongs to whoever holds it.
type server struct {
	options Options
	conn    *jsonrpc2.Conn
	child   *child
	cue     *cueServer // nil if there is none
	exit    context.CancelFunc
	woken   chan struct{}
	ready   chan struct{} // closed when conn is set

	mu        sync.Mutex
	client    initializeParams
	folders   []string
	linked    []linked
	documents map[string]*document // by path
	targets   map[string]*target   // by directory
	recheck   []string             // directories that may have become targets
	recent    string               // the file that was changed last
	due       time.Time            // when to evaluate, so that typing goes on
	woke      time.Time            // when something changed last
	published map[string]string    // what each URI was sent, as JSON
	settled   chan struct{}        // closed when there is nothing left to do
	requests  map[string]context.CancelFunc

	indexes indexes // what symbols has read
}

// debounce is how long the server waits for the next of a flurry of changes. No
// hand types as fast.
const debounce = 30 * time.Millisecond

// wake makes the evaluation begin: at once, or when a flurry is over. It holds
// s.mu.
func (s *server) wake() {
	now := time.Now()
	if now.Sub(s.woke) < debounce {
		s.due = now.Add(debounce)
	}
	s.woke = now
	select {
	case <-s.settled:
		s.settled = make(chan struct{})
	default:
	}
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// A notification changes what the server knows, in the order of the stream. A
// request is answered beside it.
var (
	notifications = map[string]func(*server, context.Context, json.RawMessage){
		"initialized":                         (*server).initialized,
		"textDocument/didOpen":                (*server).didOpen,
		"textDocument/didChange":              (*server).didChange,
		"textDocument/didClose":               (*server).didClose,
		"textDocument/didSave":                (*server).didSave,
		"workspace/didChangeWatchedFiles":     (*server).didChangeFiles,
		"workspace/didChangeWorkspaceFolders": (*server).didChangeFolders,
		"$/cancelRequest":                     (*server).cancelRequest,
		"exit":                                func(s *server, _ context.Context, _ json.RawMessage) { s.exit() },
	}
	requests = map[string]func(*server, context.Context, json.RawMessage) (any, error){
		"shutdown":                    func(*server, context.Context, json.RawMessage) (any, error) { return nil, nil },
		"textDocument/diagnostic":     (*server).pull,
		"textDocument/codeAction":     (*server).codeActions,
		"textDocument/hover":          (*server).hover,
		"textDocument/inlayHint":      (*server).inlayHints,
		"textDocument/codeLens":       (*server).codeLenses,
		"textDocument/completion":     (*server).completion,
		"textDocument/definition":     (*server).definition,
		"textDocument/references":     (*server).references,
		"textDocument/rename":         (*server).rename,
		"textDocument/prepareRename":  (*server).prepareRename,
		"textDocument/formatting":     delegated("textDocument/formatting"),
		"textDocument/documentSymbol": delegated("textDocument/documentSymbol"),
		"workspace/executeCommand":    (*server).execute,
	}
)

// Handle implements [jsonrpc2.Handler]; it is called for one message after
// another.
func (s *server) Handle(ctx context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
	<-s.ready
	var params json.RawMessage
	if r.Params != nil {
		params = *r.Params
	}
	if r.Notif {
		if f := notifications[r.Method]; f != nil {
			f(s, ctx, params)
		}
		if r.Method != "exit" && r.Method != "$/cancelRequest" { // its requests have other numbers
			s.cue.tell(ctx, r.Method, params)
		}
		return
	}
	if r.Method == "initialize" { // nothing may overtake it
		s.cue = startCUE(context.WithoutCancel(ctx), s.options.CUE, params, s.read, s.moduleDirs)
		s.reply(ctx, r, s.initialize(params), nil)
		return
	}
	f := requests[r.Method]
	if f == nil {
		s.reply(ctx, r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "kumiki does not know " + r.Method})
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	id := r.ID.String()
	s.mu.Lock()
	s.requests[id] = cancel
	s.mu.Unlock()
	go func() {
		defer func() {
			s.mu.Lock()
			delete(s.requests, id)
			s.mu.Unlock()
			cancel()
		}()
		result, err := f(s, ctx, params)
		s.reply(ctx, r, result, err)
	}()
}

// codeCancelled is the protocol's answer to a request that was taken back.
const codeCancelled = -32800

func (s *server) reply(ctx context.Context, r *jsonrpc2.Request, result any, err error) {
	answer := &jsonrpc2.Response{ID: r.ID}
	switch {
	case ctx.Err() != nil:
		answer.Error = &jsonrpc2.Error{Code: codeCancelled, Message: "cancelled"}
	case err != nil:
		known, ok := err.(*jsonrpc2.Error)
		if !ok {
			known = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
		}
		answer.Error = known
	default:
		if err := answer.SetResult(result); err != nil {
			answer.Error = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
		}
	}
	_ = s.conn.SendResponse(context.WithoutCancel(ctx), answer) // a client that is gone needs none
}

func (s *server) cancelRequest(_ context.Context, params json.RawMessage) {
	var p cancelParams
	var id jsonrpc2.ID
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.ID, &id) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.requests[id.String()]; cancel != nil {
		cancel()
	}
}
