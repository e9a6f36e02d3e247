package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/module/compat"
	"kumiki.dev/module/registry"
)

func newPublishCmd(s streams) *cobra.Command {
	var p registry.Publication
	var key string
	cmd := &cobra.Command{
		Use:   "publish VERSION [DIR]",
		Short: "Publish a version of a module, if it is fit to be published",
		Long: `Publish pushes the module that DIR (default: the working directory) lies in to
the registry that CUE_REGISTRY names, in CUE's own format. It refuses if

  files are not committed (in git; --dirty allows it)
  an example does not pass, or an artifact has none (kumiki test)
  a dependency is not published
  the version is published already
  the change since the version before needs a greater step (kumiki compat)

and has then pushed nothing. What is pushed is the module, its index (see kumiki
list), its provenance (what it was made from) and, with --sign, a signature of
it (see kumiki mod verify). It appears once all of them are there.

The key is a private one in PEM, ECDSA on P-256; openssl makes one:

  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
  openssl pkey -in key.pem -pubout -out key.pub`,
		Example: `  kumiki publish v1.2.0 --dry-run
  kumiki publish v1.2.0 shop --sign key.pem`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Version, p.Dir = args[0], "."
			if len(args) > 1 {
				p.Dir = args[1]
			}
			return runPublish(cmd.Context(), s, p, key)
		},
	}
	cmd.Flags().BoolVar(&p.Dirty, "dirty", false, "publish what is not committed")
	cmd.Flags().BoolVar(&p.DryRun, "dry-run", false, "do everything but push")
	cmd.Flags().StringVar(&key, "sign", "", "`file` with the private key to sign with")
	return cmd
}

func runPublish(ctx context.Context, s streams, p registry.Publication, key string) error {
	var err error
	if p.Resolver, err = registry.Resolver(""); err != nil {
		return err
	}
	if key != "" {
		if p.Key, err = registry.ReadKey(key); err != nil {
			return wrongFile(s, err)
		}
	}
	if v := version(); strings.HasPrefix(v, "v") {
		p.Tool = v
	}
	if p.Registry, err = registry.Open(); err != nil {
		return err
	}
	done, err := registry.Publish(ctx, p)
	if err != nil {
		return wrong(s, err)
	}
	what := "published"
	if p.DryRun {
		what = "fit to be published"
	}
	fmt.Fprintf(s.out, "%s is %s: %d examples passed", done.Module, what, done.Cases)
	if done.Before.IsValid() {
		fmt.Fprintf(s.out, "; since %s it is a %s step", done.Before.Version(), max(done.Step, compat.Patch))
	}
	if p.Key != nil {
		fmt.Fprint(s.out, "; it is signed")
	}
	fmt.Fprintln(s.out)
	if !p.DryRun {
		fmt.Fprintf(s.err, "Next, where it is used:\n  kumiki mod get %s\n", done.Module)
	}
	return nil
}
