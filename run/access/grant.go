package access

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
)

// Selector selects deployments by their labels.
type Selector interface {
	Matches(labels.Labels) bool
	String() string
}

// anyOf selects what at least one of several selectors selects.
type anyOf []Selector

// Matches implements [Selector].
func (a anyOf) Matches(l labels.Labels) bool {
	return slices.ContainsFunc(a, func(s Selector) bool { return s.Matches(l) })
}

// String implements [Selector].
func (a anyOf) String() string {
	var texts []string
	for _, s := range a {
		texts = append(texts, s.String())
	}
	return strings.Join(texts, " or ")
}

// Grant gives those of a group at an issuer a role.
type Grant struct {
	Group string
	Role  Role
	// Selector selects the deployments that they may see; nil for all.
	Selector Selector
}

// ParseGrant reads GROUP=ROLE or GROUP=ROLE:SELECTOR. A group may have = and : in its name.
func ParseGrant(text string) (Grant, error) {
	g, selector, selects := cutGrant(text)
	if g.Group == "" {
		return Grant{}, fmt.Errorf("%q gives nobody a role: write GROUP=ROLE or GROUP=ROLE:SELECTOR, such as shop-team=deployer:team=shop; the roles are viewer, deployer, operator and admin", text)
	}
	if !selects {
		return g, nil
	}
	s, err := labels.Parse(selector)
	if err != nil || s.Empty() {
		return Grant{}, fmt.Errorf("%q: the selector %q selects nothing that can be told: write labels, such as team=shop (%v)", text, selector, err)
	}
	g.Selector = s
	return g, nil
}

// cutGrant finds the first role in a text.
func cutGrant(text string) (g Grant, selector string, selects bool) {
	for i, r := range text {
		if r != '=' {
			continue
		}
		role, after, colon := strings.Cut(text[i+1:], ":")
		if slices.Contains(roles, Role(role)) {
			return Grant{Group: text[:i], Role: Role(role)}, after, colon
		}
	}
	return Grant{}, "", false
}

// strongest is who has all of some grants: the role is the highest, and the selector that of the
// grants that have it. There is at least one.
func strongest(name string, grants []Grant) Identity {
	top := grants[0].Role
	for _, g := range grants {
		if g.Role.Includes(top) {
			top = g.Role
		}
	}
	i, _ := Identity{Name: name, Role: top, grants: grants}.For(top)
	return i
}

// For narrows an identity to the deployments for which it has at least a role: somebody may see
// more deployments than he may change. It is false if there are none.
func (i Identity) For(needs Role) (Identity, bool) {
	if i.grants == nil {
		return i, i.Role.Includes(needs)
	}
	var some anyOf
	all, may := false, false
	for _, g := range i.grants {
		if !g.Role.Includes(needs) {
			continue
		}
		may = true
		if g.Selector == nil {
			all = true
		} else if !slices.ContainsFunc(some, func(s Selector) bool { return s.String() == g.Selector.String() }) {
			some = append(some, g.Selector)
		}
	}
	switch {
	case all || !may:
		i.Selector = nil
	case len(some) == 1:
		i.Selector = some[0]
	default:
		i.Selector = some
	}
	return i, may
}
