package main

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/run/access"
	"kumiki.dev/run/internal/hosts"
)

// oidcOptions say which issuer knows people.
type oidcOptions struct {
	issuer, client, ca string
	name, groups       string
	roles, scopes      []string
	secret, redirect   string
}

func (o *oidcOptions) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.issuer, "oidc-issuer", "", "`URL` of an OpenID Connect issuer whose ID tokens let people in")
	flags.StringVar(&o.client, "oidc-client-id", "", "`name` by which the issuer knows the manager: the audience of its tokens")
	flags.StringVar(&o.secret, "oidc-client-secret-file", "", "`file` with the client's secret, for the page (default: the client is a public one)")
	flags.StringArrayVar(&o.scopes, "oidc-scope", []string{"profile", "email"}, "`scope` that the page asks for beside openid, such as groups; may be given several times")
	flags.StringVar(&o.redirect, "oidc-redirect", "", "`URL` that the issuer sends people back to, which ends with /ui/sign-in/back (default: where the browser has come from)")
	flags.StringVar(&o.ca, "oidc-ca", "", "`file` with the authority that the issuer's certificate is of (default: those of the machine)")
	flags.StringVar(&o.name, "oidc-name", "email", "`claim` with the name of who asks; sub where a token has none")
	flags.StringVar(&o.groups, "oidc-groups", "groups", "`claim` with the groups of who asks")
	flags.StringArrayVar(&o.roles, "oidc-role", nil, "`GROUP=ROLE[:SELECTOR]`: what those of a group may, and with which deployments; may be given several times")
}

// open returns the issuer, nil for none. Nothing is asked of it yet.
func (o *oidcOptions) open() (*access.Issuer, error) {
	if o.issuer == "" {
		if o.client+o.ca+o.secret+o.redirect != "" || len(o.roles) > 0 {
			return nil, wrongUsage("--oidc-client-id, --oidc-role and the like are about an issuer: say --oidc-issuer URL")
		}
		return nil, nil
	}
	u, err := url.Parse(o.issuer)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, wrongUsage("--oidc-issuer %s: it is no URL of an issuer, such as https://login.example.com/realms/main", o.issuer)
	case u.Scheme != "https" && !hosts.Loopback(u.Hostname()):
		return nil, wrongUsage("--oidc-issuer %s: its keys would come in the clear, and anybody on the way could make tokens: https", o.issuer)
	case o.client == "":
		return nil, wrongUsage("--oidc-issuer takes --oidc-client-id NAME: tokens that the issuer gives to others let nobody in here")
	case o.redirect != "" && !strings.HasSuffix(o.redirect, "/ui/sign-in/back"):
		return nil, wrongUsage("--oidc-redirect %s: it ends with /ui/sign-in/back, where the manager takes people back", o.redirect)
	case len(o.roles) == 0:
		return nil, wrongUsage("--oidc-issuer takes --oidc-role GROUP=ROLE, at least once: else nobody whom it knows may do anything")
	}
	out := &access.Issuer{URL: o.issuer, ClientID: o.client, NameClaim: o.name, GroupsClaim: o.groups, Redirect: o.redirect, Scopes: append([]string{"openid"}, o.scopes...)}
	if o.secret != "" {
		data, err := os.ReadFile(o.secret)
		if err != nil {
			return nil, wrongUsage("--oidc-client-secret-file: %w", err)
		}
		out.Secret = strings.TrimSpace(string(data))
	}
	for _, text := range o.roles {
		g, err := access.ParseGrant(text)
		if err != nil {
			return nil, wrongUsage("--oidc-role %w", err)
		}
		out.Grants = append(out.Grants, g)
	}
	out.Transport, err = o.transport()
	return out, err
}

func (o *oidcOptions) transport() (http.RoundTripper, error) {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, TLSHandshakeTimeout: 5 * time.Second, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true}
	if o.ca == "" {
		return t, nil
	}
	pool, err := authority("--oidc-ca", o.ca)
	t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return t, err
}
