// Package client talks to a manager, the server that kumikid serve starts. It is HTTP and the
// standard library, and knows nothing else of kumiki than [diag]: a program that wants
// deployments imports it alone.
//
// What comes in is a [Server]; what goes out are the manager's records. An error is an [Error],
// as the manager has answered, a [ProtocolError], or an [Unreachable]. None of them has the token.
// A change begins an operation. [Client.Follow] follows it to its end, also where a connection is
// lost on the way.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Protocol is the number of the one that is spoken. A manager of the one before or after is
// talked to as well.
const Protocol = 1

const protocolHeader = "Kumiki-Protocol"

// How long is waited: for a connection, for an answer, and for one that has to compile or to ask
// an environment first.
const (
	connecting = 10 * time.Second
	answering  = 30 * time.Second
	working    = 5 * time.Minute
)

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 256 << 20

// Server says which manager, and who asks.
type Server struct {
	// URL is https://HOST[:PORT], http://127.0.0.1[:PORT] or unix:FILE.
	URL string
	// Token is who asks; "" for nobody, which is enough on a Unix socket.
	Token string
	// CA are the certificates, as PEM, of the authority that the server's is of; nil for those of
	// the machine.
	CA []byte
	// Agent is the User-Agent that is sent.
	Agent string
}

// Client asks a manager. Several may use it at the same time.
type Client struct {
	server Server
	base   string // what paths stand behind
	http   *http.Client
}

