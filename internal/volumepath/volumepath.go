// Package volumepath compares the paths of volumes: DEPLOYMENT/ROLE/VOLUME.
package volumepath

import (
	"strings"

	"kumiki.dev/internal/filter"
)

// Covers reports whether one of the paths is this one, or what it begins with: a role or a
// deployment.
func Covers(paths []string, path string) bool {
	return filter.Any(paths, func(p string) bool {
		return path == p || p != "" && strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/")
	})
}
