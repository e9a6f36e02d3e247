package load

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/lazyregexp"
)

// kmoduleFile describes a module in the vendor's style, at its root.
const kmoduleFile = "kmodule.cue"

// kmoduleExample is what a minimal one looks like, for messages.
const kmoduleExample = `package kmodule, {domain: "example.com", module: "shop", version: [1, 0, 0], spec: [1, 0], dependencies: {}}`

// version is a semantic version taken apart.
type version struct {
	numbers                   [3]uint64
	prerelease, buildmetadata string
}

var versionForm = lazyregexp.New(`^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$`)

// parseVersion reads "1.0.11", with or without a leading "v".
func parseVersion(s string) (v version, ok bool) {
	m := versionForm().FindStringSubmatch(s)
	if m == nil {
		return v, false
	}
	for i := range v.numbers {
		n, err := strconv.ParseUint(m[i+1], 10, 32)
		if err != nil {
			return version{}, false
		}
		v.numbers[i] = n
	}
	v.prerelease, v.buildmetadata = m[4], m[5]
	return v, true
}

func (v version) String() string {
	s := fmt.Sprintf("%d.%d.%d", v.numbers[0], v.numbers[1], v.numbers[2])
	if v.prerelease != "" {
		s += "-" + v.prerelease
	}
	if v.buildmetadata != "" {
		s += "+" + v.buildmetadata
	}
	return s
}

// text is the version of the module's artifacts.
func (r moduleRef) text() string {
	return version{r.version, r.prerelease, r.buildmetadata}.String()
}

// readKModule fills the module from its kmodule.cue. What is wrong is reported
// and left at its zero value.
func (l *loader) readKModule(m *module) {
	m.Kam = true
	v, ok := l.evalKModule(m)
	if !ok {
		m.undeclared = true
		return
	}
	k := kmoduleReader{l: l, v: v}
	m.ref.domain = k.text("domain", "example.com")
	m.ref.module = k.text("module", "shop")
	m.ref.version = k.version()
	m.ref.prerelease = k.optional("prerelease")
	m.ref.buildmetadata = k.optional("buildmetadata")
	k.spec()
	m.deps = k.dependencies()
	if m.ref.domain != "" {
		m.Path = path.Join(m.ref.domain, m.ref.module)
	}
	m.Version = version{m.ref.version, m.ref.prerelease, m.ref.buildmetadata}.String()
}

// evalKModule evaluates kmodule.cue, which must be plain data: it says what the
// module is before anything else is loaded.
func (l *loader) evalKModule(m *module) (cue.Value, bool) {
	s, _ := l.readSource(m, kmoduleFile)
	if s == nil {
		return cue.Value{}, false
	}
	f, ok := l.parse(m, s)
	if !ok {
		return cue.Value{}, false
	}
	if s.pkg != "kmodule" {
		l.report(diag.New(diag.BadModule, startOf(s.name), "kmodule.cue must begin with \"package kmodule\"; found package %q", s.pkg))
	}
	if pos, found := notData(f); found {
		l.report(diag.New(diag.BadModule, pos, "kmodule.cue holds plain data only (fields with strings, numbers, lists and structs); write the value itself here"))
		return cue.Value{}, false
	}
	v := cuecontext.New().BuildFile(f)
	if err := v.Err(); err != nil {
		l.moduleFileErrors(s.name, err)
		return v, false
	}
	if s.pkg != "kmodule" {
		return v, v.LookupPath(cue.ParsePath("module")).Exists() // else it is another file
	}
	return v, true
}

// notData finds the first node of a file that isn't plain data.
func notData(f *ast.File) (pos diag.Pos, found bool) {
	ast.Walk(f, func(n ast.Node) bool {
		if found {
			return false
		}
		switch n := n.(type) {
		case *ast.Package:
			return false
		case *ast.File, *ast.EmbedDecl, *ast.StructLit, *ast.ListLit, *ast.BasicLit,
			*ast.UnaryExpr, *ast.CommentGroup, *ast.Comment, *ast.Attribute:
			return true
		case *ast.Field:
			_, isIdent := n.Label.(*ast.Ident)
			_, isString := n.Label.(*ast.BasicLit)
			if isIdent || isString {
				// The label is fine; an identifier as the value is not.
				pos, found = notDataExpr(n.Value)
				return false
			}
		}
		pos, found = fromcue.Pos(n), true
		return false
	}, nil)
	return pos, found
}

