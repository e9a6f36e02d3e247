package guards

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// Path is the path of a field below config: "parameter", "size".
type Path []string

// Names in a path that stand for many: any member of a struct or list, and the
// label of any member of a struct.
const (
	Member = "\x00member"
	Label  = "\x00label"
)

// String joins the path with dots, for messages and as a key of maps.
func (p Path) String() string { return strings.Join(p, ".") }

// Condition is a guard that holds, or does not, where something is written.
type Condition struct {
	Guard *Guard
	Holds bool
}

// field is one place in the sources that gives a field a value.
type field struct {
	path   []string
	value  ast.Expr
	within []Condition
}

// loop is a variable of a for.
type loop struct {
	source ast.Expr
	label  bool // the variable has the labels
}

// Sources is what the files of a package say, and those of the packages of
// definitions that it imports.
type Sources struct {
	fields  []*field
	byPath  map[string][]*field
	byLabel map[string][]*field
	pathOf  map[ast.Node][]string // of a field, by its value or itself
	lets    map[ast.Node]ast.Expr
	loops   map[ast.Node]loop
	imports map[ast.Node]string // paths of imports that have been read
	// Guards are the conditions in the order of the files.
	Guards []*Guard
	// probes are expressions outside of conditions that depend on single values
	// all the same: comparisons, calls, fields that are chosen by their name.
	probes []ast.Expr
	exact  map[ast.Expr][]Path // remembers Exact
}

// Read reads a package. Libraries are the files of packages of definitions that it
// imports, by the path that the import names.
func Read(files []*ast.File, libraries map[string][]*ast.File) *Sources {
	s := &Sources{
		byPath: map[string][]*field{}, byLabel: map[string][]*field{}, pathOf: map[ast.Node][]string{},
		lets: map[ast.Node]ast.Expr{}, loops: map[ast.Node]loop{}, imports: map[ast.Node]string{},
		exact: map[ast.Expr][]Path{},
	}
	read := map[string]bool{}
	for _, f := range files {
		s.file(f, nil)
		for spec := range f.ImportSpecs() {
			path, err := strconv.Unquote(spec.Path.Value)
			library, known := libraries[path]
			if err != nil || !known {
				continue
			}
			s.imports[spec] = path
			if !read[path] {
				read[path] = true
				for _, f := range library {
					s.file(f, []string{path})
				}
			}
		}
	}
	return s
}

// file reads one file, whose fields are below path.
func (s *Sources) file(f *ast.File, path []string) {
	w := &reader{Sources: s, path: path}
	for _, d := range f.Decls {
		w.decl(d)
	}
}

// Declared returns the expressions that the sources give for a field of config.
func (s *Sources) Declared(p Path) []ast.Expr {
	var out []ast.Expr
	for _, f := range s.declared(p) {
		out = append(out, f.value)
	}
	return out
}

func (s *Sources) declared(p Path) []*field {
	var out []*field
	for _, f := range s.byLabel[p[len(p)-1]] {
		if at, ok := configPath(f.path); ok && at.String() == p.String() {
			out = append(out, f)
		}
	}
	return out
}

// Within returns the conditions under which config has the field: none if some
// place declares it without any.
func (s *Sources) Within(p Path) []Condition {
	var out []Condition
	for n := len(p); n > 1; n-- {
		for i, f := range s.declared(p[:n]) {
			if len(f.within) == 0 {
				out = nil
				break
			}
			if i == 0 {
				out = append(out, f.within...)
			}
		}
	}
	return out
}

// Computed reports whether the sources make the field of other fields of config.
func (s *Sources) Computed(p Path) bool {
	for _, x := range s.Declared(p) {
		if len(s.Reads(x)) > 0 {
			return true
		}
	}
	return false
}

// Formula returns the expression by which the sources compute the field of others,
// nil if they leave it open: a default, a bound and a type of others' do.
func (s *Sources) Formula(p Path) ast.Expr {
	for _, x := range s.Declared(p) {
		if f := s.formula(x); f != nil {
			return f
		}
	}
	return nil
}

func (s *Sources) formula(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return s.formula(x.X)
	case *ast.StructLit:
		return nil
	case *ast.UnaryExpr:
		if isBound(x.Op) {
			return nil
		}
	case *ast.BinaryExpr:
		switch x.Op {
		case token.OR:
			return nil
		case token.AND:
			if f := s.formula(x.X); f != nil {
				return f
			}
			return s.formula(x.Y)
		}
	}
	if len(s.Reads(x)) == 0 {
		return nil
	}
	return x
}

func isBound(op token.Token) bool { return isComparison(op) && op != token.EQL }

// configPath returns the part of a path in the sources that is below the config
// of the artifact, false if it leads elsewhere. A role has a config of its own, of
// which the scale is the artifact's to give.
func configPath(path []string) (Path, bool) {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] != "config" {
			continue
		}
		if i > 1 && path[i-2] == "role" {
			if len(path) > i+2 && path[i+1] == "scale" {
				return append(Path{"scale", "detail", path[i-1]}, path[i+2:]...), true
			}
			return nil, false
		}
		if path[i-1] == "description" {
			return path[i+1:], len(path) > i+1
		}
	}
	return nil, false
}
