// Package access says who may do what. Whoever asks has a role and, where that is given, a
// selector of the deployments that it may see.
package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Role is what somebody may do: all that those before it may, and more.
type Role string

// The roles, in their order.
const (
	// Viewer reads.
	Viewer Role = "viewer"
	// Deployer makes, changes and removes deployments.
	Deployer Role = "deployer"
	// Operator sets maintenance too.
	Operator Role = "operator"
	// Admin changes environments and tokens too.
	Admin Role = "admin"
)

var roles = []Role{Viewer, Deployer, Operator, Admin}

// Includes reports whether a role may do what another may.
func (r Role) Includes(other Role) bool {
	mine := slices.Index(roles, r)
	return mine >= 0 && mine >= slices.Index(roles, other)
}

// Identity is who asks.
type Identity struct {
	Name string
	Role Role
	// Selector selects the deployments that it may see; nil for all.
	Selector Selector
	// grants are those of all groups that somebody is in; nil for a token, which has one role.
	grants []Grant
}

// Sees reports whether a deployment with these labels is one that it may see.
func (i Identity) Sees(of map[string]string) bool {
	return i.Selector == nil || i.Selector.Matches(labels.Set(of))
}

// Token lets somebody in. The token itself is not kept.
type Token struct {
	Name string `json:"name" doc:"Whose it is."`
	Role Role   `json:"role" enum:"viewer,deployer,operator,admin" doc:"What it may do."`
	// Selector selects the deployments that it may see, "" for all.
	Selector string `json:"selector,omitempty" doc:"The labels of the deployments that it may see; all if it is left out."`
	// Hash is that of the token.
	Hash string `json:"hash" doc:"The SHA-256 of the token."`
}

// ErrNobody says that nobody has shown who asks.
var ErrNobody = errors.New("no token: send Authorization: Bearer TOKEN")

// NewToken makes a token, which is to be shown once, and what is kept of it.
func NewToken(name string, role Role, selector string) (secret string, t Token, err error) {
	if err := record.CheckName(name); err != nil {
		return "", t, err
	}
	if !slices.Contains(roles, role) {
		return "", t, fmt.Errorf("%q is no role: there are viewer, deployer, operator and admin", role)
	}
	if _, err := labels.Parse(selector); err != nil {
		return "", t, fmt.Errorf("the selector %q: %w", selector, err)
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it does not fail
	secret = tokenPrefix + base64.RawURLEncoding.EncodeToString(random)
	return secret, Token{name, role, selector, hash(secret)}, nil
}

// tokenPrefix is what our tokens begin with.
const tokenPrefix = "kumiki_"

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Key is that of a token in the store: it is found by its hash.
func (t Token) Key() string { return record.Tokens + t.Hash }

// Tokens finds who asks by tokens.
type Tokens struct{ Store *store.Store }

// Bearer is the token of a request, "" for none.
func Bearer(r *http.Request) string {
	secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return secret
}

// Find returns whose token it is. The error is [ErrNobody] for an unknown token.
func (t Tokens) Find(ctx context.Context, secret string) (Identity, error) {
	if secret == "" {
		return Identity{}, ErrNobody
	}
	// The hash is looked up: what a wrong token has in common with a right one makes no
	// difference in time.
	known, _, err := store.Read[Token](ctx, t.Store, record.Tokens+hash(secret))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Identity{}, ErrNobody
	case err != nil:
		return Identity{}, err
	}
	who := Identity{Name: known.Name, Role: known.Role}
	if known.Selector != "" {
		if who.Selector, err = labels.Parse(known.Selector); err != nil {
			return Identity{}, err
		}
	}
	return who, nil
}

// First makes the token of an administrator where there is no token at all; "" where there is
// one. Of several servers that do so at once one makes it.
func (t Tokens) First(ctx context.Context) (secret string, err error) {
	entries, _, _, err := t.Store.List(ctx, record.Tokens, store.Page{Limit: 1, Keys: true})
	if err != nil || len(entries) > 0 {
		return "", err
	}
	secret, token, err := NewToken("admin", Admin, "")
	if err != nil {
		return "", err
	}
	made, err := t.Store.Commit(ctx, store.Put(token.Key(), token, 0))
	if err != nil {
		return "", err
	}
	entries, _, _, err = t.Store.List(ctx, record.Tokens, store.Page{Keys: true})
	for _, e := range entries {
		if e.Revision < made {
			_, err := t.Store.Commit(ctx, store.Remove(token.Key(), made))
			return "", err
		}
	}
	return secret, err
}
