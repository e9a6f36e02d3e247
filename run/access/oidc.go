package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/time/rate"
)

// Issuer finds who asks by ID tokens of an OpenID Connect issuer. It is for several goroutines.
// Nothing is asked of the issuer before the first token comes, and its keys are kept: it may be
// away for a while.
type Issuer struct {
	// URL is the issuer, as its tokens say it, and ClientID who they have to be for.
	URL, ClientID string
	// Secret is what the issuer knows the client by, "" for a public one. Redirect is where it sends
	// people back to, "" for where they have come from, and Scopes what they are asked for.
	Secret, Redirect string
	Scopes           []string
	// Transport is how it is asked; nil for the default.
	Transport http.RoundTripper
	// NameClaim is the claim that names people; where it is missing, sub is taken. GroupsClaim has
	// the groups.
	NameClaim, GroupsClaim string
	// Grants say what the groups may.
	Grants []Grant

	mu       sync.Mutex
	provider *Provider
	failed   error // why there is no provider, until
	until    time.Time
	client   *http.Client
}

// How long is waited for the issuer, how soon it is asked again after it has not answered, and
// how often its keys are asked for: anybody can send tokens of keys that it does not have.
const (
	issuerWithin = 5 * time.Second
	issuerAgain  = 5 * time.Second
	keysEvery    = time.Second
	keysAtOnce   = 5
)

// Refused says why a token lets nobody in.
type Refused struct{ Why string }

// Error implements error.
func (r *Refused) Error() string { return r.Why }

// Ungranted says that the issuer knows somebody, and that nothing is granted to any group of his.
type Ungranted struct {
	Name  string
	Claim string
}

// Error implements error.
func (u *Ungranted) Error() string {
	return fmt.Sprintf("%s is known to the issuer, and no group in the claim %s has a role here: --oidc-role GROUP=ROLE of kumikid serve gives one", u.Name, u.Claim)
}

// IssuerError says that the issuer cannot be asked.
type IssuerError struct {
	URL string
	Err error
}

// Error implements error.
func (e *IssuerError) Error() string {
	return fmt.Sprintf("the issuer %s is needed for this token, and cannot be asked: %v; other tokens go on", e.URL, e.Err)
}

// Unwrap is why.
func (e *IssuerError) Unwrap() error { return e.Err }

// IsIDToken reports whether a bearer token looks like a JWT of an issuer, and not like a token
// of the manager's own.
func IsIDToken(secret string) bool {
	return strings.Count(secret, ".") == 2 && !strings.HasPrefix(secret, tokenPrefix)
}

// Provider is what an issuer offers.
type Provider struct {
	*oidc.Provider
	keys       oidc.KeySet
	algorithms []string
}

// signed are the signature algorithms that are accepted: all of them use a public key, so
// neither a shared secret nor a missing signature passes.
var signed = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// Provider asks the issuer for what it offers, once. The error is an [*IssuerError].
func (i *Issuer) Provider() (*Provider, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.provider != nil:
		return i.provider, nil
	case time.Now().Before(i.until):
		return nil, i.failed
	}
	if i.client == nil {
		i.client = &http.Client{Timeout: issuerWithin, Transport: &modest{next: i.Transport, limit: rate.NewLimiter(rate.Every(keysEvery), keysAtOnce)}}
	}
	// The keys are asked for later, and with this context.
	p, err := discover(i.Context(context.Background()), i.URL)
	if err != nil {
		i.failed, i.until = &IssuerError{i.URL, brief(err)}, time.Now().Add(issuerAgain)
		return nil, i.failed
	}
	i.provider = p
	return p, nil
}

func discover(ctx context.Context, at string) (*Provider, error) {
	p, err := oidc.NewProvider(ctx, at)
	if err != nil {
		return nil, err
	}
	var says struct {
		Keys       string   `json:"jwks_uri"`
		Algorithms []string `json:"id_token_signing_alg_values_supported"`
	}
	if err := p.Claims(&says); err != nil {
		return nil, err
	}
	if says.Keys == "" {
		return nil, errors.New("it does not say where its keys are (jwks_uri)")
	}
	out := &Provider{Provider: p, keys: oidc.NewRemoteKeySet(ctx, says.Keys)}
	for _, a := range says.Algorithms {
		if slices.Contains(signed, a) {
			out.algorithms = append(out.algorithms, a)
		}
	}
	if len(out.algorithms) == 0 {
		out.algorithms = []string{oidc.RS256} // which every issuer has
	}
	return out, nil
}

