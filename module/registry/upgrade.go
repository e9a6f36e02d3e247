package registry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/module"
	"golang.org/x/mod/semver"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/solution"
)

// Upgrade is a module with greater versions of what it depends on. Nothing is
// written before [Upgrade.Write].
type Upgrade struct {
	// Moves are the modules that are taken in another version, sorted.
	Moves []Move

	module   *Module
	registry Registry
	selected []module.Version
}

// Move is a module that is taken in another version.
type Move struct {
	// From is the version before; zero for a module that is new.
	From module.Version
	// To is the version that is taken.
	To module.Version
	// Why is the chain of modules that needs To, nil if it was asked for.
	Why []module.Version
}

func (m Move) String() string {
	from := m.From.Version()
	if m.From.Path() == "" {
		from = "nothing"
	}
	s := fmt.Sprintf("%s %s → %s", m.To.BasePath(), from, m.To.Version())
	if m.Why != nil {
		s += fmt.Sprintf(" (%s)", chain(m.Why[1:]))
	}
	return s
}

// Upgrade selects greater versions: of the modules that the queries name, PATH or
// PATH@VERSION, or of everything that the module file asks for. Without a version
// it is the greatest with the same MAJOR, with patch also the same MINOR. Another
// MAJOR is another module, which imports have to name.
func (m *Module) Upgrade(ctx context.Context, reg Registry, queries []string, patch bool) (*Upgrade, error) {
	before, err := m.Graph(ctx, reg)
	if err != nil {
		return nil, err
	}
	direct, err := requirements(m.File)
	if err != nil {
		return nil, err
	}
	if len(queries) == 0 {
		for _, old := range direct {
			queries = append(queries, old.Path())
		}
	}
	// From what is taken, not only what is asked for: nothing becomes older.
	next := slices.Clone(before.Selected)
	var asked []module.Version
	for _, query := range queries {
		i, want, err := m.dependency(next, query)
		if err != nil {
			return nil, err
		}
		if next[i], err = greater(ctx, reg, next[i], want, patch); err != nil {
			return nil, err
		}
		asked = append(asked, next[i])
	}
	g, err := m.selected(ctx, reg, next)
	if err != nil {
		return nil, err
	}
	return &Upgrade{Moves: moves(before, g, asked), module: m, registry: reg, selected: g.Selected}, nil
}

// dependency finds the module that a query is about, and the version that it asks
// for, "" for none.
func (m *Module) dependency(taken []module.Version, query string) (i int, want string, err error) {
	base, want, _ := strings.Cut(query, "@")
	i = slices.IndexFunc(taken, func(v module.Version) bool { return v.Path() == query })
	if i >= 0 {
		return i, "", nil
	}
	p, err := parsePattern(want)
	if err != nil {
		return 0, "", fmt.Errorf("%s: %w", base, err)
	}
	var other string
	for i, v := range taken {
		if v.BasePath() != base {
			continue
		}
		if p.numbers == 0 || numbersOf(v.Version())[0] == p.version[0] {
			return i, want, nil
		}
		other = v.Path()
	}
	if other != "" {
		return 0, "", fmt.Errorf("%s is another module than %s, since imports name the major version: take it with kumiki mod get, and change the imports", query, other)
	}
	return 0, "", fmt.Errorf("%s does not depend on %s", m.File.QualifiedModule(), base)
}

// greater is the version that takes the place of an old one.
func greater(ctx context.Context, reg Registry, old module.Version, want string, patch bool) (module.Version, error) {
	if want == "" {
		want = semver.Major(old.Version())
		if patch {
			want = semver.MajorMinor(old.Version())
		}
		p, err := parsePattern(want)
		if err != nil {
			return old, err
		}
		versions, err := reg.ModuleVersions(ctx, old.Path())
		if err != nil {
			return old, fmt.Errorf("%s: %w", old.Path(), err)
		}
		if best := p.highest(versions); best != "" && semver.Compare(best, old.Version()) > 0 {
			return module.NewVersion(old.Path(), best)
		}
		return old, nil
	}
	v, err := Find(ctx, reg, old.BasePath(), want)
	if err == nil && v.Compare(old) < 0 {
		err = fmt.Errorf("%s is asked for, which is older than %s; take it with kumiki mod get", v, old)
	}
	return v, err
}

