package main

import (
	"bytes"
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/module/catalog"
	"kumiki.dev/module/registry"
)

func newIndexCmd(s streams) *cobra.Command {
	var release string
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "index [DIR | MODULE[@VERSION] | INDEX]...",
		Short: "Write an index of artifacts, for search and list",
		Long: `Index writes what artifacts there are: in the module that DIR (default: the
working directory) lies in, in the published versions of modules, whose own
indexes are read from the registry, and in other indexes. A version of a module
that is there twice is taken from the later argument.`,
		Example: `  kumiki index . --module-version v1.2.0 --out index.json
  kumiki index index.json example.com/shop@v1.3 example.com/db --out index.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			var modules []catalog.Module
			for _, arg := range args {
				ix, err := indexOf(cmd.Context(), s, arg, release)
				if err != nil {
					return err
				}
				modules = append(append([]catalog.Module{}, ix.Modules...), modules...)
			}
			data, err := catalog.New(modules...).Bytes()
			if err != nil {
				return err
			}
			// An index that was read may be what is written: all of it is in there again.
			return output.write(s, indexForm, nil, bytes.NewReader(data))
		},
	}
	output.register(cmd, "json", "`file` to write (default: standard output)")
	cmd.Flags().StringVar(&release, "module-version", "", "`version` of the module in DIR, \"v1.2.0\", as it will be published (default: what its file says)")
	return cmd
}

// indexOf is the index of a module in a directory, of a published one, or one
// that is there already.
func indexOf(ctx context.Context, s streams, arg, release string) (*catalog.Index, error) {
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		m, problems := catalog.Of(ctx, arg, release, s.secrets.texts())
		if err := printProblems(s.err, problems); err != nil {
			return nil, err
		}
		return catalog.New(*m), nil
	case err == nil:
		ix, err := registry.ReadIndexFile(arg)
		return ix, wrongFile(s, err)
	}
	reg, err := registry.Open()
	if err != nil {
		return nil, err
	}
	resolver, err := registry.Resolver("")
	if err != nil {
		return nil, err
	}
	base, want, _ := strings.Cut(arg, "@")
	v, err := registry.Find(ctx, reg, base, want)
	if err != nil {
		return nil, wrong(s, err)
	}
	ix, err := registry.Index(ctx, resolver, reg, v)
	return ix, wrong(s, err)
}