// Context is one in which the issuer is asked as it is to be. [Issuer.Provider] comes first.
func (i *Issuer) Context(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, i.client)
}

// modest limits how often the issuer is asked, and turns any answer but 200 into an error.
type modest struct {
	next  http.RoundTripper
	limit *rate.Limiter
}

// RoundTrip implements [http.RoundTripper].
func (m *modest) RoundTrip(r *http.Request) (*http.Response, error) {
	next := m.next
	if next == nil {
		next = http.DefaultTransport
	}
	if r.Method != http.MethodGet { // a code is exchanged: that says itself what is wrong
		return next.RoundTrip(r)
	}
	if !m.limit.Allow() {
		return nil, errors.New("it was asked several times in this second, for keys that it does not have")
	}
	answer, err := next.RoundTrip(r)
	if err == nil && answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, fmt.Errorf("%s is answered with %s", r.URL.Path, answer.Status)
	}
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, maxIssued)
	}
	return answer, err
}

// maxIssued bounds what an issuer may answer, in bytes.
const maxIssued = 1 << 20

// brief leaves out what an issuer has sent, which may be a whole page.
func brief(err error) error {
	const most = 300
	if text := err.Error(); len(text) > most {
		return errors.New(text[:most] + "…")
	}
	return err
}

// keySet remembers that keys could not be fetched: the verifier reports that like a wrong
// signature.
type keySet struct {
	oidc.KeySet
	failed error
}

// VerifySignature implements [oidc.KeySet].
func (k *keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, jwt)
	if err != nil && strings.HasPrefix(err.Error(), "fetching keys") {
		k.failed = brief(err)
	}
	return payload, err
}

// Find returns who an ID token names. nonce is the one that it has to have, "" for any. The
// error is a [*Refused], an [*Ungranted] or an [*IssuerError].
func (i *Issuer) Find(ctx context.Context, token, nonce string) (Identity, error) {
	p, err := i.Provider()
	if err != nil {
		return Identity{}, err
	}
	keys := &keySet{KeySet: p.keys}
	verified, err := oidc.NewVerifier(i.URL, keys, &oidc.Config{ClientID: i.ClientID, SupportedSigningAlgs: p.algorithms}).Verify(ctx, token)
	switch {
	case keys.failed != nil:
		return Identity{}, &IssuerError{i.URL, keys.failed}
	case err != nil:
		return Identity{}, &Refused{refusal(err)}
	case nonce != "" && verified.Nonce != nonce:
		return Identity{}, &Refused{"the ID token is of another sign-in: begin again"}
	}
	return i.identity(verified)
}

// refusal says in few words what is wrong with a token, without the library's name in front.
func refusal(err error) string {
	var expired *oidc.TokenExpiredError
	if errors.As(err, &expired) {
		return fmt.Sprintf("the ID token ended at %s: sign in again", expired.Expiry.UTC().Format(time.RFC3339))
	}
	return "the ID token is not taken: " + strings.TrimPrefix(brief(err).Error(), "oidc: ")
}

// identity is what the claims of a token come to.
func (i *Issuer) identity(t *oidc.IDToken) (Identity, error) {
	var claims map[string]json.RawMessage
	if err := t.Claims(&claims); err != nil {
		return Identity{}, &Refused{"the ID token has claims that cannot be read"}
	}
	name := t.Subject
	var other string
	if json.Unmarshal(claims[i.NameClaim], &other) == nil && other != "" && !(i.NameClaim == "email" && string(claims["email_verified"]) == "false") {
		name = other
	}
	if name == "" || len(name) > 256 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return Identity{}, &Refused{"the ID token names nobody: neither " + i.NameClaim + " nor sub is a name"}
	}
	name = IssuedPrefix + name
	of := groups(claims[i.GroupsClaim])
	var granted []Grant
	for _, g := range i.Grants {
		if slices.Contains(of, g.Group) {
			granted = append(granted, g)
		}
	}
	if len(granted) == 0 {
		return Identity{}, &Ungranted{name, i.GroupsClaim}
	}
	return strongest(name, granted), nil
}

// IssuedPrefix is what the names of people of an issuer begin with: that of a token never does.
const IssuedPrefix = "oidc:"

// groups are those of a claim, which is a list of texts or one text.
func groups(claim json.RawMessage) (out []string) {
	var one string
	if json.Unmarshal(claim, &one) == nil && one != "" {
		return []string{one}
	}
	_ = json.Unmarshal(claim, &out) // what is no list of texts has no groups
	return out
}
