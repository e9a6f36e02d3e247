package assist_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/assist"
	"kumiki.dev/compiler"
	"kumiki.dev/query"
	"kumiki.dev/value"
)

// TestUseHasAnImpact: two ways to the same answer. What is not listed as unused
// changes more than the config itself when it changes.
func TestUseHasAnImpact(t *testing.T) {
	t.Parallel()
	for _, example := range []string{"hello", "shop", "shop-kam", "regions"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			in := compiler.Input{}
			in.Dir = filepath.Join("../examples", example, "deploy")
			result, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
			require.Empty(t, problems)
			require.Empty(t, assist.UnusedConfig(result.Tree))
			for _, path := range leafPaths(result.Tree.Root.Config, nil) {
				if path[0] == "resilience" && result.Tree.Root.Config.Get("resilience").Text == "0" {
					continue // it need not be handed on
				}
				field := "config." + strings.Join(path, ".")
				trial, problems, err := assist.Try(context.Background(), in, field)
				require.NoError(t, err, field)
				require.Empty(t, problems)
				touched := query.Differences(trial.Before, trial.After)
				elsewhere := slices.ContainsFunc(touched, func(x query.Touched) bool { return x.Role != "" || x.Deployment != trial.Before.Top })
				require.True(t, elsewhere, "%s changes nothing but the deployment's own config: %v", field, touched)
			}
		})
	}
}

func leafPaths(d *value.Data, path []string) [][]string {
	if d.Kind != value.Struct {
		return [][]string{path}
	}
	var out [][]string
	for _, f := range d.Fields {
		out = append(out, leafPaths(f.Value, append(slices.Clip(path), f.Name))...)
	}
	return out
}

// TestTryErrors: what cannot be tried is told in the words of the config.
func TestTryErrors(t *testing.T) {
	t.Parallel()
	in := compiler.Input{}
	in.Dir = "../examples/shop/deploy"
	tests := []struct{ field, want string }{
		{"config.parameter.titel", "config.parameter.titel has no value; did you mean title?"},
		{"config.parameter.nothing", "config.parameter.nothing has no value; there is logLevel, orders, title"},
		{"config.resource", "config.resource is a struct: name one of its fields: certificate, dbData, dbPassword, domain"},
		{"config", `"config" is no field of the deployment's config: write config.parameter.NAME, config.resource.NAME, config.scale.detail.ROLE.hsize or config.resilience`},
		{"config..x", `"config..x" is not a path: quote names with dots or dashes, as in config.parameter."a-b"`},
		{"config.parameter.title.deeper", "config.parameter.title.deeper has no value"},
		{"config.#x.y", `#x in "config.#x.y" is not a plain field`},
	}
	for _, tt := range tests {
		t.Run(tt.field, func(t *testing.T) {
			t.Parallel()
			_, _, err := assist.Try(context.Background(), in, tt.field)
			require.EqualError(t, err, tt.want)
		})
	}
}
