package partial

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/spread"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// answered makes the values of a group whose fields conditions decide: with the same answers
// as for a config before they are the same, but for some leaves. Configs that differ in
// nothing but those need no slice of their own.
func (g *dependents) answered(r *runner, u *unit, part, own *value.Data) ([]*value.Data, bool) {
	answers := g.answers(r, u, part)
	if base, ok := g.byAnswers[answers]; ok {
		if values := g.withLeaves(r, u, base, part, own); values != nil {
			return values, true
		}
	}
	values, ok := g.evaluate(r, u, part, own)
	if ok {
		if g.byAnswers == nil {
			g.byAnswers = map[string][]*value.Data{}
		}
		g.byAnswers[answers] = values
	}
	return values, ok
}

// answers tells two configs apart that the conditions may tell apart.
func (g *dependents) answers(r *runner, u *unit, config *value.Data) string {
	var out strings.Builder
	var asked []*depends.Closed
	for _, x := range g.conditional {
		for _, c := range x.Conditions {
			if c.Closed == nil {
				fmt.Fprint(&out, config.Get(c.Exists...) != nil, " ")
			} else {
				asked = append(asked, c.Closed)
			}
		}
	}
	if all, ok := u.hold(asked, config); ok {
		return out.String() + all
	}
	v, ok := r.Eval.Closed(asked, config)
	if !ok {
		return config.JSON()
	}
	for i, c := range asked {
		answer, err := v.LookupPath(spread.PathOf([]string{fmt.Sprint(i)})).Bool()
		if fmt.Fprint(&out, answer, " "); err != nil { // as for what is not there; it depends on what is
			for _, path := range c.Set() {
				fmt.Fprintf(&out, "%q ", config.Get(path...).JSON())
			}
		}
	}
	return out.String()
}

// withLeaves puts the leaves that this config has into values of another. It is nil where that is
// for CUE to do.
func (g *dependents) withLeaves(r *runner, u *unit, base []*value.Data, config, own *value.Data) []*value.Data {
	out := slices.Clone(base)
	var made []*depends.Closed
	var put []func(*value.Data)
	for i, c := range g.conditional {
		for _, leaf := range c.Leaves {
			old := out[i].Get(leaf.Path...)
			if old == nil {
				continue // its condition does not hold
			}
			set := func(d *value.Data) { out[i] = out[i].Replaced([][]string{leaf.Path}, []*value.Data{d}) }
			if leaf.Closed != nil {
				made, put = append(made, leaf.Closed), append(put, set)
			} else if x := u.copiedLeaf(leaf.Formula, config, old); x != nil {
				set(x)
			} else {
				return nil
			}
		}
	}
	if u.copiesDefault(made, config, own) {
		return nil
	}
	values := u.valuesOf(r, made, config)
	if len(values) < len(made) || showsDefault(values, config, own) {
		return nil
	}
	for i, d := range values {
		put[i](d)
	}
	return out
}

// copiedLeaf is what a copy of config is with another one, nil where that is not certain.
func (u *unit) copiedLeaf(f *depends.Formula, config, old *value.Data) *value.Data {
	p, ok := spread.FormulaOf(depends.Hole{Formula: f})
	if !ok || u.residual.showsSize(p) || u.showsChoice(p) {
		return nil
	}
	d := config.Get(p.Parts[0].Ref[1:]...)
	if d == nil || d.Kind != old.Kind {
		return nil
	}
	d = d.WithoutOrigin()
	if d.IsComposite() {
		return d.At(old.Pos)
	}
	return d
}

// evaluateClosed has CUE make the values of expressions beside config; nil if one is wrong, open
// or no leaf: where CUE places the fields of a struct depends on what is around it.
func evaluateClosed(r *runner, closed []*depends.Closed, config *value.Data) (values []*value.Data) {
	if len(closed) == 0 {
		return nil
	}
	v, ok := r.Eval.Closed(closed, config)
	if !ok {
		return nil
	}
	r.Work.Sliced++
	if len(spread.ErrorsOf(v)) > 0 {
		return nil
	}
	for i, c := range closed {
		f := &spread.Finisher{Places: spread.Nowhere}
		d := f.Finish(v.LookupPath(spread.PathOf([]string{fmt.Sprint(i)})), nil)
		if d == nil || len(f.Problems) > 0 || d.IsComposite() {
			return nil
		}
		switch {
		case c.Decl != nil:
			d.Pos = fromcue.Pos(c.Decl)
		case c.Picks != nil && (d.Pos == fromcue.Pos(c.Picks.Value) || d.Pos == fromcue.Pos(syntax.Unparen(c.Picks.Value))):
			d.Pos = fromcue.Pos(c.Picks)
		}
		values = append(values, d)
	}
	return values
}
