package tmpdeps

import (
	_ "cuelabs.dev/go/oci/ociregistry/ocimem"
	_ "cuelang.org/go/cue/format"
	_ "cuelang.org/go/cue/load"
	_ "cuelang.org/go/encoding/json"
	_ "cuelang.org/go/encoding/yaml"
	_ "cuelang.org/go/mod/modcache"
	_ "cuelang.org/go/mod/modconfig"
	_ "cuelang.org/go/mod/modregistry"
	_ "cuelang.org/go/mod/modregistrytest"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/hashicorp/go-multierror"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/spf13/cobra"
	_ "github.com/stretchr/testify/require"
	_ "golang.org/x/mod/semver"
	_ "golang.org/x/tools/txtar"
	_ "pgregory.net/rapid"
	_ "sigs.k8s.io/yaml"
)
