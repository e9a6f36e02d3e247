package page

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"kumiki.dev/run/access"
)

const (
	// begunCookie has a sign-in at the issuer that has begun, and begunPath is where it goes.
	begunCookie = "kumiki_sign_in"
	begunPath   = "/ui/sign-in/"
	// begunLasts is how long somebody may take to sign in there.
	begunLasts = 10 * time.Minute
	backPath   = begunPath + "back"
)

// begun is a sign-in at the issuer, between going there and coming back. It is sealed, in a
// cookie of the browser that has begun it: no other one can end it.
type begun struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	To       string    `json:"to"`
	Until    time.Time `json:"until"`
}

// issuerName is what the sign-in calls the issuer, "" for none.
func (p *Page) issuerName() string {
	if p.Issuer == nil {
		return ""
	}
	u, err := url.Parse(p.Issuer.URL)
	if err != nil {
		return p.Issuer.URL
	}
	return u.Host
}

// client is who signs people in at the issuer, which sends them back to this server.
func (p *Page) client(r *http.Request) (*oauth2.Config, error) {
	provider, err := p.Issuer.Provider()
	if err != nil {
		return nil, err
	}
	back := p.Issuer.Redirect
	if back == "" {
		back = "http://" + r.Host + backPath
		if r.TLS != nil {
			back = "https://" + r.Host + backPath
		}
	}
	return &oauth2.Config{ClientID: p.Issuer.ClientID, ClientSecret: p.Issuer.Secret, Endpoint: provider.Endpoint(), RedirectURL: back, Scopes: p.Issuer.Scopes}, nil
}

// goToIssuer sends the browser to the issuer.
func (p *Page) goToIssuer(w http.ResponseWriter, r *http.Request) {
	to := r.URL.Query().Get("to")
	c, err := p.client(r)
	if err != nil {
		p.notSignedIn(w, to, err)
		return
	}
	b := begun{rand.Text(), rand.Text(), oauth2.GenerateVerifier(), to, time.Now().Add(begunLasts)}
	sealed, err := p.seal(b, begunCookie)
	if err != nil {
		p.notSignedIn(w, to, err)
		return
	}
	p.setCookie(w, r, begunCookie, begunPath, sealed, int(begunLasts.Seconds()))
	http.Redirect(w, r, c.AuthCodeURL(b.State, oidc.Nonce(b.Nonce), oauth2.S256ChallengeOption(b.Verifier)), http.StatusSeeOther)
}

// backFromIssuer signs in who comes back with a code.
func (p *Page) backFromIssuer(w http.ResponseWriter, r *http.Request) {
	var b begun
	c, err := r.Cookie(begunCookie)
	if err != nil || !p.unseal(c.Value, begunCookie, &b) || time.Now().After(b.Until) {
		p.notSignedIn(w, "", &access.Refused{Why: "this sign-in was not begun in this browser, or it has taken too long: begin again"})
		return
	}
	p.setCookie(w, r, begunCookie, begunPath, "", -1) // a sign-in ends once
	token, err := p.ended(r, b)
	if err == nil {
		err = p.signIn(w, r, token)
	}
	if err != nil {
		p.notSignedIn(w, b.To, err)
		return
	}
	http.Redirect(w, r, within(b.To), http.StatusSeeOther)
}

// ended is the ID token of who has signed in.
func (p *Page) ended(r *http.Request, b begun) (string, error) {
	q := r.URL.Query()
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(b.State)) != 1 {
		return "", &access.Refused{Why: "what comes back is of another sign-in: begin again"}
	}
	if code := q.Get("error"); code != "" {
		return "", &access.Refused{Why: "the issuer lets nobody in: " + strings.TrimSpace(code+" "+q.Get("error_description"))}
	}
	c, err := p.client(r)
	if err != nil {
		return "", err
	}
	got, err := c.Exchange(p.Issuer.Context(r.Context()), q.Get("code"), oauth2.VerifierOption(b.Verifier))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused):
		return "", &access.Refused{Why: "the issuer gives no token for what it has sent: " + refused.ErrorCode + ": --oidc-client-secret-file may be missing"}
	case err != nil:
		return "", &access.IssuerError{URL: p.Issuer.URL, Err: err}
	}
	token, ok := got.Extra("id_token").(string)
	if !ok {
		return "", &access.Refused{Why: "the issuer gives no ID token: its client has to be one of OpenID Connect"}
	}
	_, err = p.Issuer.Find(r.Context(), token, b.Nonce)
	return token, err
}

// notSignedIn shows the form, with what is wrong.
func (p *Page) notSignedIn(w http.ResponseWriter, to string, err error) {
	var refused *access.Refused
	var ungranted *access.Ungranted
	status := http.StatusServiceUnavailable
	switch {
	case errors.As(err, &refused), errors.Is(err, errTooLong):
		status = http.StatusUnauthorized
	case errors.As(err, &ungranted):
		status = http.StatusForbidden
	}
	if p.Log != nil {
		p.Log.Info("nobody is signed in by the issuer", "error", err)
	}
	p.showSignIn(w, status, signInForm{To: to, Wrong: err.Error()})
}

// within is a page of ours: nobody is sent anywhere else.
func within(to string) string {
	if !strings.HasPrefix(to, "/ui/") || strings.ContainsAny(to, "\\\r\n") {
		return "/ui/"
	}
	return to
}
