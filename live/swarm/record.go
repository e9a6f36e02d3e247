package swarm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/containerd/errdefs"
	api "github.com/moby/moby/api/types/swarm"
	"github.com/moby/moby/client"

	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
	"kumiki.dev/targets"
	"kumiki.dev/targets/swarm"
)

// A config never changes, so that each record is a config of its own: STACK_inventory.NUMBER.
// The one with the highest number counts. Two that write the same number are told apart by
// its name, which one of them finds taken. What is too large for one config is in parts, which
// are named for what is in them and are there before the config that lists them: a record is
// always whole. All are the stack's: docker stack rm takes them with it.
const (
	// inventoryLabel marks configs with a record, and is "part" on those with a part.
	inventoryLabel = "kumiki.dev/inventory"
	numberLabel    = "kumiki.dev/revision"
	partsLabel     = "kumiki.dev/parts"
	// maxPart is how much of a record one config has, which may have 500 kB in old engines.
	maxPart = 400 << 10
)

// inventory is a config with a record.
type inventory struct {
	api.Config
	number int
}

func (s *Swarm) inventories(ctx context.Context, label string) ([]*inventory, map[string]api.Config, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	list, err := s.client.ConfigList(ctx, client.ConfigListOptions{Filters: make(client.Filters).Add("label", label)})
	if err != nil {
		return nil, nil, plainError(err)
	}
	var heads []*inventory
	parts := map[string]api.Config{}
	for _, c := range list.Items {
		n, err := strconv.Atoi(c.Spec.Labels[numberLabel])
		switch {
		case c.Spec.Labels[inventoryLabel] == "part":
			parts[c.Spec.Name] = c
		case c.Spec.Labels[inventoryLabel] == "record" && err == nil:
			heads = append(heads, &inventory{c, n})
		}
	}
	slices.SortFunc(heads, func(a, b *inventory) int {
		return cmp.Or(cmp.Compare(a.Spec.Labels[targets.SolutionLabel], b.Spec.Labels[targets.SolutionLabel]), b.number-a.number)
	})
	return heads, parts, nil
}

// ofSolution finds the configs with the records of a solution, and others of the stack.
func ofSolution(solution string) string { return targets.SolutionLabel + "=" + solutionLabel(solution) }

// Record implements [live.Target].
func (s *Swarm) Record(ctx context.Context, solution string) (*live.Record, error) {
	heads, parts, err := s.inventories(ctx, ofSolution(solution))
	if err != nil {
		return nil, err
	}
	if len(heads) == 0 {
		return &live.Record{Format: live.Format, Solution: solution}, nil
	}
	return decode(heads[0], parts)
}

