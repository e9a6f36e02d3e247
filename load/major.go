package load

import (
	"fmt"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
)

// otherMajor finds the directory of an import that names another major version of
// the module that it is in, and reports it; false if it is no such import.
func (l *loader) otherMajor(m *module, s spelling, pos diag.Pos) (rel string, ok bool) {
	rel, ok = within(s.path, m.Path)
	if !ok || m.Kam || s.major == "" || !l.scan(m, rel).has(s.pkg) {
		return "", false
	}
	own := fmt.Sprintf("v%d", m.ref.version[0])
	if l.once("major", pos.String()) {
		l.report(diag.New(diag.WrongVersion, pos, "%s of this module is asked for, but it is %s@%s: write %q, or run kumiki mod major %s, which mends all of them", s.major, m.Path, own, strings.Replace(s.raw, "@"+s.major, "@"+own, 1), own))
	}
	return rel, true
}

// declaredFor is the dependency of the module that an import is of, example.com/shop@v1,
// or one of another major version; "" for none.
func declaredFor(m *module, s spelling) (dep string, other bool) {
	by := m
	if m.resolver != nil {
		by = m.resolver
	}
	for _, d := range sorting.Ordered(by.deps) {
		base, major, ok := strings.Cut(d, "@")
		if _, below := within(s.path, base); ok && below {
			dep, other = d, s.major != "" && s.major != major
			if !other {
				return dep, false
			}
		}
	}
	return dep, other
}
