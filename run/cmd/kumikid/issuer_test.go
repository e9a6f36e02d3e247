package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"
)

// issuer is an OpenID Connect issuer in this process: discovery, keys, and sign-ins by a code.
type issuer struct {
	t      *testing.T
	at     string // host and port
	url    string
	server *httptest.Server
	ca     string // file with its certificate

	mu    sync.Mutex
	kid   string
	key   crypto.Signer
	codes map[string]url.Values // sign-ins that have begun
	who   m                     // the claims of who signs in
	asked int                   // how often for keys
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	i := &issuer{t: t, at: l.Addr().String(), codes: map[string]url.Values{}}
	i.url = "https://" + i.at
	i.rotate("first", rsaKey(t))
	i.serve(l)
	t.Cleanup(func() { i.server.Close() })
	i.ca = filepath.Join(t.TempDir(), "issuer.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: i.server.Certificate().Raw}
	require.NoError(t, os.WriteFile(i.ca, pem.EncodeToMemory(block), 0o600))
	return i
}

func rsaKey(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return key
}

func ecKey(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

// serve answers at a listener.
func (i *issuer) serve(l net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		i.write(w, m{"issuer": i.url, "jwks_uri": i.url + "/keys", "authorization_endpoint": i.url + "/authorize", "token_endpoint": i.url + "/token",
			"id_token_signing_alg_values_supported": []string{"RS256", "ES256", "HS256", "none"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.asked++
		i.write(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: i.kid, Use: "sig"}}})
	})
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.exchange)
	i.server = httptest.NewUnstartedServer(mux)
	_ = i.server.Listener.Close()
	i.server.Listener = l
	i.server.StartTLS()
}

func (i *issuer) write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// again answers once more after the server was closed.
func (i *issuer) again() {
	i.t.Helper()
	l, err := net.Listen("tcp", i.at)
	require.NoError(i.t, err)
	i.serve(l)
}

// rotate signs with another key from now on.
func (i *issuer) rotate(kid string, key crypto.Signer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.kid, i.key = kid, key
}

// claims are good ones, with others in place of some.
func (i *issuer) claims(with m) m {
	now := time.Now()
	c := m{"iss": i.url, "aud": "kumiki", "sub": "1234", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "email": "alice@example.com", "email_verified": true}
	maps.Copy(c, with)
	return c
}

// token is an ID token with these claims in place of good ones.
func (i *issuer) token(with m) string {
	i.t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	algorithm := jose.RS256
	if _, ok := i.key.(*ecdsa.PrivateKey); ok {
		algorithm = jose.ES256
	}
	return signed(i.t, algorithm, i.key, i.kid, i.claims(with))
}

func signed(t *testing.T, algorithm jose.SignatureAlgorithm, key any, kid string, claims m) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: jose.JSONWebKey{Key: key, KeyID: kid}}, nil)
	require.NoError(t, err)
	data, err := json.Marshal(claims)
	require.NoError(t, err)
	jws, err := s.Sign(data)
	require.NoError(t, err)
	text, err := jws.CompactSerialize()
	require.NoError(t, err)
	return text
}

// unsigned is a token of the algorithm none.
func unsigned(t *testing.T, claims m) string {
	t.Helper()
	data, err := json.Marshal(claims)
	require.NoError(t, err)
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + part(data) + "."
}

// authorize signs somebody in at once, and sends the browser back with a code.
func (i *issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != "kumiki" || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || !strings.Contains(q.Get("scope"), "openid") {
		http.Error(w, "the request is not as OpenID Connect has it", http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	code := rand.Text()
	i.codes[code] = q
	back := q.Get("redirect_uri") + "?" + url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	http.Redirect(w, r, back, http.StatusFound)
}

// exchange gives an ID token for a code, once, to who has begun the sign-in.
func (i *issuer) exchange(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	began, ok := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	who := maps.Clone(i.who)
	i.mu.Unlock()
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !ok || began.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || began.Get("redirect_uri") != r.PostFormValue("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		i.write(w, m{"error": "invalid_grant"})
		return
	}
	if _, ok := who["nonce"]; !ok {
		who["nonce"] = began.Get("nonce")
	}
	i.write(w, m{"access_token": "x", "token_type": "Bearer", "id_token": i.token(who)})
}
