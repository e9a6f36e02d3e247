package matrix

import (
	"context"
	"maps"

	"kumiki.dev/environment"
	"kumiki.dev/solution"
)

// Between compiles what differs between two states of a tree: a cell is compiled, in both,
// only if what it is made of differs. Results are those of the new one. The error is one of
// the system.
func Between(ctx context.Context, old, new Input) (*Matrix, *Changes, error) {
	before, err := BeforeOf(ctx, old, new)
	if err != nil {
		return nil, nil, err
	}
	new.Before, new.Keep = before, true
	m, err := Run(ctx, new)
	if err != nil {
		return nil, nil, err
	}
	return m, Compare(before, new.Tree, new.Placement), nil
}

// BeforeOf is what another state of a tree makes. The cells that differ are compiled. The
// error is one of the system.
func BeforeOf(ctx context.Context, old, new Input) (*Before, error) {
	before, err := keys(ctx, old)
	if err != nil {
		return nil, err
	}
	first := new
	first.Keys, first.Before, first.Progress = true, before, nil
	now, err := Run(ctx, first)
	if err != nil {
		return nil, err
	}
	differ := map[[2]string]bool{}
	for _, r := range now.Results {
		if r.State == Changed || r.State == New {
			differ[r.pair()] = true
		}
	}
	old.Checks = nil // what was wrong then is no matter
	compiled := old
	compiled.Keep = true
	compiled.Only = func(c *environment.Cell) bool { return differ[pair(c)] }
	made, err := Run(ctx, compiled)
	if err != nil {
		return nil, err
	}
	solutions := map[*Entry]*solution.Solution{}
	for _, r := range made.Results {
		if entry := before.entry(r.Cell); entry != nil && r.Solution != nil {
			entry.Digest, solutions[entry] = r.Digest, r.Solution
		}
	}
	before.Read = func(e *Entry) (*solution.Solution, error) { return solutions[e], nil }
	before.Made = func(entries []*Entry) (map[string][]byte, error) { return makeAgain(ctx, old, entries) }
	before.Index.Sources = now.Sources // as they are, they need not be found again
	return before, nil
}

// makeAgain compiles some cells. It returns their files, and sets the digests and files of
// their entries.
func makeAgain(ctx context.Context, in Input, entries []*Entry) (map[string][]byte, error) {
	wanted := map[[2]string]*Entry{}
	for _, e := range entries {
		wanted[e.pair()] = e
	}
	in.Only = func(c *environment.Cell) bool { return wanted[pair(c)] != nil }
	all := map[string][]byte{}
	in.Done = func(r *Result, files map[string][]byte) error {
		if e := wanted[r.pair()]; e != nil {
			e.Digest, e.Files = r.Digest, r.Files
			maps.Copy(all, files)
		}
		return nil
	}
	_, err := Run(ctx, in)
	return all, err
}

// keys is what is known of a tree of which nothing is compiled: the keys of its cells.
func keys(ctx context.Context, in Input) (*Before, error) {
	in.Keys, in.Before, in.Progress = true, nil, nil
	m, err := Run(ctx, in)
	if err != nil {
		return nil, err
	}
	x := &Index{Format: indexFormat, Environments: map[string]Place{}, Sources: m.Sources}
	for _, r := range m.Results {
		key := r.Key
		if r.State == Problem || r.State == Unknown {
			key = "" // nothing is the same as what cannot be read
		}
		x.add(r, key)
	}
	return NewBefore(x), nil
}

// pair is what a cell is known by.
func pair(c *environment.Cell) [2]string {
	return [2]string{c.Environment.Name, c.Template.Name}
}

func (r *Result) pair() [2]string { return pair(r.Cell) }

func (e *Entry) pair() [2]string { return [2]string{e.Environment, e.Template} }
