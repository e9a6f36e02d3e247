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

// signIn gives the browser a session.
func (p *Page) signIn(w http.ResponseWriter, r *http.Request, token string) error {
	seal, err := p.sealer()
	if err != nil {
		return err
	}
	data, err := json.Marshal(session{token, time.Now().Add(sessionLasts)})
	if err != nil {
		return err
	}
	p.cookie(w, r, base64.RawURLEncoding.EncodeToString(seal.Seal(nil, nil, data, []byte(cookieName))), 0)
	return nil
}

func (p *Page) cookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: value, Path: cookiePath, MaxAge: age, HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode})
}

// token is that of the session of a request, "" for none that holds.
func (p *Page) token(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return ""
	}
	seal, err := p.sealer()
	if err != nil {
		return ""
	}
	data, err := seal.Open(nil, nil, sealed, []byte(cookieName))
	if err != nil {
		return ""
	}
	var s session
	if json.Unmarshal(data, &s) != nil || time.Now().After(s.Until) {
		return ""
	}
	return s.Token
}
