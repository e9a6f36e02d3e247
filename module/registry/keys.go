package registry

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"os"

	"kumiki.dev/internal/publickey"
)

// maxKey bounds the bytes of a file with keys.
const maxKey = 1 << 20

// makeKey is how a key is made.
const makeKey = "make one with openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem"

// Key signs modules: an ECDSA key on the curve P-256, the kind that cosign has.
type Key struct{ private *ecdsa.PrivateKey }

// ReadKey reads a private key in PEM, of PKCS #8 or SEC 1, that is not encrypted.
func ReadKey(name string) (*Key, error) {
	data, err := readKeys(name)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		var key any
		switch block.Type {
		case "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		case "EC PRIVATE KEY":
			key, err = x509.ParseECPrivateKey(block.Bytes)
		case "ENCRYPTED PRIVATE KEY", "ENCRYPTED COSIGN PRIVATE KEY", "ENCRYPTED SIGSTORE PRIVATE KEY":
			return nil, fmt.Errorf("%s: the key is encrypted, and kumiki asks for no password; %s", name, makeKey)
		default:
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w; %s", name, err, makeKey)
		}
		private, ok := key.(*ecdsa.PrivateKey)
		if !ok || private.Curve != elliptic.P256() {
			return nil, fmt.Errorf("%s has a key of another kind, expected ECDSA on P-256; %s", name, makeKey)
		}
		return &Key{private}, nil
	}
	return nil, fmt.Errorf("%s has no private key in PEM; %s", name, makeKey)
}

// sign signs a text. The signature is the same for the same text (RFC 6979), so
// that what is published again after a failure is the same.
func (k *Key) sign(text []byte) ([]byte, error) {
	sum := sha256.Sum256(text)
	return k.private.Sign(nil, sum[:], crypto.SHA256)
}

// Keys are public keys, each of which is trusted.
type Keys struct {
	name string
	keys []*ecdsa.PublicKey
}

// ReadKeys reads public keys in PEM, such as cosign.pub; several may be in a
// file, one after the other.
func ReadKeys(name string) (*Keys, error) {
	data, err := readKeys(name)
	if err != nil {
		return nil, err
	}
	out := &Keys{name: name}
	if out.keys, err = publickey.Parse(data); err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	return out, nil
}

// ParseKeys returns public keys in PEM, each a text; name is what messages call them.
func ParseKeys(name string, texts []string) (*Keys, error) {
	out := &Keys{name: name}
	for _, text := range texts {
		keys, err := publickey.Parse([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s %w", name, err)
		}
		out.keys = append(out.keys, keys...)
	}
	return out, nil
}

// made reports whether one of the keys made a signature of a text.
func (k *Keys) made(text, signature []byte) bool {
	sum := sha256.Sum256(text)
	for _, key := range k.keys {
		if ecdsa.VerifyASN1(key, sum[:], signature) {
			return true
		}
	}
	return false
}

func readKeys(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxKey))
}
