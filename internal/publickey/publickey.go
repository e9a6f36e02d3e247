// Package publickey reads the public keys that modules are signed with.
package publickey

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// Parse returns the keys of a text in PEM, ECDSA on P-256, in their order: at least one.
func Parse(text []byte) (keys []*ecdsa.PublicKey, err error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "PUBLIC KEY" {
			return nil, fmt.Errorf("has a %q, expected a PUBLIC KEY: openssl pkey -in key.pem -pubout writes it", block.Type)
		}
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("has a key that cannot be read: %w", err)
		}
		public, ok := key.(*ecdsa.PublicKey)
		if !ok || public.Curve != elliptic.P256() {
			return nil, errors.New("has a key of another kind, expected ECDSA on P-256")
		}
		keys = append(keys, public)
	}
	if len(keys) == 0 {
		return nil, errors.New("has no public key in PEM: openssl pkey -in key.pem -pubout writes it")
	}
	return keys, nil
}
