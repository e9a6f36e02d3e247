package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// maxFrame bounds a message: an editor sends no file that a source cannot be.
const maxFrame = 64 << 20

// frames are the messages of a client. What is none gets an answer that says so, as
// JSON-RPC has it, and the session goes on with the next one.
type frames struct {
	jsonrpc2.ObjectStream // writes
	r                     *bufio.Reader

	mu     sync.Mutex
	broken error // why nothing can be read any more; nil for an end
}

func newFrames(stream io.ReadWriteCloser) *frames {
	return &frames{ObjectStream: jsonrpc2.NewBufferedStream(stream, jsonrpc2.VSCodeObjectCodec{}), r: bufio.NewReader(stream)}
}

// ReadObject implements [jsonrpc2.ObjectStream].
func (f *frames) ReadObject(v any) error {
	for {
		data, err := f.next()
		if err != nil {
			return err
		}
		code, what := int64(jsonrpc2.CodeParseError), ""
		switch trimmed := bytes.TrimSpace(data); {
		case !json.Valid(data):
			what = "the message is no JSON"
		case trimmed[0] != '{':
			code, what = jsonrpc2.CodeInvalidRequest, "a message is an object; batches are none of the Language Server Protocol"
		default:
			if err := json.Unmarshal(data, v); err == nil {
				return nil
			}
			code, what = jsonrpc2.CodeInvalidRequest, "the message is neither a request nor an answer"
		}
		if err := f.refuse(code, what); err != nil {
			return err
		}
	}
}

// refuse answers a message whose id is not known.
func (f *frames) refuse(code int64, what string) error {
	return f.WriteObject(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": what}})
}

// next returns the body of the next message. Without a length nobody knows where the
// one after it begins: that is said, and is the end.
func (f *frames) next() ([]byte, error) {
	header, err := textproto.NewReader(f.r).ReadMIMEHeader()
	if errors.Is(err, io.EOF) && len(header) == 0 {
		return nil, io.EOF
	}
	if malformed := textproto.ProtocolError(""); err != nil && !errors.Is(err, io.EOF) && !errors.As(err, &malformed) {
		return nil, err // the stream was closed, here or there: that is an end
	}
	if err != nil {
		return nil, f.end("the header of a message cannot be read: expected Content-Length: NUMBER and an empty line")
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || n < 1 || n > maxFrame {
		return nil, f.end(fmt.Sprintf("Content-Length is %.40q: expected a number from 1 to %d", header.Get("Content-Length"), maxFrame))
	}
	data := make([]byte, n)
	_, err = io.ReadFull(f.r, data)
	return data, err
}

func (f *frames) end(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = errors.New(what)
	_ = f.refuse(jsonrpc2.CodeParseError, what)
	return f.broken
}

// failure is why the session ended, nil if the client ended it.
func (f *frames) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.broken
}
