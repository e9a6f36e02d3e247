package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestPageIssuer: people sign in to the page at their issuer, in a real browser, and may there what
// their groups may; a sign-in that is not the browser's own, or that has other claims, is none.
func TestPageIssuer(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	d := withFlags(t, i.flags()...)
	b := newBrowser(t, d.url)
	signIn := func(claims m) {
		i.mu.Lock()
		i.who = claims
		i.mu.Unlock()
		b.open("/ui/operations")
		b.sees("Sign in at " + i.at)
		b.do(chromedp.Click(chromedp.CSS("a.main")))
	}
	signIn(m{"groups": []string{"choir"}})
	b.sees("oidc:alice@example.com is known to the issuer, and no group in the claim groups has a role here")
	b.fits("issuer")
	signIn(m{"groups": []string{"platform"}, "nonce": "another"})
	b.sees("the ID token is of another sign-in")
	var many []string
	for n := range 300 {
		many = append(many, fmt.Sprintf("a-group-with-a-long-name-%d", n))
	}
	signIn(m{"groups": append(many, "staff")})
	b.sees("longer than a browser keeps")

	signIn(m{"groups": []string{"staff", "shop-team"}})
	b.sees("oidc:alice@example.com deployer")
	require.Equal(t, d.url+"/ui/operations", b.text("location.href"))
	require.Equal(t, "", b.text("document.cookie"), "no script reads it")
	i.rotate("second", ecKey(t))
	d.as(i.token(m{"groups": []string{"staff"}})).ask(200, "GET", "/v1/me", nil)
	// The session ends with the token, which is not taken any more.
	b.open("/ui/operations")
	b.sees("Sign in at " + i.at)
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(t, b.complaints)
	d.noSignIn(i)
}

// noSignIn: nobody is signed in by an address that somebody else has made.
func (d *daemon) noSignIn(i *issuer) {
	d.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(d.t, err)
	stays := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &http.Client{Jar: jar, CheckRedirect: stays, Transport: i.server.Client().Transport}
	get := func(at string) (*http.Response, string) {
		answer, err := c.Get(at)
		require.NoError(d.t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(d.t, err)
		return answer, string(text)
	}
	i.mu.Lock()
	i.who = m{"groups": []string{"platform"}}
	i.mu.Unlock()
	back := func() string { // where a sign-in comes back to
		begun, _ := get(d.url + "/ui/sign-in/issuer?to=https://evil.example/")
		require.Equal(d.t, 303, begun.StatusCode)
		sent, _ := get(begun.Header.Get("Location"))
		return sent.Header.Get("Location")
	}
	mine := back()
	theirs, err := url.Parse(mine)
	require.NoError(d.t, err)
	q := theirs.Query()
	q.Set("state", "x")
	theirs.RawQuery = q.Encode()
	answer, text := get(theirs.String())
	require.Equal(d.t, 401, answer.StatusCode)
	require.Contains(d.t, text, "of another sign-in")
	answer, text = get(mine) // which has ended with that
	require.Equal(d.t, 401, answer.StatusCode)
	require.Contains(d.t, text, "not begun in this browser")
	answer, text = get(d.url + "/ui/sign-in/back?code=x&state=y")
	require.Equal(d.t, 401, answer.StatusCode)
	require.Contains(d.t, text, "not begun in this browser")

	first := back()
	answer, _ = get(first)
	require.Equal(d.t, "/ui/", answer.Header.Get("Location"), "and never to where somebody else says")
	answer, _ = get(d.url + "/ui/")
	require.Equal(d.t, 200, answer.StatusCode)
	q = url.Values{"error": {"access_denied"}, "error_description": {"<b>no</b>"}}
	begun, _ := get(d.url + "/ui/sign-in/issuer")
	to, err := url.Parse(begun.Header.Get("Location"))
	require.NoError(d.t, err)
	q.Set("state", to.Query().Get("state"))
	answer, text = get(d.url + "/ui/sign-in/back?" + q.Encode())
	require.Equal(d.t, 401, answer.StatusCode)
	require.Contains(d.t, text, "access_denied &lt;b&gt;no")
}