// Records implements [live.Target].
func (s *Swarm) Records(ctx context.Context) ([]*live.Record, error) {
	heads, parts, err := s.inventories(ctx, inventoryLabel)
	if err != nil {
		return nil, err
	}
	var out []*live.Record
	for i, head := range heads {
		if i > 0 && head.Spec.Labels[targets.SolutionLabel] == heads[i-1].Spec.Labels[targets.SolutionLabel] {
			continue // an older one
		}
		r, err := decode(head, parts)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func decode(head *inventory, parts map[string]api.Config) (*live.Record, error) {
	wrong := func(err error) error { return fmt.Errorf("config %s, the inventory: %w", head.Spec.Name, err) }
	data := head.Spec.Data
	names := strings.Fields(head.Spec.Labels[partsLabel])
	for i, name := range names {
		part, ok := parts[name]
		if !ok {
			return nil, wrong(errors.New("its part " + name + " is gone"))
		}
		if i == 0 {
			data = nil // what the head itself has only says so
		}
		data = append(data, part.Spec.Data...)
	}
	r, err := live.Decode(data, json.Unmarshal)
	if err != nil {
		return nil, wrong(err)
	}
	r.Revision, r.Parts = strconv.Itoa(head.number), names
	return r, nil
}

// Save implements [live.Target].
func (s *Swarm) Save(ctx context.Context, r *live.Record) error {
	data, err := r.Encode()
	if err != nil {
		return err
	}
	before, _ := strconv.Atoi(r.Revision)
	name := fmt.Sprintf("%s_inventory.%d", swarm.StackName(r.Solution), before+1)
	labels := recordLabels(r.Solution, "record")
	labels[numberLabel] = strconv.Itoa(before + 1)
	if len(data) > maxPart {
		if r.Parts, err = s.parts(ctx, r.Solution, data); err != nil {
			return err
		}
		labels[partsLabel], data = strings.Join(r.Parts, " "), []byte("in parts")
	} else {
		r.Parts = nil
	}
	contest := fmt.Errorf("solution %s: %w", r.Solution, live.ErrContest)
	err = s.create(ctx, api.ConfigSpec{Annotations: api.Annotations{Name: name, Labels: labels}, Data: data})
	if isTaken(err) {
		return contest
	}
	if err != nil {
		return fmt.Errorf("config %s, the inventory: %w", name, plainError(err))
	}
	ours, err := s.sweep(ctx, r, before+1)
	if err != nil {
		return err
	}
	if !ours {
		_ = s.drop(ctx, name)
		return contest
	}
	r.Revision = strconv.Itoa(before + 1)
	return nil
}

func recordLabels(solution, what string) map[string]string {
	return map[string]string{stackLabel: swarm.StackName(solution), targets.SolutionLabel: solutionLabel(solution), inventoryLabel: what}
}

func (s *Swarm) create(ctx context.Context, spec api.ConfigSpec) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	_, err := s.client.ConfigCreate(ctx, client.ConfigCreateOptions{Spec: spec})
	return err
}

func (s *Swarm) drop(ctx context.Context, name string) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	if _, err := s.client.ConfigRemove(ctx, name, client.ConfigRemoveOptions{}); err != nil && !errdefs.IsNotFound(err) {
		return plainError(err)
	}
	return nil
}

// isTaken reports whether something was not made as its name is that of another.
func isTaken(err error) bool {
	return errdefs.IsConflict(err) || err != nil && strings.Contains(err.Error(), "already exists")
}

// parts writes the parts of a record that are not there yet.
func (s *Swarm) parts(ctx context.Context, solution string, data []byte) (names []string, err error) {
	for piece := range slices.Chunk(data, maxPart) {
		sum := sha256.Sum256(piece)
		name := fmt.Sprintf("%s_inventory-%d-%s", swarm.StackName(solution), len(names), hex.EncodeToString(sum[:8]))
		names = append(names, name)
		err := s.create(ctx, api.ConfigSpec{Annotations: api.Annotations{Name: name, Labels: recordLabels(solution, "part")}, Data: piece})
		if err != nil && !isTaken(err) {
			return nil, fmt.Errorf("config %s, a part of the inventory: %w", name, plainError(err))
		}
	}
	return names, nil
}

// sweep removes what was before a record, and parts that are not its own. It is false where
// there is a later one: then somebody else has written in between, and nothing is removed.
func (s *Swarm) sweep(ctx context.Context, r *live.Record, number int) (bool, error) {
	heads, parts, err := s.inventories(ctx, ofSolution(r.Solution))
	if err != nil {
		return false, err
	}
	if len(heads) > 0 && heads[0].number > number {
		return false, nil
	}
	for _, head := range heads {
		if head.number < number {
			if err := s.drop(ctx, head.Spec.Name); err != nil {
				return false, err
			}
		}
	}
	for name := range parts {
		if !filter.Contains(r.Parts, name) {
			if err := s.drop(ctx, name); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// Forget implements [live.Target].
func (s *Swarm) Forget(ctx context.Context, r *live.Record) error {
	if !r.Known() {
		return nil
	}
	heads, parts, err := s.inventories(ctx, ofSolution(r.Solution))
	if err != nil {
		return err
	}
	slices.Reverse(heads) // the one that counts goes last
	for _, head := range heads {
		if err := s.drop(ctx, head.Spec.Name); err != nil {
			return err
		}
	}
	for name := range parts {
		if err := s.drop(ctx, name); err != nil {
			return err
		}
	}
	r.Revision = ""
	return nil
}
