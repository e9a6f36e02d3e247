package compiler

import (
	"cmp"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
)

// checkUp finds a deployment that hangs from itself over others, and warns of one
// that hangs from a deployment which is not among those that are known. Where none is
// known, that says nothing, and only somebody who asks to be strict is told.
func (c *compilation) checkUp(s *solution.Solution) diag.List {
	up := c.result.Tree.Up
	if up == nil || s.Deployments[*up] != nil {
		return nil // the extraction tells of a circle inside
	}
	r := taking{c.in.With, c}
	if r.Others == nil {
		r.Others = NewOthers(nil)
	}
	problems := r.scan()
	pos := cmp.Or(c.result.Tree.UpPos, c.result.Tree.Pos)
	if circle := r.circle(s, *up); circle != nil {
		return append(problems, diag.New(diag.UpCycle, pos, "up goes in a circle: %s; it names the deployment of another solution that is there before this one and goes after it: leave it out where there is none", strings.Join(circle, " → ")).AtPath("up"))
	}
	if problems.HasErrors() || !c.in.Strict && len(r.solved)+len(r.kept)+len(r.dirs) == 0 {
		return problems
	}
	r.open = append(r.open, s.Top)
	defer func() { r.open = r.open[:len(r.open)-1] }()
	known, more := r.made(*up)
	if known {
		return problems
	}
	d := diag.Warn(diag.NoParent, pos, "up leads to deployment %s, which is not known%s", *up, r.hint(*up)).AtPath("up")
	return append(append(problems, more...), d)
}

// made reports whether there is a deployment of that name, or will be. What is wrong with
// the one that it would be made of is told.
func (r taking) made(name string) (bool, diag.List) {
	top := r.owner(name)
	if dir, ok := r.dirs[top]; ok && name != top && r.solved[top] == nil {
		if problems, ok := r.compile(dir); !ok {
			return false, problems
		}
	}
	known := r.knows(name)
	if known {
		r.use(name, nil) // that it is there is all that matters
	}
	return known, nil
}

// circle is the way from the top of a solution up to itself, or round a circle that
// others hang in; nil if it ends.
func (r *Others) circle(s *solution.Solution, up string) []string {
	way := []string{s.Top}
	for at := up; at != ""; at = r.above(at) {
		if s.Deployments[at] != nil && at != s.Top {
			way = append(way, at)
			at = s.Top // from which it hangs
		}
		if i := slices.Index(way, at); i >= 0 {
			return append(way[i:], at)
		}
		way = append(way, at)
	}
	return nil
}

// above is the deployment that another one hangs from; "" if that is none, or not known.
func (r *Others) above(name string) string {
	if s := r.solved[name]; s != nil {
		if up := s.Deployments[name].Up; up != nil {
			return *up
		}
		return ""
	}
	top, up := r.owner(name), ""
	if r.dirs[top] != "" {
		up = r.ups[top]
	} else if k := r.kept[name]; k != nil {
		top, up = k.Top, k.Up
	}
	if name != top && (r.dirs[top] != "" || r.kept[name] != nil) {
		return top
	}
	return up
}