// New returns a client. Nothing is asked yet.
func New(s Server) (*Client, error) {
	name, err := Normal(s.URL)
	if err != nil {
		return nil, err
	}
	c := &Client{server: s, base: name}
	c.server.URL = name
	dial := (&net.Dialer{Timeout: connecting}).DialContext
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: connecting, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 2, ForceAttemptHTTP2: true}
	t.DialContext = dial
	if file, ok := strings.CutPrefix(name, "unix:"); ok {
		c.base, t.Proxy = "http://unix", nil
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, "unix", file) }
	} else if s.Token != "" && strings.HasPrefix(name, "http:") && !isLocal(name) {
		return nil, fmt.Errorf("%s: the token would go there in the clear: https, or a tunnel to 127.0.0.1", name)
	}
	if len(s.CA) > 0 {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(s.CA) {
			return nil, fmt.Errorf("%s: there is no certificate in what is to be its authority's", name)
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	// A token is sent to the server that it is for, and to none that this one names.
	c.http = &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// Normal is the name of a manager in the form in which equal ones are equal, or an error that
// says what can be written.
func Normal(text string) (string, error) {
	if file, ok := strings.CutPrefix(text, "unix:"); ok {
		file = strings.TrimPrefix(file, "//")
		if !strings.HasPrefix(file, "/") {
			return "", errors.New("unix:FILE takes the whole path of the socket, such as unix:/run/kumikid/kumikid.sock")
		}
		return "unix:" + file, nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("%q is no manager: write https://HOST:PORT, http://127.0.0.1:7676 or unix:FILE", hideUser(text))
	case u.User != nil:
		return "", errors.New("the URL of a manager has no user or password in it: the token says who asks")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%s: a manager is a host and a port: leave %s out", text, strings.TrimPrefix(text, u.Scheme+"://"+u.Host))
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// hideUser leaves out what stands before an @: it may be a password.
func hideUser(text string) string {
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		return "…" + text[i:]
	}
	return text
}

func isLocal(name string) bool {
	u, err := url.Parse(name)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// URL is the manager's name.
func (c *Client) URL() string { return c.server.URL }

// request is what is asked.
type request struct {
	method, path string
	query        url.Values
	body         any    // sent as JSON; nil for nothing
	data         []byte // sent as a zip archive, in place of body
	header       map[string]string
	within       time.Duration // [answering] if it is 0
}

// Any stands for a revision where any will do.
const Any = -1

// Absent stands for the revision of what is not there yet.
const Absent = 0

// match says which revision is changed.
func (r request) match(revision int64) request {
	r.header = map[string]string{}
	switch revision {
	case Any:
		r.header["If-Match"] = "*"
	case Absent:
		r.header["If-None-Match"] = "*"
	default:
		r.header["If-Match"] = strconv.Quote(strconv.FormatInt(revision, 10))
	}
	return r
}

// do asks, and reads the answer into a value, nil for none. It returns the answer's revision, 0
// where it says none.
func (c *Client) do(ctx context.Context, r request, into any) (revision int64, err error) {
	if r.within == 0 {
		r.within = answering
	}
	bounded, cancel := context.WithTimeout(ctx, r.within)
	defer cancel()
	answer, err := c.send(bounded, r)
	if err != nil {
		return 0, c.failed(ctx, r, err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return 0, c.failed(ctx, r, err)
	}
	text, _ := strconv.Unquote(answer.Header.Get("ETag"))
	revision, _ = strconv.ParseInt(text, 10, 64) // a content's is a digest
	switch to := into.(type) {
	case nil:
	case *[]byte:
		*to = data
	default:
		if err := json.Unmarshal(data, into); err != nil {
			return 0, &Error{Server: c.URL(), Status: answer.StatusCode, Detail: fmt.Sprintf("%s %s is answered with what is not understood: %v", r.method, r.path, err)}
		}
	}
	return revision, nil
}

// send sends a request, and waits where the manager asks for that: it has done nothing then. An
// answer that is not of a manager, or that says that something is wrong, is an error.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	for {
		answer, err := c.sendOnce(ctx, r)
		var e *Error
		if !errors.As(err, &e) || e.Status != http.StatusTooManyRequests || e.RetryAfter > longest(ctx) {
			return answer, err
		}
		if err := rest(ctx, max(e.RetryAfter, time.Second)); err != nil {
			return nil, e
		}
	}
}

// longest is the longest wait that the client accepts when the manager asks for one.
func longest(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return time.Until(end) - time.Second
	}
	return answering
}

// sendOnce sends a request once.
func (c *Client) sendOnce(ctx context.Context, r request) (*http.Response, error) {
	data, kind := r.data, "application/zip"
	if r.body != nil {
		var err error
		if data, err = json.Marshal(r.body); err != nil {
			return nil, err
		}
		kind = "application/json"
	}
	to := c.base + r.path
	if len(r.query) > 0 {
		to += "?" + r.query.Encode()
	}
	q, err := http.NewRequestWithContext(ctx, r.method, to, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	q.Header.Set(protocolHeader, strconv.Itoa(Protocol))
	q.Header.Set("User-Agent", c.server.Agent)
	if c.server.Token != "" {
		q.Header.Set("Authorization", "Bearer "+c.server.Token)
	}
	if data != nil {
		q.Header.Set("Content-Type", kind)
	}
	for name, value := range r.header {
		q.Header.Set(name, value)
	}
	answer, err := c.http.Do(q)
	if err != nil {
		return nil, err
	}
	if err := c.check(answer); err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

// failed is the error of a request that has no answer.
func (c *Client) failed(ctx context.Context, r request, err error) error {
	var answered *Error
	var other *ProtocolError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &answered), errors.As(err, &other):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return &Unreachable{c.URL(), fmt.Errorf("%s %s has no answer after %s", r.method, r.path, r.within)}
	}
	var in *url.Error // has the URL again
	if errors.As(err, &in) {
		err = in.Err
	}
	return &Unreachable{c.URL(), err}
}

// check returns an error for an answer that is none of a manager's, or that says that something
// is wrong.
func (c *Client) check(answer *http.Response) error {
	theirs, err := strconv.Atoi(answer.Header.Get(protocolHeader))
	switch {
	case err != nil && answer.StatusCode >= 300 && answer.StatusCode < 400:
		return &Error{Server: c.URL(), Status: answer.StatusCode, Detail: fmt.Sprintf("it sends on to %s, where the token does not go: name that server, if it is the manager", hideUser(answer.Header.Get("Location")))}
	case err != nil && answer.StatusCode >= 500:
		return &Error{Server: c.URL(), Status: answer.StatusCode, Detail: fmt.Sprintf("what stands before the manager answers %s", answer.Status)}
	case err != nil:
		return &Error{Server: c.URL(), Status: answer.StatusCode, Detail: fmt.Sprintf("what answers there (%s) is no manager: it does not say which protocol it speaks", answer.Status)}
	case theirs < Protocol-1 || theirs > Protocol+1:
		return &ProtocolError{c.URL(), theirs}
	case answer.StatusCode < 300:
		return nil
	}
	data, _ := io.ReadAll(io.LimitReader(answer.Body, 8<<20))
	e := &Error{Server: c.URL(), Status: answer.StatusCode}
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if kind != "application/problem+json" || json.Unmarshal(data, e) != nil || e.Detail == "" {
		e.Detail = "it answers " + answer.Status
	}
	e.Status = answer.StatusCode
	if after, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && after >= 0 {
		e.RetryAfter = time.Duration(after) * time.Second
	}
	return e
}

// patience are the pauses between the attempts of what may be sent again.
var patience = []time.Duration{200 * time.Millisecond, time.Second, 3 * time.Second}

// insist asks again where there was no answer: for what is the same however often it is sent.
func (c *Client) insist(ctx context.Context, r request, into any) (revision int64, err error) {
	for _, pause := range patience {
		revision, err = c.do(ctx, r, into)
		if !mayPass(err) {
			return revision, err
		}
		if err := rest(ctx, pause); err != nil {
			return 0, err
		}
	}
	return c.do(ctx, r, into)
}

// rest waits, unless the context ends before.
func rest(ctx context.Context, pause time.Duration) error {
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// mayPass reports whether a request may be answered a little later.
func mayPass(err error) bool {
	var lost *Unreachable
	var e *Error
	return errors.As(err, &lost) || errors.As(err, &e) && (e.Status == http.StatusServiceUnavailable || e.Status == http.StatusBadGateway && e.Code == "" || e.Status == http.StatusGatewayTimeout)
}

// NewKey is a key that makes a change one, however often it is sent.
func NewKey() string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // it does not fail
	return hex.EncodeToString(random)
}
