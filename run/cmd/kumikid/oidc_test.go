package main

import (
	"crypto/rsa"
	"crypto/x509"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"
)

// args are the flags of a daemon, in its environment.
func args(list ...string) string { return "KUMIKID_ARGS=" + strings.Join(list, "\n") }

// withFlags starts a daemon with flags.
func withFlags(t testing.TB, list ...string) *daemon {
	t.Helper()
	return newDaemon(t, "KUMIKID_FOLDER="+filepath.Join(t.TempDir(), "environments"), args(list...))
}

// flags let the groups of an issuer in.
func (i *issuer) flags() []string {
	return []string{"--oidc-issuer=" + i.url, "--oidc-client-id=kumiki", "--oidc-ca=" + i.ca,
		"--oidc-role=staff=viewer", "--oidc-role=shop-team=deployer:team=shop", "--oidc-role=pay-team=deployer:team=pay", "--oidc-role=platform=admin"}
}

// as asks with another token.
func (d *daemon) as(token string) *daemon {
	other := *d
	other.token = token
	return &other
}

// TestOIDC: people come in by the ID tokens of an issuer, as their groups may, and by no other
// ones.
func TestOIDC(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	d := withFlags(t, i.flags()...)
	input := m{"bundle": d.upload(hello)}
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "apple", "labels": m{"team": "ops"}, "input": input}))

	// She sees all, and changes those of two teams only.
	alice := d.as(i.token(m{"groups": []string{"staff", "shop-team", "pay-team", "choir"}}))
	var me struct{ Name, Role, Selector string }
	alice.ask(200, "GET", "/v1/me", nil).read(t, &me)
	require.Equal(t, "oidc:alice@example.com deployer ", me.Name+" "+me.Role+" "+me.Selector)
	alice.ask(200, "GET", "/v1/deployments/apple", nil)
	for team, status := range map[string]int{"shop": 200, "pay": 200, "ops": 403} {
		alice.ask(status, "POST", "/v1/deployments?dryRun=true", m{"name": "pear", "labels": m{"team": team}, "input": input})
	}
	alice.ask(404, "PATCH", "/v1/deployments/apple?dryRun=true", m{"labels": m{"team": "shop"}}, "If-Match: *")
	alice.ask(403, "GET", "/v1/audit", nil)
	alice.well(alice.ask(202, "POST", "/v1/deployments", m{"name": "plum", "labels": m{"team": "shop"}, "input": input}))

	// Who is in a team only sees what is the team's.
	bob := d.as(i.token(m{"groups": "shop-team", "email": "bob@example.com"}))
	bob.ask(404, "GET", "/v1/deployments/apple", nil)
	bob.ask(200, "GET", "/v1/deployments/plum", nil)
	// An address that nobody has verified is no name.
	carol := d.as(i.token(m{"groups": []string{"platform"}, "sub": "c-1", "email_verified": false}))
	carol.ask(200, "GET", "/v1/me", nil).read(t, &me)
	require.Equal(t, "oidc:c-1", me.Name)
	require.Contains(t, string(carol.ask(200, "GET", "/v1/audit", nil).body), `"by":"oidc:alice@example.com","role":"deployer"`)
	none := d.as(i.token(m{"groups": []string{"choir"}}))
	require.Equal(t, "manager/forbidden", none.ask(403, "GET", "/v1/me", nil).code())
	i.refuses(d)
	i.rotates(d)
}

// refuses: what is not as it is to be lets nobody in, and says why.
func (i *issuer) refuses(d *daemon) {
	i.t.Helper()
	groups := m{"groups": []string{"platform"}}
	other := func(with m) string { with["groups"] = groups["groups"]; return i.token(with) }
	public, err := x509.MarshalPKIXPublicKey(i.key.Public().(*rsa.PublicKey))
	require.NoError(i.t, err)
	good := strings.Split(i.token(groups), ".")
	for why, token := range map[string]string{
		"ended at":                   other(m{"exp": time.Now().Add(-time.Minute).Unix()}),
		"before the nbf":             other(m{"nbf": time.Now().Add(time.Hour).Unix()}),
		"expected audience":          other(m{"aud": []string{"another"}}),
		"by a different provider":    other(m{"iss": "https://login.example.org"}),
		"neither email nor sub":      other(m{"email": "a\nb"}),
		"unexpected signature alg":   unsigned(i.t, i.claims(groups)),
		"\"HS256\"":                  signed(i.t, jose.HS256, public, i.kid, i.claims(groups)),
		"failed to verify signature": signed(i.t, jose.RS256, rsaKey(i.t), i.kid, i.claims(groups)),
		"verify signature":           good[0] + "." + strings.Split(other(m{"sub": "9"}), ".")[1] + "." + good[2],
		"not taken":                  "a.b.c",
	} {
		r := d.as(token).ask(401, "GET", "/v1/me", nil)
		require.Equal(i.t, "manager/nobody", r.code())
		require.Contains(i.t, string(r.body), why[max(0, strings.Index(why, "\"")+1):len(strings.TrimSuffix(why, "\""))], token)
		require.NotContains(i.t, string(r.body), token)
	}
}

// rotates: a key that the issuer has now is taken, also of another kind, one that it has no more
// is not; what keys are known is enough where the issuer is away.
func (i *issuer) rotates(d *daemon) {
	i.t.Helper()
	groups := m{"groups": []string{"platform"}}
	before := i.token(groups)
	time.Sleep(6 * time.Second) // the issuer is asked a few times in a second, and once each after that
	i.rotate("second", ecKey(i.t))
	d.as(i.token(groups)).ask(200, "GET", "/v1/me", nil)
	d.as(before).ask(401, "GET", "/v1/me", nil)
	i.server.Close()
	d.as(i.token(groups)).ask(200, "GET", "/v1/me", nil)
	i.rotate("third", rsaKey(i.t))
	require.Equal(i.t, "manager/issuer", d.as(i.token(groups)).ask(503, "GET", "/v1/me", nil).code())
	d.ask(200, "GET", "/v1/me", nil)
	asked := i.asked
	i.again()
	for range 50 { // strangers do not let it be asked each time
		d.as(signed(i.t, jose.RS256, i.key, "unknown", i.claims(groups))).try(http.MethodGet, "/v1/me", nil)
	}
	require.LessOrEqual(i.t, i.asked-asked, 10)
}

// TestIssuerAway: the server starts without its issuer, says so to those who need it, and
// takes their tokens as soon as it answers.
func TestIssuerAway(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.server.Close()
	d := withFlags(t, i.flags()...)
	token := i.token(m{"groups": []string{"staff"}})
	r := d.as(token).ask(503, "GET", "/v1/me", nil)
	require.Equal(t, "manager/issuer", r.code())
	require.Contains(t, string(r.body), i.url)
	d.ask(200, "GET", "/v1/me", nil)
	i.again()
	require.Eventually(t, func() bool {
		r, err := d.as(token).try("GET", "/v1/me", nil)
		return err == nil && r.status == 200
	}, 15*time.Second, 200*time.Millisecond)
}
