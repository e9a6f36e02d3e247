package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServeFlags: what does not go together is said before anything is made.
func TestServeFlags(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	issuer := []string{"--oidc-issuer=https://login.example.com", "--oidc-client-id=kumiki"}
	for _, test := range []struct {
		says string
		args []string
	}{
		{"tokens would go there in the clear", []string{"--listen=0.0.0.0:0"}},
		{"belong together", []string{"--tls-cert=" + empty}},
		{"say --oidc-issuer URL", []string{"--oidc-role=a=viewer"}},
		{"takes --oidc-client-id", issuer[:1]},
		{"takes --oidc-role", issuer},
		{"the roles are viewer, deployer", append(issuer, "--oidc-role=a=root")},
		{"selects nothing", append(issuer, "--oidc-role=a=viewer:")},
		{"come in the clear", []string{"--oidc-issuer=http://login.example.com"}},
		{"no URL of an issuer", []string{"--oidc-issuer=login.example.com"}},
		{"ends with /ui/sign-in/back", append(issuer, "--oidc-role=a=viewer", "--oidc-redirect=https://kumiki.example.com/")},
		{"--oidc-client-secret-file", append(issuer, "--oidc-role=a=viewer", "--oidc-client-secret-file="+empty+"/none")},
		{"no certificate in it", append(issuer, "--oidc-role=a=viewer", "--oidc-ca="+empty)},
	} {
		dir := filepath.Join(t.TempDir(), "state")
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"serve", "--dir=" + dir}, test.args...), &out, &errs)
		require.Equal(t, 2, code, "%q: %s", test.args, errs.String())
		require.Contains(t, errs.String(), test.says)
		require.NoDirExists(t, dir)
	}
}
