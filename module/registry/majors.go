package registry

import (
	"context"
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/mod/module"
	"golang.org/x/mod/semver"

	"kumiki.dev/internal/sorting"
)

// find is [Find] for a module that may be asked for already in a major version,
// which is kept unless another is named.
func (m *Module) find(ctx context.Context, reg Registry, base, want string, direct []module.Version) (module.Version, error) {
	m.Notes, base = nil, strings.ToLower(base)
	var before []module.Version
	for _, v := range direct {
		if v.BasePath() == base {
			before = append(before, v)
		}
	}
	if want == "" && len(before) > 0 {
		want = major(before[len(before)-1].Version())
		newest, err := Find(ctx, reg, base, "")
		if err == nil && major(newest.Version()) != want {
			m.Notes = append(m.Notes, fmt.Sprintf("%s stays at %s; to depend on %s: kumiki mod get %s@%s, and import it as %q", base, want, newest.Version(), base, major(newest.Version()), newest.Path()))
		}
	}
	found, err := Find(ctx, reg, base, want)
	for _, v := range before {
		if err == nil && v.Path() != found.Path() {
			m.Notes = append(m.Notes, fmt.Sprintf("%s stays beside it: imports say which they mean, %q or %q; kumiki mod tidy drops what none means", v, v.Path(), found.Path()))
		}
	}
	return found, err
}

// noteChoice notes that an import without a major version could be of others.
func (m *Module) noteChoice(ctx context.Context, reg Registry, imported ast.ImportPath, taken module.Version) error {
	versions, err := reg.ModuleVersions(ctx, taken.BasePath())
	if err != nil {
		return err
	}
	greatest := map[string]string{}
	for _, v := range versions {
		if semver.Prerelease(v) == "" && major(v) != major(taken.Version()) && semver.Compare(v, greatest[major(v)]) > 0 {
			greatest[major(v)] = v
		}
	}
	var others []string
	for _, v := range greatest {
		others = append(others, v)
	}
	if len(others) == 0 {
		return nil
	}
	sorting.By(others, semver.Compare)
	with := imported
	with.Version = major(others[len(others)-1])
	m.Notes = append(m.Notes, fmt.Sprintf("%q is imported without a major version: of %s, %s is taken; published too: %s; to have that, import %q", imported, taken.BasePath(), taken.Version(), strings.Join(others, ", "), with))
	return nil
}
