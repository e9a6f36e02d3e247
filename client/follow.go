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

// silence is how long a watch may be silent, of which the manager says every 15 seconds that it
// is there.
const silence = 45 * time.Second

// maxEvent bounds one event of a watch, in bytes.
const maxEvent = 16 << 20

// maxPause is how long is waited at most before a lost connection is made again.
const maxPause = 5 * time.Second

// Event is a change of a record.
type Event struct {
	// Key is the record's name.
	Key      string `json:"key"`
	Revision int64  `json:"revision"`
	// Value is what it is now, nil for one that is gone, or not selected any more.
	Value json.RawMessage `json:"value"`
}

// Watch calls changed with each change of a collection (deployments, operations or status) after
// a revision, in their order and each once, until the context ends or changed returns an error.
// A connection that is lost is made again, and lost, which may be nil, told of it. An [Error]
// with status 410 says that changes were missed: list, and watch from there.
func (c *Client) Watch(ctx context.Context, collection string, from int64, selector string, changed func(Event) error, lost func(error)) error {
	for pause := time.Duration(0); ; pause = min(2*pause+100*time.Millisecond, maxPause) {
		begun := from
		err := c.stream(ctx, collection, from, selector, func(e Event) error {
			if e.Key != "" {
				if err := changed(e); err != nil {
					return &ended{err}
				}
			}
			from = max(from, e.Revision)
			return nil
		})
		var end *ended
		switch {
		case errors.As(err, &end):
			return end.error
		case ctx.Err() != nil:
			return ctx.Err()
		case !mayPass(err):
			return err
		}
		if from > begun {
			pause = 0
		}
		if lost != nil {
			lost(err)
		}
		if err := rest(ctx, pause); err != nil {
			return err
		}
	}
}

// ended is the error of a function that was called with an event.
type ended struct{ error }

// stream watches by one connection. The first event, without a key, says from where. The error
// is never nil.
func (c *Client) stream(ctx context.Context, collection string, from int64, selector string, event func(Event) error) error {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	r := request{method: http.MethodGet, path: "/v1/watch/" + url.PathEscape(collection), query: filled("labelSelector", selector), header: map[string]string{"Accept": "text/event-stream"}}
	if from > 0 {
		r.query.Set("from", strconv.FormatInt(from, 10))
	}
	answer, err := c.send(bounded, r)
	if err == nil {
		defer answer.Body.Close()
		err = c.events(answer, watchdog, event)
	}
	if ctx.Err() == nil && bounded.Err() != nil {
		err = fmt.Errorf("nothing was heard for %s", silence)
	}
	var end *ended
	if errors.As(err, &end) {
		return err
	}
	return c.failed(ctx, r, cmp.Or(err, errors.New("the connection was ended")))
}

// events reads server-sent events.
func (c *Client) events(answer *http.Response, watchdog *time.Timer, event func(Event) error) error {
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(make([]byte, 0, 64<<10), maxEvent)
	var kind, id string
	var data []byte
	for lines.Scan() {
		watchdog.Reset(silence)
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() != "":
			switch name {
			case "event":
				kind = value
			case "id":
				id = value
			case "data":
				data = append(data, value...)
			}
			continue
		case kind == "error":
			e := &Error{Server: c.URL()}
			if err := json.Unmarshal(data, e); err != nil {
				return fmt.Errorf("a watch ends with what is not understood: %w", err)
			}
			return e
		case kind != "":
			var e Event
			if err := json.Unmarshal(data, &e); err != nil {
				return fmt.Errorf("a watch has an event that is not understood: %w", err)
			}
			if e.Revision == 0 {
				e.Revision, _ = strconv.ParseInt(id, 10, 64)
			}
			if err := event(e); err != nil {
				return err
			}
		}
		kind, id, data = "", "", nil
	}
	return lines.Err()
}

// waiting is how long an end is waited for where a watch is not possible.
const waiting = 20 * time.Second

// Follow calls changed with an operation, and again with each state that it comes to, until it
// has ended, and returns it then. A connection that is lost, and a manager that is started
// anew, are waited out as long as the context allows; lost is told of it, and may be nil.
func (c *Client) Follow(ctx context.Context, id string, changed func(Operation), lost func(error)) (Operation, error) {
	polls := false
	for pause := time.Duration(0); ; pause = min(2*pause+100*time.Millisecond, maxPause) {
		wait := time.Duration(0)
		if polls {
			wait = waiting
		}
		o, revision, err := c.Operation(ctx, id, wait)
		if err == nil {
			changed(o)
			if o.Done {
				return o, nil
			}
			if polls {
				pause = 0
				continue
			}
			if o, err = c.along(ctx, id, revision, changed); err == nil {
				return o, nil
			}
			polls = refusedWatch(err)
		}
		switch {
		case ctx.Err() != nil:
			return o, ctx.Err()
		case polls:
			continue
		case !mayPass(err) && !isGone(err):
			return o, err
		case lost != nil && mayPass(err):
			lost(err)
		}
		if err := rest(ctx, pause); err != nil {
			return o, err
		}
	}
}

// along watches until an operation has ended.
func (c *Client) along(ctx context.Context, id string, revision int64, changed func(Operation)) (o Operation, err error) {
	var done = errors.New("done")
	err = c.stream(ctx, "operations", revision, "", func(e Event) error {
		if e.Key != id || e.Value == nil {
			return nil
		}
		o = Operation{}
		if err := json.Unmarshal(e.Value, &o); err != nil {
			return err
		}
		changed(o)
		if o.Done {
			return &ended{done}
		}
		return nil
	})
	var end *ended
	if errors.As(err, &end) && end.error == done {
		return o, nil
	}
	return o, err
}

// refusedWatch reports whether a manager, or what stands before it, has no watches.
func refusedWatch(err error) bool {
	var e *Error
	return errors.As(err, &e) && !isGone(err) && !mayPass(err) && e.Status != http.StatusUnauthorized
}

// isGone reports whether a watch has missed changes.
func isGone(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusGone
}
