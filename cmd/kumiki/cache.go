package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
)

// usersCache is what --cache alone stands for.
const usersCache = "the user's"

// registerCache adds the flag of commands that can do with a cache.
func registerCache(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "cache", "", "`directory` in which what is made of services is kept for later runs (--cache alone: the user's cache directory)")
	cmd.Flags().Lookup("cache").NoOptDefVal = usersCache
}

func openCache(dir string) (*compiler.Cache, error) {
	if dir == usersCache {
		var err error
		if dir, err = compiler.DefaultCache(); err != nil {
			return nil, fmt.Errorf("--cache: %w; say --cache=DIR", err)
		}
	}
	c, err := compiler.OpenCache(dir)
	if err != nil {
		return nil, fmt.Errorf("--cache: %w", err)
	}
	return c, nil
}