func notDataExpr(x ast.Expr) (diag.Pos, bool) {
	return notData(&ast.File{Decls: []ast.Decl{&ast.EmbedDecl{Expr: x}}})
}

// kmoduleReader reads the fields of a kmodule.cue and reports what is wrong.
type kmoduleReader struct {
	l *loader
	v cue.Value
}

func (k kmoduleReader) lookup(name string) cue.Value {
	return k.v.LookupPath(cue.MakePath(cue.Str(name)))
}

func (k kmoduleReader) wrong(v cue.Value, format string, args ...any) {
	pos := fromcue.Pos(v)
	if !pos.IsValid() {
		pos = fromcue.Pos(k.v)
	}
	k.l.report(diag.New(diag.BadModule, pos, "kmodule.cue: "+format, args...))
}

// text reads a field that must be a string which can be part of a path.
func (k kmoduleReader) text(name, example string) string {
	v := k.lookup(name)
	s, err := v.String()
	switch {
	case !v.Exists():
		k.wrong(v, "%s is missing; write %s: %q", name, name, example)
	case err != nil:
		k.wrong(v, "%s must be a string, such as %q; found %v", name, example, v.IncompleteKind())
	case s == "" || path.Clean(s) != s || strings.HasPrefix(s, "/") || strings.HasPrefix(s, ".") || strings.ContainsAny(s, "@: \n\\"):
		k.wrong(v, "%s %q can't be a part of an import path; write a name such as %q", name, s, example)
	default:
		return s
	}
	return ""
}

func (k kmoduleReader) optional(name string) string {
	v := k.lookup(name)
	if !v.Exists() {
		return ""
	}
	s, err := v.String()
	if err != nil {
		k.wrong(v, "%s must be a string; found %v", name, v.IncompleteKind())
	}
	return s
}

// version reads the three numbers of the module's version.
func (k kmoduleReader) version() (out [3]uint64) {
	v := k.lookup("version")
	if !v.Exists() {
		k.wrong(v, "version is missing; write version: [1, 0, 0]")
		return out
	}
	numbers := uints(v)
	if len(numbers) != len(out) {
		k.wrong(v, "version must be a list of three whole numbers, such as [1, 0, 0]")
		return out
	}
	return [3]uint64(numbers)
}

// spec checks the version of the model, [1, 0] or [1, 0, n].
func (k kmoduleReader) spec() {
	v := k.lookup("spec")
	if !v.Exists() {
		return
	}
	numbers := uints(v)
	if len(numbers) < 2 || !slices.Equal(numbers[:2], []uint64{1, 0}) {
		k.wrong(v, "spec must be [1, 0], the version of the service model that kumiki knows")
	}
}

// uints are the numbers of a list, none if it has anything else.
func uints(v cue.Value) (out []uint64) {
	items, _ := v.List() // none of what is no list
	for items.Next() {
		n, err := items.Value().Uint64()
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// dependencies reads the declared dependencies.
func (k kmoduleReader) dependencies() map[string]dependency {
	deps := map[string]dependency{}
	v := k.lookup("dependencies")
	if !v.Exists() {
		return deps
	}
	fields, err := fromcue.Fields(v)
	if err != nil {
		k.wrong(v, "dependencies must be a struct, such as {\"kumori.systems/kumori\": {query: \"1.0.11\", target: \"kumori.systems/kumori/@1.0.11\"}}; found %v", v.IncompleteKind())
		return deps
	}
	for fields.Next() {
		modpath, dep := fields.Name(), fields.Value()
		d := dependency{pos: fromcue.Pos(dep)}
		if t := dep.LookupPath(cue.ParsePath("target")); t.Exists() {
			target, err := t.String()
			found, v, ok := strings.Cut(target, "/@")
			v, _, _ = strings.Cut(v, "/")
			parsed, isVersion := parseVersion(v)
			if err != nil || !ok || !isVersion || found != modpath {
				k.wrong(t, "the target of dependency %q must be its path and a version, such as %q", modpath, modpath+"/@1.0.0")
			} else {
				d.version = parsed.String()
			}
		}
		deps[modpath] = d
	}
	return deps
}
