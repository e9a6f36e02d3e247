package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
)

// Movable is an instance that may be moved to another node.
type Movable struct {
	engine.Place
	Solution string
	Name     string
	Node     string
	// ID tells it from later ones of the same name.
	ID string
	// Stateful tells that it has data which outlives it.
	Stateful bool
	// Volume tells what becomes of its data elsewhere, "" where it is there as well.
	Volume string
	// Fixed tells why it is not moved: a node has to have one, as of a DaemonSet.
	Fixed string
	// Ends tells that none runs elsewhere in its place.
	Ends bool
	// Leaving tells that it is being stopped already.
	Leaving bool
	// Lost tells why nothing may be done that stops it, "" for nothing.
	Lost string
}

// EachNode is why an instance is not moved of which each node has one.
const EachNode = "each node has one"

// String returns SOLUTION/ROLE NAME.
func (m Movable) String() string { return m.Place.String() + " " + m.Name }

// Drainer is a system that can take all instances from a node.
type Drainer interface {
	Noder
	// Movables returns the instances of solutions that are on a node, "" for all nodes.
	Movables(ctx context.Context, node string) ([]Movable, error)
	// Close lets nodes take no new instances, and where they are no [Mover] stops those that they
	// have, for a move away from a node: until a time, after
	// which [Mover.Reopen] opens them though nobody has asked, or for good (the zero time).
	// Nodes that somebody else has closed are left alone.
	Close(ctx context.Context, nodes []string, from string, until time.Time) error
	// Open takes that back. Nodes that somebody else has closed are left alone.
	Open(ctx context.Context, nodes []string) error
	// Reopen opens what was closed until a time that is over, or for an earlier move away from
	// the same node: whoever has closed it was killed. It returns their names.
	Reopen(ctx context.Context, from string, now time.Time) ([]string, error)
}

// Mover is a system whose instances can be moved one by one.
type Mover interface {
	Drainer
	// Evict asks an instance to go. Busy is why it may not yet: that would be fewer instances
	// than there have to be.
	Evict(ctx context.Context, m Movable) (busy string, err error)
}

// Move says which instances are moved, and where.
type Move struct {
	// From is the node that they are on; To the one that they are to run on, "" for any.
	From, To string
	// Path is a solution, deployment or role, "" for all.
	Path string
	// Data lists the deployments and roles whose instances may move although they have data.
	Data []string
	// Drain leaves the node closed.
	Drain bool
	// Until is when the time is over, zero for as long as it takes.
	Until time.Time
}

// ErrStays says that nothing was moved, as there is something that does not move.
var ErrStays = errors.New("nothing was changed")

// Instances returns the ones that a move is about, and those that stay where they are.
func (o Move) Instances(ctx context.Context, m Drainer) (moving, staying []Movable, err error) {
	nodes, err := m.Nodes(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{o.From, o.To} {
		if name != "" && !filter.Any(nodes, func(n Node) bool { return n.Name == name }) {
			return nil, nil, Missing(fmt.Sprintf("there is no node %s; there are %s", name, nodeNames(nodes)))
		}
	}
	if at := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == o.To }); at >= 0 && !nodes[at].Ready {
		return nil, nil, fmt.Errorf("node %s is not ready: %s", o.To, nodes[at].Why)
	}
	all, err := m.Movables(ctx, o.From)
	if err != nil {
		return nil, nil, err
	}
	var data []Movable
	for _, one := range all {
		switch {
		case one.Lost != "" && !one.Leaving:
			return nil, nil, fmt.Errorf("%w: %v: %s", ErrStays, one, one.Lost)
		case o.Path != "" && !one.Within(o.Path) && one.Solution != o.Path:
		case one.Fixed != "":
			staying = append(staying, one)
		case one.Stateful && !one.Ends && !one.Leaving && !filter.Any(o.Data, one.Within):
			data = append(data, one)
		default:
			moving = append(moving, one)
		}
	}
	if len(data) > 0 {
		return nil, nil, staysWith(data)
	}
	other := func(n Node) bool { return n.Name != o.From && n.Ready && (n.Open || n.Name == o.To) }
	if len(moving) > 0 && !filter.Any(nodes, other) {
		return nil, nil, fmt.Errorf("%w: no other node takes instances; kumiki nodes says why", ErrStays)
	}
	return moving, staying, nil
}

