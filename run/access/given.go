package access

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// minGiven is the least length of a token that an administrator chose.
const minGiven = 24

// ReadToken reads a token from a file, such as a secret of where the server runs.
func ReadToken(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	for _, r := range token {
		if r <= ' ' || r > '~' {
			return "", fmt.Errorf("%s: a token is one line of visible ASCII", file)
		}
	}
	if len(token) < minGiven {
		return "", fmt.Errorf("%s: a token has at least %d characters: openssl rand -hex 32 makes one", file, minGiven)
	}
	return token, nil
}

// Given makes a token the first administrator's, where there is no token at all. Several servers
// may do so at once.
func (t Tokens) Given(ctx context.Context, secret string) error {
	entries, _, _, err := t.Store.List(ctx, record.Tokens, store.Page{Limit: 1, Keys: true})
	if err != nil || len(entries) > 0 {
		return err
	}
	token := Token{Name: "admin", Role: Admin, Hash: hash(secret)}
	if _, err = t.Store.Commit(ctx, store.Put(token.Key(), token, 0)); errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}
