package guards

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// Hints are values for which something that depends on a field of config is
// likely to change: those that the sources compare it with.
type Hints struct {
	Path Path
	// Numbers are limits: what is just below and above is worth trying too.
	Numbers []*big.Rat
	// Texts are whole strings, or parts of them.
	Texts []string
	// Patterns are regular expressions.
	Patterns []string
	// Peers are the fields of config that it is compared with.
	Peers []Path
}

// Hints returns what the sources say of values, sorted by path.
func (s *Sources) Hints() []*Hints {
	found := map[string]*Hints{}
	for _, x := range s.allAtoms() {
		reads := s.Reads(x)
		if len(reads) == 0 {
			continue
		}
		a := atom{Sources: s, seen: map[ast.Expr]bool{}}
		a.collect(x, maxConstants)
		a.combine()
		for _, p := range reads {
			h := found[key(p)]
			if h == nil {
				h = &Hints{Path: p}
				found[key(p)] = h
			}
			h.add(a, reads)
		}
		s.interpolated(x, a.texts, found)
	}
	var out []*Hints
	for _, k := range sorting.Ordered(found) {
		out = append(out, found[k])
	}
	return out
}

// maxConstants bounds how far references to constants are followed.
const maxConstants = 6

func (h *Hints) add(a atom, reads []Path) {
	for _, n := range a.numbers {
		if !filter.Any(h.Numbers, func(m *big.Rat) bool { return m.Cmp(n) == 0 }) {
			h.Numbers = append(h.Numbers, n)
		}
	}
	h.Texts = union(h.Texts, a.texts)
	h.Patterns = union(h.Patterns, a.patterns)
	for _, p := range reads {
		if p.String() != h.Path.String() && !filter.Any(h.Peers, func(q Path) bool { return slices.Equal(p, q) }) {
			h.Peers = append(h.Peers, p)
		}
	}
}