// staysWith returns the error for instances with data that nobody has allowed to be moved.
func staysWith(data []Movable) error {
	var names, flags []string
	for _, one := range data {
		name := one.String() + " has data"
		if one.Volume != "" {
			name += " (" + one.Volume + ")"
		}
		names = append(names, name)
		if flag := "--allow-data-move " + one.Place.String(); !filter.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	text := "moves it, and --role PATH others alone"
	if data[0].Volume != "" {
		text = "lets it go all the same"
	}
	return fmt.Errorf("%w: %s: %s %s", ErrStays, strings.Join(names, ", "), strings.Join(flags, " "), text)
}

func nodeNames(nodes []Node) string {
	var names []string
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return strings.Join(names, ", ")
}

// Run closes the nodes that instances are not to come to, lets the instances go, waits until
// healthy says that others run in their place, and opens the nodes again, whatever has come
// of it. Say is told what happens; it gets whole sentences.
func (o Move) Run(ctx context.Context, m Drainer, moving []Movable, healthy func(context.Context) error, say func(string)) (err error) {
	closed, err := o.closed(ctx, m)
	if err != nil {
		return err
	}
	before, err := counts(ctx, m, nil)
	if err != nil {
		return err
	}
	if err := m.Close(ctx, closed, o.From, o.until()); err != nil {
		return errors.Join(err, m.Open(context.WithoutCancel(ctx), closed))
	}
	defer func() {
		open := closed
		if o.Drain && err == nil {
			if err = m.Close(ctx, []string{o.From}, o.From, time.Time{}); err == nil {
				open = filter.Out(closed, func(n string) bool { return n == o.From })
			}
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		err = errors.Join(err, m.Open(limited, open))
	}()
	if err := o.evict(ctx, m, moving, say); err != nil {
		return err
	}
	if err := placed(ctx, m, moving, before); err != nil {
		return err
	}
	return healthy(ctx)
}

// counts returns how many instances of each place have a node, without some.
func counts(ctx context.Context, m Drainer, without []Movable) (map[string]int, error) {
	all, err := m.Movables(ctx, "")
	out := map[string]int{}
	for _, one := range all {
		if one.Node != "" && !one.Ends && !one.Leaving && !filter.Any(without, func(w Movable) bool { return w.ID == one.ID }) {
			out[one.Place.String()]++
		}
	}
	return out, err
}

// placed waits until as many instances as before have a node, those that moved not counted:
// the node may be opened then.
func placed(ctx context.Context, m Drainer, moved []Movable, before map[string]int) error {
	late := ctx.Err
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		now, err := counts(ctx, m, moved)
		switch {
		case err != nil && ctx.Err() != nil: // the time was over while it was asked
			return late()
		case err != nil:
			return err
		}
		at := slices.IndexFunc(moved, func(one Movable) bool { return !one.Ends && now[one.Place.String()] < before[one.Place.String()] })
		if at < 0 {
			return nil
		}
		late = func() error {
			return fmt.Errorf("what is to run in place of %v has no node: %w", moved[at], ctx.Err())
		}
		select {
		case <-ctx.Done():
			return late()
		case <-time.After(pause):
		}
	}
}

// closed returns the nodes that take no instances while these move: the one that they are on, and
// all but the one that they go to.
func (o Move) closed(ctx context.Context, m Drainer) ([]string, error) {
	out := []string{o.From}
	if o.To == "" {
		return out, nil
	}
	nodes, err := m.Nodes(ctx)
	for _, n := range nodes {
		if n.Open && n.Name != o.To && n.Name != o.From {
			out = append(out, n.Name)
		}
	}
	return out, err
}

// until returns when nodes are open again, should nobody be there to open them.
func (o Move) until() time.Time {
	if o.Until.IsZero() {
		return time.Now().Add(time.Hour)
	}
	return o.Until.Add(time.Minute)
}

// evicted asks an instance to go. Where that cannot be, closing its node has done so.
func evicted(ctx context.Context, m Drainer, one Movable) (busy string, err error) {
	if mover, ok := m.(Mover); ok {
		return mover.Evict(ctx, one)
	}
	return "", nil
}

// evict lets instances go, again and again those that may not yet, and waits until they are
// gone.
func (o Move) evict(ctx context.Context, m Drainer, moving []Movable, say func(string)) error {
	asked, told := map[string]bool{}, map[string]string{}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		there, err := m.Movables(ctx, o.From)
		if err != nil {
			return err
		}
		left := filter.Out(moving, func(one Movable) bool {
			return !filter.Any(there, func(t Movable) bool { return t.ID == one.ID })
		})

		for _, one := range left {
			if asked[one.ID] {
				continue
			}
			busy, err := evicted(ctx, m, one)
			switch {
			case err != nil:
				return fmt.Errorf("%v: %w", one, err)
			case busy == "":
				asked[one.ID] = true
				say(fmt.Sprintf("%v leaves %s", one, o.From))
			case told[one.ID] != busy:
				told[one.ID] = busy
				say(fmt.Sprintf("%v stays for now: %s", one, busy))
			}
		}
		if len(left) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%v does not go: %s: %w", left[0], told[left[0].ID], ctx.Err())
		case <-time.After(pause):
		}
	}
}
