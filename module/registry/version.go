package registry

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// pattern stands for the versions that a reference may be resolved to.
type pattern struct {
	version [3]int
	numbers int    // how many of the three are given
	exact   string // a version with a prerelease stands for itself
}

// parsePattern reads "v1.2.3", "v1.2", "v1", with or without "v", or "" for any.
func parsePattern(s string) (pattern, error) {
	var p pattern
	rest := strings.TrimPrefix(s, "v")
	if rest == "" && s == "" || s == "latest" {
		return p, nil
	}
	if strings.ContainsAny(rest, "-+") {
		v := "v" + rest
		if !semver.IsValid(v) || semver.Canonical(v) != v {
			return p, fmt.Errorf("version %q is expected to look like v1.2.3-rc.1", s)
		}
		p.exact = v
		n, err := strconv.Atoi(semver.Major(v)[1:])
		p.version[0], p.numbers = n, 1
		return p, err
	}
	parts := strings.Split(rest, ".")
	if len(parts) > 3 {
		return p, fmt.Errorf("version %q is expected to look like v1, v1.2 or v1.2.3", s)
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || strconv.Itoa(n) != part {
			return p, fmt.Errorf("version %q is expected to look like v1, v1.2 or v1.2.3", s)
		}
		p.version[i] = n
	}
	p.numbers = len(parts)
	return p, nil
}

// highest returns the greatest version that the numbers given allow, "" for
// none. Prereleases are taken only if they are named in full.
func (p pattern) highest(versions []string) string {
	best := ""
	for _, v := range versions {
		if p.allows(v) && (best == "" || semver.Compare(v, best) > 0) {
			best = v
		}
	}
	return best
}

func (p pattern) allows(v string) bool {
	if p.exact != "" || semver.Prerelease(v) != "" {
		return v == p.exact
	}
	got := numbersOf(v)
	return semver.IsValid(v) &&
		(p.numbers < 1 || got[0] == p.version[0]) && (p.numbers < 2 || got[1] == p.version[1]) && (p.numbers < 3 || got[2] == p.version[2])
}

// HighestPatch resolves a reference's version: of all published versions the
// one with the highest PATCH and the same MAJOR and MINOR, omitted parts being
// zero; "" if there is none at or above it. A higher MINOR is never taken by
// itself, since it has another feature set.
func HighestPatch(want string, versions []string) (string, error) {
	p, err := parsePattern(want)
	if err != nil {
		return "", err
	}
	if p.exact != "" {
		return p.highest(versions), nil
	}
	least := p.version
	p.numbers = 2
	best := p.highest(versions)
	if best == "" || numbersOf(best)[2] < least[2] {
		return "", nil
	}
	return best, nil
}

func major(v string) string { return semver.Major(v) }

// numbersOf takes a canonical version apart.
func numbersOf(v string) (out [3]int) {
	v = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(v, "v"), semver.Build(v)), semver.Prerelease(v))
	for i, part := range strings.SplitN(v, ".", 3) {
		out[i], _ = strconv.Atoi(part)
	}
	return out
}
