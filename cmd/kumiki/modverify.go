package main

import (
	"fmt"
	"strings"

	"cuelang.org/go/mod/module"
	"github.com/spf13/cobra"

	"kumiki.dev/module/registry"
)

func newModVerifyCmd(s streams) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "verify --key FILE [MODULE@VERSION]...",
		Short: "Check who signed what the module depends on",
		Long: `Verify checks that published modules are signed with a key that you trust: those
named, or all that the module in the working directory depends on. It asks the
registry for the signature, which names the module, its version and the digest of
what is in it, and compares what was fetched with that.

FILE has public keys in PEM, one after the other; each is trusted. They are those
of kumiki publish --sign and of cosign.`,
		Example: `  kumiki mod verify --key publisher.pub
  kumiki mod verify --key publisher.pub example.com/shop@v1.2`,
		RunE: func(cmd *cobra.Command, args []string) error {
			keys, err := registry.ReadKeys(name)
			if err != nil {
				return wrongFile(s, err)
			}
			reg, err := registry.Open()
			if err != nil {
				return err
			}
			resolver, err := registry.Resolver("")
			if err != nil {
				return err
			}
			versions, err := toVerify(cmd, reg, args)
			if err != nil {
				return wrong(s, err)
			}
			var last error
			for _, v := range versions {
				if err := registry.Verify(cmd.Context(), resolver, reg, v, keys); err != nil {
					last = wrong(s, err)
					continue
				}
				fmt.Fprintf(s.out, "%s is signed\n", v)
			}
			return last
		},
	}
	cmd.Flags().StringVar(&name, "key", "", "`file` with the public keys")
	_ = cmd.MarkFlagRequired("key")
	return cmd
}

// toVerify are the modules named, or those that the module depends on.
func toVerify(cmd *cobra.Command, reg registry.Registry, args []string) ([]module.Version, error) {
	var out []module.Version
	for _, arg := range args {
		base, want, _ := strings.Cut(arg, "@")
		v, err := registry.Find(cmd.Context(), reg, base, want)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if len(args) > 0 {
		return out, nil
	}
	m, err := registry.OpenModule(".")
	if err != nil {
		return nil, err
	}
	g, err := m.Graph(cmd.Context(), reg)
	if err != nil {
		return nil, err
	}
	return g.Selected, nil
}
