package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
)

// filesGiven are the flags that name files, which come as variables where a platform has secrets
// in these alone.
var filesGiven = []string{"admin-token", "tls-cert", "tls-key", "etcd-ca", "etcd-cert", "etcd-key", "contents-ca", "oidc-ca"}

// loginText is the variable with the text of a file of docker's logins.
const loginText = "DOCKER_AUTH_CONFIG"

// fromVariables sets flags that nobody has given from variables: KUMIKID_TLS_KEY_FILE names the
// file of --tls-key, and KUMIKID_TLS_KEY is what is in it. That is written into a directory of this
// process's own, which end removes; the variables are gone afterwards.
func fromVariables(flags *pflag.FlagSet) (end func(), err error) {
	var dir string
	end = func() {
		if dir != "" {
			_ = os.RemoveAll(dir)
		}
	}
	for _, name := range filesGiven {
		variable := "KUMIKID_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		file, text := os.Getenv(variable+"_FILE"), os.Getenv(variable)
		if file != "" && text != "" {
			return end, wrongUsage("%s and %s_FILE: one of them is enough", variable, variable)
		}
		if flags.Changed(name) || file == "" && text == "" {
			continue
		}
		if text != "" {
			if dir == "" {
				if dir, err = os.MkdirTemp("", "kumikid-given"); err != nil {
					return end, err
				}
			}
			file = filepath.Join(dir, name)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				return end, err
			}
			if err := os.Unsetenv(variable); err != nil {
				return end, err
			}
		}
		if err := flags.Set(name, file); err != nil {
			return end, fmt.Errorf("%s: %w", variable, err)
		}
	}
	return end, login()
}

// login makes the text of a file with docker's logins a variable, which is all that those who look
// for logins read.
func login() error {
	file := os.Getenv(loginText + "_FILE")
	if file == "" || os.Getenv(loginText) != "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return wrongUsage("%s_FILE: %w", loginText, err)
	}
	return os.Setenv(loginText, string(text))
}
