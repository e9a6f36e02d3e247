package page

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"kumiki.dev/run/api"
)

// recorder keeps an answer of the interface.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write implements [http.ResponseWriter].
func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

// asker asks the interface as one who is signed in.
type asker struct {
	ctx   context.Context
	api   http.Handler
	token string
}

func (a asker) request(method, path string, body []byte, header http.Header) (*http.Request, error) {
	r, err := http.NewRequestWithContext(a.ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if header != nil {
		r.Header = header
	}
	r.RequestURI = path
	r.Header.Set("Authorization", "Bearer "+a.token)
	return r, nil
}

// ask asks, and reads the answer into a value, or its bytes into a *[]byte. The error is an
// *[api.Fault] where the interface says what is wrong.
func (a asker) ask(method, path string, body, into any, header http.Header) error {
	data, isRaw := body.([]byte)
	if header == nil {
		header = http.Header{}
	}
	switch {
	case isRaw:
		header.Set("Content-Type", "application/zip")
	case body != nil:
		var err error
		if data, err = json.Marshal(body); err != nil {
			return err
		}
		header.Set("Content-Type", "application/json")
	}
	r, err := a.request(method, path, data, header)
	if err != nil {
		return err
	}
	w := &recorder{header: http.Header{}}
	a.api.ServeHTTP(w, r)
	if w.status >= http.StatusBadRequest {
		f := &api.Fault{Status: w.status}
		if json.Unmarshal(w.body.Bytes(), f) != nil || f.Detail == "" {
			f.Detail = strings.TrimSpace(w.body.String())
		}
		return f
	}
	switch into := into.(type) {
	case nil:
		return nil
	case *[]byte:
		*into = w.body.Bytes()
		return nil
	}
	return json.Unmarshal(w.body.Bytes(), into)
}

func (a asker) get(path string, into any) error {
	return a.ask(http.MethodGet, path, nil, into, nil)
}
