package notice

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// The headers of a notice. The signature is sha256=HEX, the HMAC of TIME.BODY, TIME as in its
// header: seconds since 1970.
const (
	HeaderID        = "X-Kumiki-Id"
	HeaderTime      = "X-Kumiki-Time"
	HeaderSignature = "X-Kumiki-Signature"
)

// answering is how long a receiver may take.
const answering = 15 * time.Second

// Sender delivers notices to a URL.
type Sender struct {
	URL string
	// Key signs what is sent, nil for no signature.
	Key    []byte
	Client *http.Client
	// Save writes the state down.
	Save func(*State) error
}

// Deliver sends what is pending in order, and writes the state down after each notice that
// was received. It ends with the first that was not, and why; that one stays pending.
func (s *Sender) Deliver(ctx context.Context, state *State) error {
	for len(state.Pending) > 0 {
		if err := s.send(ctx, state.Pending[0]); err != nil {
			return err
		}
		state.Pending = state.Pending[1:]
		if err := s.Save(state); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sender) send(ctx context.Context, n Notice) error {
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	at := fmt.Sprint(time.Now().Unix())
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(HeaderID, n.ID)
	request.Header.Set(HeaderTime, at)
	if len(s.Key) > 0 {
		request.Header.Set(HeaderSignature, Sign(s.Key, at, body))
	}
	answer, err := s.Client.Do(request)
	if at := (*url.Error)(nil); errors.As(err, &at) {
		return at.Err // without the URL, which may have a token in it
	} else if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16))
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answers %s", answer.Status)
	}
	return nil
}

// Sign returns the signature of a body that is sent at a time, given as in [HeaderTime].
func Sign(key []byte, at string, body []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(at + "."))
	h.Write(body)
	return "sha256=" + hex.EncodeToString(h.Sum(nil))
}
