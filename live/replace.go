package live

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
)

// Named returns the instance of a place that is called so. The error says which there are.
func Named(ctx context.Context, m Mover, path, name string) (Movable, error) {
	all, err := m.Movables(ctx, "")
	if err != nil {
		return Movable{}, err
	}
	all = filter.Out(all, func(one Movable) bool { return !one.Within(path) && one.Solution != path })
	var names []string
	for _, one := range all {
		if one.Name == name {
			return one, nil
		}
		names = append(names, one.Name)
	}
	slices.Sort(names)
	return Movable{}, &NoInstance{path, name, names}
}

// NoInstance is the error of an instance that is not there.
type NoInstance struct {
	Path, Name string
	// There are the names of those of the path.
	There []string
}

// Error implements error.
func (n *NoInstance) Error() string {
	if len(n.There) == 0 {
		return fmt.Sprintf("%s has no instance %s: none runs", n.Path, n.Name)
	}
	return fmt.Sprintf("%s has no instance %s; it has %s", n.Path, n.Name, strings.Join(n.There, ", "))
}

// Replace lets an instance go as soon as budgets allow it, and waits until another is on a node
// in its place. Say is told what happens.
func Replace(ctx context.Context, m Mover, one Movable, say func(string)) error {
	before, err := counts(ctx, m, nil)
	if err != nil {
		return err
	}
	if err := (Move{From: one.Node}).evict(ctx, m, []Movable{one}, say); err != nil {
		return err
	}
	return placed(ctx, m, []Movable{one}, before)
}