func union(list, more []string) []string {
	for _, x := range more {
		if !filter.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// atom collects the literals in a part of a condition.
type atom struct {
	*Sources
	numbers    []*big.Rat
	texts      []string
	patterns   []string
	arithmetic bool
	seen       map[ast.Expr]bool
}

// collect looks at an expression, and at the constants that it refers to.
func (a *atom) collect(x ast.Expr, depth int) {
	if x == nil || depth == 0 || a.seen[x] {
		return
	}
	a.seen[x] = true
	switch x := x.(type) {
	case *ast.BasicLit:
		a.literal(x)
	case *ast.UnaryExpr:
		known := len(a.numbers)
		a.collect(x.X, depth)
		if x.Op == token.SUB {
			for i := range a.numbers[known:] {
				a.numbers[known+i] = new(big.Rat).Neg(a.numbers[known+i])
			}
		}
	case *ast.BinaryExpr:
		switch x.Op {
		case token.ADD, token.SUB, token.MUL, token.QUO:
			a.arithmetic = true
		case token.MAT, token.NMAT:
			texts := len(a.texts)
			a.collect(x.Y, depth)
			a.patterns = append(a.patterns, a.texts[texts:]...)
		}
		a.collect(x.X, depth)
		a.collect(x.Y, depth)
	case *ast.CallExpr:
		a.call(x, depth)
	case *ast.IndexExpr:
		for _, name := range a.members(x.X, nil, depth) {
			a.texts = union(a.texts, []string{name})
		}
		a.collect(x.Index, depth)
		a.collect(x.X, depth-1)
	case *ast.ListLit:
		for _, e := range x.Elts {
			a.collect(e, depth)
		}
	case *ast.Ident, *ast.SelectorExpr:
		for _, value := range a.constants(x) {
			a.collect(value, depth-1)
		}
	default:
		for _, part := range parts(x) {
			a.collect(part, depth)
		}
	}
}

func (a *atom) call(x *ast.CallExpr, depth int) {
	texts := len(a.texts)
	for _, arg := range x.Args {
		a.collect(arg, depth)
	}
	if sel, ok := x.Fun.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == "regexp" {
			a.patterns = append(a.patterns, a.texts[texts:]...)
		}
	}
	if id, ok := x.Fun.(*ast.Ident); ok && (id.Name == "div" || id.Name == "mod" || id.Name == "quo" || id.Name == "rem") {
		a.arithmetic = true
	}
}

func (a *atom) literal(x *ast.BasicLit) {
	switch x.Kind {
	case token.INT, token.FLOAT:
		if n := number(x.Value); n != nil {
			a.numbers = append(a.numbers, n)
		}
	case token.STRING:
		if text, err := literal.Unquote(x.Value); err == nil {
			a.texts = union(a.texts, []string{text})
		}
	}
}

// number reads a number as CUE writes it, nil for one that is too large.
func number(text string) *big.Rat {
	var info literal.NumInfo
	if literal.ParseNum(text, &info) != nil {
		return nil
	}
	n, ok := new(big.Rat).SetString(info.String())
	if !ok || n.Num().BitLen() > 256 || n.Denom().BitLen() > 256 {
		return nil
	}
	return n
}

// constants are the expressions behind a name that are not config.
func (s *Sources) constants(x ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, v := range s.meanings(x, nil, maxConstants) {
		out = append(out, v.expr)
	}
	return out
}

// members are the names of the fields of the structs that an expression may mean.
func (a *atom) members(x ast.Expr, rest []string, depth int) []string {
	var out []string
	found := a.meanings(x, rest, depth)
	if lit, ok := x.(*ast.StructLit); ok {
		found = append(found, meaning{expr: lit})
	}
	for _, v := range found {
		lit, ok := v.expr.(*ast.StructLit)
		if !ok {
			continue
		}
		for _, d := range lit.Elts {
			if f, ok := d.(*ast.Field); ok {
				if name := label(f.Label); name != Member {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// maxPairs bounds the numbers that are combined.
const maxPairs = 6

// combine adds what arithmetic may make of the numbers: for  n*2 > 10  that is 5.
func (a *atom) combine() {
	if !a.arithmetic || len(a.numbers) > maxPairs {
		return
	}
	known := slices.Clone(a.numbers)
	for i, m := range known {
		for _, n := range known[i+1:] {
			a.numbers = append(a.numbers, new(big.Rat).Add(m, n), new(big.Rat).Sub(m, n), new(big.Rat).Sub(n, m), new(big.Rat).Mul(m, n))
			for _, pair := range [][2]*big.Rat{{m, n}, {n, m}} {
				if pair[1].Sign() != 0 {
					a.numbers = append(a.numbers, new(big.Rat).Quo(pair[0], pair[1]))
				}
			}
		}
	}
}

// interpolated finds what the parts of a text have to be so that all of it is one
// that it is compared with:  "\(a)-\(b)" == "x-y".
func (s *Sources) interpolated(x ast.Expr, texts []string, found map[string]*Hints) {
	ast.Walk(x, func(n ast.Node) bool {
		in, ok := n.(*ast.Interpolation)
		if !ok {
			return true
		}
		pattern, refs := interpolation(in)
		if pattern == nil {
			return true
		}
		for _, text := range texts {
			for i, part := range pattern.FindStringSubmatch(text) {
				if i == 0 {
					continue
				}
				for _, p := range s.Reads(refs[i-1]) {
					h := found[key(p)]
					h.Texts = union(h.Texts, []string{part})
					if n := number(part); n != nil {
						h.Numbers = append(h.Numbers, n)
					}
				}
			}
		}
		return true
	}, nil)
}

// interpolation makes a pattern of a text with expressions in it, nil where it is
// written in an unusual way.
func interpolation(in *ast.Interpolation) (*regexp.Regexp, []ast.Expr) {
	texts, refs := pieces(in)
	if texts == nil {
		return nil, nil
	}
	for i := range texts {
		texts[i] = regexp.QuoteMeta(texts[i])
	}
	pattern, err := regexp.Compile("^(?s:" + strings.Join(texts, "(.*?)") + ")$")
	if err != nil {
		return nil, nil
	}
	return pattern, refs
}

// pieces are the texts of an interpolation and the expressions between them, nil
// where it is written in an unusual way.
func pieces(in *ast.Interpolation) ([]string, []ast.Expr) {
	var texts []string
	var refs []ast.Expr
	for i, e := range in.Elts {
		if i%2 == 1 {
			refs = append(refs, e)
			continue
		}
		lit, ok := e.(*ast.BasicLit)
		if !ok {
			return nil, nil
		}
		text := strings.TrimPrefix(lit.Value, ")")
		if i == 0 {
			text = strings.TrimPrefix(lit.Value, `"`)
		}
		text = strings.TrimSuffix(text, `\(`)
		if i == len(in.Elts)-1 {
			text = strings.TrimSuffix(text, `"`)
		}
		plain, err := literal.Unquote(`"` + text + `"`)
		if err != nil {
			return nil, nil
		}
		texts = append(texts, plain)
	}
	return texts, refs
}
