package client

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Stop lets no instances of a path (DEPLOYMENT or DEPLOYMENT/ROLE, "" for all of the deployment)
// run, until [Client.Start].
func (c *Client) Stop(ctx context.Context, name string, revision int64, path string, w Write) (Answer, error) {
	return c.halt(ctx, name, revision, Halt{Verb: "stop", Path: path}, w)
}

// Start lets the instances of what was stopped run again.
func (c *Client) Start(ctx context.Context, name string, revision int64, path string, w Write) (Answer, error) {
	return c.halt(ctx, name, revision, Halt{Verb: "start", Path: path}, w)
}

// Restart replaces the instances of a path by new ones, or the one of a name alone, "" for all.
func (c *Client) Restart(ctx context.Context, name string, revision int64, path, instance string, w Write) (Answer, error) {
	return c.halt(ctx, name, revision, Halt{Verb: "restart", Path: path, Instance: instance}, w)
}

func (c *Client) halt(ctx context.Context, name string, revision int64, h Halt, w Write) (Answer, error) {
	body := map[string]string{}
	for key, value := range map[string]string{"path": h.Path, "instance": h.Instance} {
		if value != "" {
			body[key] = value
		}
	}
	r := request{method: http.MethodPost, path: deploymentPath(name) + "/" + h.Verb, body: body}
	return c.change(ctx, r.match(revision), w)
}

func nodePath(m Move, what string) string {
	return "/v1/environments/" + url.PathEscape(m.Environment) + "/nodes/" + url.PathEscape(m.Node) + "/" + what
}

// MoveNode lets instances leave a node for others.
func (c *Client) MoveNode(ctx context.Context, m Move, w Write) (Answer, error) {
	return c.moved(ctx, m, "move", w)
}

// DrainNode takes the instances from a node, and lets it take no new ones.
func (c *Client) DrainNode(ctx context.Context, m Move, w Write) (Answer, error) {
	return c.moved(ctx, m, "drain", w)
}

// OpenNode lets a node that was drained take instances again.
func (c *Client) OpenNode(ctx context.Context, m Move, w Write) (Answer, error) {
	return c.moved(ctx, m, "open", w)
}

func (c *Client) moved(ctx context.Context, m Move, what string, w Write) (Answer, error) {
	body := struct {
		To   string   `json:"to,omitempty"`
		Path string   `json:"path,omitempty"`
		Data []string `json:"allowData,omitempty"`
	}{m.To, m.Path, m.Data}
	return c.change(ctx, request{method: http.MethodPost, path: nodePath(m, what), body: body, header: map[string]string{}}, w)
}

// LogOptions say what of the output of instances is read.
type LogOptions struct {
	// Path is a DEPLOYMENT or DEPLOYMENT/ROLE, "" for all of the deployment; Instance and Container
	// are names, "" for all.
	Path, Instance, Container string
	// Follow goes on with what is written from now on; Previous reads what was written before the
	// last restart.
	Follow, Previous bool
	// Tail is how many lines from the end of each are read, below 0 all; Since leaves out what is
	// older, 0 for nothing.
	Tail  int
	Since time.Duration
}

func (o LogOptions) query() url.Values {
	q := filled("path", o.Path, "instance", o.Instance, "container", o.Container)
	if o.Follow {
		q.Set("follow", "true")
	}
	if o.Previous {
		q.Set("previous", "true")
	}
	if o.Tail >= 0 {
		q.Set("tail", strconv.Itoa(o.Tail))
	}
	if o.Since > 0 {
		q.Set("sinceSeconds", strconv.Itoa(max(1, int(o.Since/time.Second))))
	}
	return q
}

// Line is one line of output.
type Line struct {
	Instance  string `json:"instance"`
	Container string `json:"container"`
	Text      string `json:"text"`
}

// Logs calls line with what the instances of a deployment have written, until all was read, or
// the context ends. A connection that is lost is an [Unreachable]: lines may be missing then.
func (c *Client) Logs(ctx context.Context, name string, o LogOptions, line func(Line)) error {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	r := request{method: http.MethodGet, path: deploymentPath(name) + "/logs", query: o.query(), header: map[string]string{"Accept": "text/event-stream"}}
	answer, err := c.send(bounded, r)
	if err == nil {
		defer answer.Body.Close()
		err = c.lines(answer, watchdog, line)
	}
	if err == nil {
		return nil
	}
	if ctx.Err() == nil && bounded.Err() != nil {
		err = fmt.Errorf("nothing was heard for %s", silence)
	}
	return c.failed(ctx, r, err)
}

// lines reads the events of an answer, of which the last says that it was all.
func (c *Client) lines(answer *http.Response, watchdog *time.Timer, line func(Line)) error {
	in := bufio.NewScanner(answer.Body)
	in.Buffer(make([]byte, 0, 64<<10), maxEvent)
	kind := ""
	for in.Scan() {
		watchdog.Reset(silence)
		name, value, _ := strings.Cut(in.Text(), ": ")
		switch {
		case name == "event":
			kind = value
		case name != "data":
		case kind == "line":
			var l Line
			if err := json.Unmarshal([]byte(value), &l); err != nil {
				return fmt.Errorf("a line is not understood: %w", err)
			}
			line(l)
		case kind == "error":
			e := &Error{Server: c.URL()}
			if err := json.Unmarshal([]byte(value), e); err != nil {
				return fmt.Errorf("the logs end with what is not understood: %w", err)
			}
			return e
		case kind == "end":
			return nil
		}
	}
	return cmp.Or(in.Err(), errors.New("the connection was ended"))
}
