package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Limits are what one compilation may take before it is given up.
type Limits struct {
	Time   time.Duration // 0 is 20 s
	Memory int           // in MB; 0 is 1024
}

func (l Limits) time() time.Duration { return cmp.Or(l.Time, 20*time.Second) }

func (l Limits) memory() int { return cmp.Or(l.Memory, 1024) }

// How long a compilation that nobody waits for may go on, since a process that
// remembers is worth something: somewhat longer than the last one took, within
// these bounds.
const (
	leastGrace = 400 * time.Millisecond
	mostGrace  = 2 * time.Second
)

var (
	errBusy = errors.New("the process that vets is busy")
	errDied = errors.New("the process that vets has ended; this is a mistake in kumiki, please report it")
)

// child is a worker's process, started when it is needed. It does one thing at
// a time.
type child struct {
	command []string
	limits  Limits

	mu   sync.Mutex
	cmd  *exec.Cmd
	in   io.WriteCloser
	enc  *json.Encoder
	dec  *json.Decoder
	took time.Duration // by the last compilation
}

// do sends a request and waits for its answer. When the context ends, or the
// budget does, the process is killed.
func (c *child) do(ctx context.Context, r request) (*result, error) {
	if r.compiles() {
		c.mu.Lock()
	} else if !c.mu.TryLock() {
		return nil, errBusy // nobody waits that long for a hover
	}
	defer c.mu.Unlock()
	out, err := c.try(ctx, r)
	if errors.Is(err, errDied) { // maybe long ago, and not of this
		out, err = c.try(ctx, r)
	}
	return out, err
}

func (c *child) try(ctx context.Context, r request) (*result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.cmd == nil {
		if err := c.start(); err != nil {
			return nil, err
		}
	}
	type answer struct {
		result *result
		err    error
	}
	answered, begun := make(chan answer, 1), time.Now()
	go func(enc *json.Encoder, dec *json.Decoder) {
		out := &result{}
		err := enc.Encode(r)
		if err == nil {
			err = dec.Decode(out)
		}
		answered <- answer{out, err}
	}(c.enc, c.dec)
	timer := time.NewTimer(c.limits.time())
	defer timer.Stop()
	given := ctx.Done()
	var gone error
	for {
		select {
		case a := <-answered:
			if a.err != nil {
				return nil, c.failed()
			}
			if r.compiles() {
				c.took = time.Since(begun)
			}
			return a.result, nil
		case <-given:
			given, gone = nil, ctx.Err()
			timer.Reset(min(max(leastGrace, c.took*3/2), mostGrace))
		case <-timer.C:
			c.stop()
			if gone == nil {
				gone = fmt.Errorf("it was given up after %s", c.limits.time())
			}
			return nil, gone
		}
	}
}

func (c *child) start() error {
	cmd := exec.Command(c.command[0], append(slices.Clip(c.command[1:]), strconv.Itoa(c.limits.memory()))...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmd, c.in, c.enc, c.dec = cmd, in, json.NewEncoder(in), json.NewDecoder(out)
	return nil
}

// failed says why the process doesn't answer.
func (c *child) failed() error {
	err := errDied
	_ = c.in.Close()
	_ = c.cmd.Process.Kill()
	ended := new(exec.ExitError)
	if errors.As(c.cmd.Wait(), &ended) && ended.ExitCode() == exitMemory {
		err = fmt.Errorf("it was given up at %d MB of memory", c.limits.memory())
	}
	c.cmd = nil
	return err
}

// stop ends the process, if there is one.
func (c *child) stop() {
	if c.cmd == nil {
		return
	}
	_ = c.in.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
	c.cmd = nil
}

// close ends the process when it has answered.
func (c *child) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop()
}
