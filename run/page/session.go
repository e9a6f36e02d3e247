package page

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"kumiki.dev/run/store"
)

// keyAt is where the key of sessions is kept, for all servers over one store.
const keyAt = "page/key"

// Key is that by which sessions are sealed. It is made where there is none.
func Key(ctx context.Context, s *store.Store) ([]byte, error) {
	for {
		key, _, err := store.Read[[]byte](ctx, s, keyAt)
		if !errors.Is(err, store.ErrNotFound) {
			return key, err
		}
		key = make([]byte, 32)
		_, _ = rand.Read(key) // it does not fail
		if _, err := s.Commit(ctx, store.Put(keyAt, key, 0)); err != nil && !errors.Is(err, store.ErrConflict) {
			return nil, err
		}
	}
}

const (
	cookieName = "kumiki_session"
	cookiePath = "/ui"
	// sessionLasts is after how long who looks has to show the token again.
	sessionLasts = 12 * time.Hour
)

// session is what a cookie holds. It is sealed: a browser sends cookies of a machine to all its
// ports, and a program that listens at another one is not to learn the token.
type session struct {
	Token string    `json:"token"`
	Until time.Time `json:"until"`
}

func (p *Page) sealer() (cipher.AEAD, error) {
	block, err := aes.NewCipher(p.Key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// seal is a value as a cookie has it, for one purpose.
func (p *Page) seal(v any, purpose string) (string, error) {
	seal, err := p.sealer()
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(seal.Seal(nil, nil, data, []byte(purpose))), nil
}

// unseal reads what was sealed for a purpose, and reports whether it was.
func (p *Page) unseal(text, purpose string, into any) bool {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	seal, err := p.sealer()
	if err != nil {
		return false
	}
	data, err := seal.Open(nil, nil, sealed, []byte(purpose))
	return err == nil && json.Unmarshal(data, into) == nil
}

// maxCookie bounds a cookie, in bytes: browsers leave out larger ones, and say nothing.
const maxCookie = 4000

var errTooLong = errors.New("this token is longer than a browser keeps: let the issuer put fewer groups into its ID tokens")

// signIn gives the browser a session.
func (p *Page) signIn(w http.ResponseWriter, r *http.Request, token string) error {
	sealed, err := p.seal(session{token, time.Now().Add(sessionLasts)}, cookieName)
	if err != nil {
		return err
	}
	if len(sealed) > maxCookie {
		return errTooLong
	}
	p.setCookie(w, r, cookieName, cookiePath, sealed, 0)
	return nil
}

func (p *Page) setCookie(w http.ResponseWriter, r *http.Request, name, path, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: path, MaxAge: age, HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode})
}

// token is that of the session of a request, "" for none that holds.
func (p *Page) token(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	var s session
	if !p.unseal(c.Value, cookieName, &s) || time.Now().After(s.Until) {
		return ""
	}
	return s.Token
}