// moves are what is taken in another version.
func moves(before, after *Graph, asked []module.Version) []Move {
	var out []Move
	for _, v := range after.Selected {
		i := slices.IndexFunc(before.Selected, func(old module.Version) bool { return old.Path() == v.Path() })
		move := Move{To: v}
		if i >= 0 {
			move.From = before.Selected[i]
		}
		if move.From == v {
			continue
		}
		if !filter.Contains(asked, v) {
			move.Why = after.needs(v)
		}
		out = append(out, move)
	}
	return out
}

// needs is the chain of modules because of which a version is taken.
func (g *Graph) needs(v module.Version) []module.Version {
	for _, e := range g.Edges {
		if e.To == v && e.From != g.Root {
			return append(slices.Clip(g.Why(e.From.Path())), v)
		}
	}
	return g.Why(v.Path())
}

// Write makes the module ask for the versions, and writes its lock.
func (u *Upgrade) Write(ctx context.Context) error {
	if err := u.module.require(u.selected); err != nil {
		return err
	}
	if err := u.module.lock(ctx, u.registry, u.selected); err != nil {
		return err
	}
	return u.module.Write()
}

// Checked is a deployment before and after an upgrade.
type Checked struct {
	// Dir is its directory within the module, with slashes.
	Dir string
	// Old and New are its solutions, nil where it does not compile.
	Old, New *solution.Solution
	// Problems are those after the upgrade.
	Problems diag.List
}

// Check compiles all deployments in the directory and below it as they are and as
// they would be after the upgrade, of which nothing is written.
func (u *Upgrade) Check(ctx context.Context, dir string) ([]Checked, error) {
	survey, problems := load.Look(u.module.Dir)
	if survey == nil || problems.HasErrors() {
		return nil, fmt.Errorf("%s", problems[0].Message)
	}
	below, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	files, err := u.files(ctx)
	if err != nil {
		return nil, err
	}
	var out []Checked
	for _, p := range survey.Packages {
		at := filepath.Join(survey.Dir, filepath.FromSlash(p.Dir))
		if !p.Deployment || !isBelow(at, below) {
			continue
		}
		in := compiler.Input{LoadInput: compiler.LoadInput{Dir: at, Package: p.Name}}
		c := Checked{Dir: p.Dir}
		c.Old, _ = compiler.Compile(ctx, in)
		in.Overlay = files
		c.New, c.Problems = compiler.Compile(ctx, in)
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no #Deployment in %s or below", dir)
	}
	return out, nil
}

func isBelow(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// Vendored are the modules that are taken in another version and lie in
// cue.mod/pkg, which comes before any registry.
func (u *Upgrade) Vendored() []string {
	var out []string
	for _, move := range u.Moves {
		if _, err := os.Stat(filepath.Join(u.module.Dir, "cue.mod", "pkg", filepath.FromSlash(move.To.BasePath()))); err == nil {
			out = append(out, move.To.BasePath())
		}
	}
	return out
}

// files are the module's file and lock as they would be.
func (u *Upgrade) files(ctx context.Context) (map[string][]byte, error) {
	if vendored := u.Vendored(); len(vendored) > 0 {
		return nil, fmt.Errorf("%s is in cue.mod/pkg, where the new version is not: upgrade, run kumiki mod vendor, and compare with kumiki plan", vendored[0])
	}
	after := Module{Dir: u.module.Dir, File: &modfile.File{}}
	*after.File = *u.module.File
	if err := after.require(u.selected); err != nil {
		return nil, err
	}
	text, err := modfile.Format(after.File)
	if err != nil {
		return nil, err
	}
	lock, err := u.module.locked(ctx, u.registry, u.selected)
	return map[string][]byte{
		filepath.Join(u.module.Dir, filepath.FromSlash(moduleFile)): text,
		filepath.Join(u.module.Dir, load.LockFile):                  lock.Bytes(),
	}, err
}

func chain(vs []module.Version) string {
	var parts []string
	for _, v := range vs {
		parts = append(parts, v.String())
	}
	return strings.Join(parts, " → ")
}
