package matrix

import (
	"context"

	"kumiki.dev/environment"
	"kumiki.dev/solution"
)

// Between compiles what differs between two states of a tree: a cell is compiled, in both,
// only if what it is made of differs. Results are those of the new one. The error is one of
// the system.
func Between(ctx context.Context, old, new Input) (*Matrix, *Changes, error) {
	before, was, err := keys(ctx, old)
	if err != nil {
		return nil, nil, err
	}
	first := new
	first.Keys, first.Before, first.Progress = true, before, nil
	now, err := Run(ctx, first)
	if err != nil {
		return nil, nil, err
	}
	differ := map[[2]string]bool{}
	for _, r := range now.Results {
		if r.State == Changed || r.State == New {
			differ[r.pair()] = true
		}
	}
	old.Keep, old.Checks = true, nil // what was wrong then is no matter
	old.Only = func(c *environment.Cell) bool { return differ[pair(c)] }
	made, err := Run(ctx, old)
	if err != nil {
		return nil, nil, err
	}
	solutions := map[*Entry]*solution.Solution{}
	for _, r := range made.Results {
		if entry := before.entry(r.Cell); entry != nil && r.Solution != nil {
			entry.Digest, solutions[entry] = r.Digest, r.Solution
		}
	}
	before.Read = func(e *Entry) (*solution.Solution, error) { return solutions[e], nil }
	before.Index.Sources = now.Sources // as they are, they need not be found again
	new.Before, new.Keep = before, true
	m, err := Run(ctx, new)
	if err != nil {
		return nil, nil, err
	}
	before.Index.Sources = was
	return m, Compare(before, new.Tree, new.Placement), nil
}

// keys is what is known of a tree of which nothing is compiled: the keys of its cells.
func keys(ctx context.Context, in Input) (*Before, map[string]Sources, error) {
	in.Keys, in.Before, in.Progress = true, nil, nil
	m, err := Run(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	x := &Index{Format: indexFormat, Environments: map[string]Place{}, Sources: m.Sources}
	for _, r := range m.Results {
		key := r.Key
		if r.State == Problem || r.State == Unknown {
			key = "" // nothing is the same as what cannot be read
		}
		x.add(r, key)
	}
	return NewBefore(x), m.Sources, nil
}

// pair is what a cell is known by.
func pair(c *environment.Cell) [2]string {
	return [2]string{c.Environment.Name, c.Template.Name}
}

func (r *Result) pair() [2]string { return pair(r.Cell) }
