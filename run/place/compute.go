// Package place brings the templates of a tree to the environments that they are for: it lets
// the compiler say what differs from what was placed, holds what somebody has to approve, and
// makes, changes and removes deployments by operations, wave after wave.
//
// What was placed are the deployments that name a template. Like an operation, a placement may be
// left anywhere: the next one looks at what is kept, and goes on.
package place

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/run/compile"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
	"kumiki.dev/solution"
)

// Compiler compiles trees.
type Compiler interface {
	Tree(ctx context.Context, archive []byte, before []compile.Placed, places map[string]record.Place) (*compile.Tree, error)
}

// Computed is what a tree would do.
type Computed struct {
	record.Placed
	solutions map[string][]byte // texts by digests
	parsed    map[string]*solution.Solution
}

// Compute says what a tree would do to what was placed. A failure is the tree's.
func Compute(ctx context.Context, s *store.Store, c Compiler, digest string) (*Computed, *record.Failure, error) {
	archive, err := s.Contents.Get(ctx, digest)
	if err != nil {
		return nil, nil, err
	}
	last, err := Last(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	before, err := beforeOf(ctx, s, last)
	if err != nil {
		return nil, nil, err
	}
	var was []compile.Placed
	for _, b := range before {
		was = append(was, b.Placed)
	}
	tree, err := c.Tree(ctx, archive, was, last.Places)
	if err != nil {
		return nil, nil, err
	}
	if secrets := tree.Secrets(); len(secrets) > 0 {
		return nil, operate.SecretsOf(&compile.Result{Problems: tree.Problems}), operate.Drop(ctx, s, digest)
	}
	if len(tree.Cells) == 0 && errorsIn(tree.Problems) {
		return nil, &record.Failure{Code: "manager/compile", Message: "the tree cannot be read", Problems: tree.Problems}, nil
	}
	out := &Computed{solutions: map[string][]byte{}, parsed: map[string]*solution.Solution{}}
	out.Problems, out.Refusal, out.Places = tree.Problems, tree.Refusal, tree.Places
	for _, cell := range tree.Cells {
		made, err := out.cell(ctx, s, cell, before)
		if err != nil {
			return nil, nil, err
		}
		if last.Places[cell.Environment].Protected {
			made.Protected = true
		}
		out.Cells = append(out.Cells, made)
	}
	return out, nil, nil
}

func errorsIn(problems []record.Problem) bool {
	return slices.ContainsFunc(problems, func(p record.Problem) bool { return p.Severity == "error" })
}

// Last is what the last placement that has begun wants; nothing if there was none.
func Last(ctx context.Context, s *store.Store) (record.Placed, error) {
	at, _, err := store.Read[record.Catalog](ctx, s, record.CatalogKey)
	if errors.Is(err, store.ErrNotFound) {
		return record.Placed{}, nil
	}
	if err != nil {
		return record.Placed{}, err
	}
	return Read(ctx, s, at.Result)
}

// Read reads what came of a placement.
func Read(ctx context.Context, s *store.Store, digest string) (p record.Placed, err error) {
	text, err := s.Contents.Get(ctx, digest)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(text, &p)
}

// running is a deployment that was placed.
type running struct {
	compile.Placed
	// well tells that what it wants was applied, and is healthy.
	well bool
}

// beforeOf are the deployments that were placed, by their names.
func beforeOf(ctx context.Context, s *store.Store, last record.Placed) (map[string]running, error) {
	levels := map[string]int{}
	for _, c := range last.Cells {
		levels[c.Deployment] = c.Level
	}
	entries, _, _, err := s.List(ctx, record.Deployments, store.Page{})
	if err != nil {
		return nil, err
	}
	var placed []record.Deployment
	var keys []string
	for _, e := range entries {
		var d record.Deployment
		if err := json.Unmarshal(e.Value, &d); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Key, err)
		}
		if d.Template != "" {
			placed = append(placed, d)
			keys = append(keys, record.ManifestKey(d.Name, d.Manifest), record.Statuses+d.Name)
		}
	}
	found, err := s.GetAll(ctx, keys)
	if err != nil {
		return nil, err
	}
	out := map[string]running{}
	for _, d := range placed {
		var m record.Manifest
		var status record.Status
		for key, into := range map[string]any{record.ManifestKey(d.Name, d.Manifest): &m, record.Statuses + d.Name: &status} {
			if _, err := of(found, key, into); err != nil {
				return nil, err
			}
		}
		r, err := runningOf(ctx, s, d, m, status)
		if err != nil {
			return nil, err
		}
		r.Level = levels[d.Name]
		out[d.Name] = r
	}
	return out, nil
}

func runningOf(ctx context.Context, s *store.Store, d record.Deployment, m record.Manifest, status record.Status) (running, error) {
	r := running{Placed: compile.Placed{Template: d.Template, Environment: d.Environment, Name: d.Name}}
	if m.Solution == "" {
		return r, nil
	}
	text, err := s.Contents.Get(ctx, m.Solution)
	if err != nil {
		return r, err
	}
	sol, problems := solution.Read(text, m.Solution)
	if problems.HasErrors() {
		return r, fmt.Errorf("the solution of %s: %s", d.Name, problems[0].Message)
	}
	r.Solution, r.Digest = text, sol.Digest
	r.well = status.Applied == d.Manifest && slices.ContainsFunc(status.Conditions, func(c record.Condition) bool {
		return c.Type == "Healthy" && c.Status == "True" && c.Manifest == d.Manifest
	})
	return r, nil
}

// cell is what becomes of a cell here: what the compiler says of it, and what the manager's own
// environments and deployments do.
func (c *Computed) cell(ctx context.Context, s *store.Store, from compile.Cell, before map[string]running) (record.Cell, error) {
	out := record.Cell{
		Template: from.Template, Environment: from.Environment, Deployment: from.Name, Artifact: from.Artifact, Wave: from.Wave, WaveNumber: from.WaveNumber,
		Level: from.Level, State: from.State, Class: from.Class, Protected: c.Places[from.Environment].Protected, Digest: from.Digest, Problems: from.Problems,
	}
	if from.Solution == nil {
		if d, _, err := store.Read[record.Deployment](ctx, s, record.Deployments+from.Name); err == nil {
			out.Labels = d.Labels
		}
		return out, nil
	}
	out.Labels, out.Solution = from.Solution.ObjectLabels, store.Digest(from.Text)
	c.solutions[out.Solution], c.parsed[out.Solution] = from.Text, from.Solution
	why, err := c.unfit(ctx, s, from)
	if err != nil || why != "" {
		out.State, out.Class, out.Problems = "problem", "", append(out.Problems, why)
		return out, err
	}
	was, known := before[from.Name]
	switch {
	case !known:
		out.State, out.Class = "new", ""
	case was.well && was.Digest == from.Digest:
		out.State, out.Class = "unchanged", ""
	default:
		out.State = "changed"
	}
	return out, nil
}

// unfit is why a cell cannot be placed by this manager, "" for no reason.
func (c *Computed) unfit(ctx context.Context, s *store.Store, from compile.Cell) (string, error) {
	e, _, err := store.Read[record.Environment](ctx, s, record.Environments+from.Environment)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return fmt.Sprintf("the manager has no environment %s: PUT /v1/environments/%s makes it", from.Environment, from.Environment), nil
	case err != nil:
		return "", err
	}
	place := c.Places[from.Environment]
	if place.Target != e.Target {
		return fmt.Sprintf("environment %s is for %s in the tree, and for %s in the manager", e.Name, place.Target, e.Target), nil
	}
	if err := record.CheckName(from.Name); err != nil {
		return err.Error(), nil
	}
	if other := differing(place, e); len(other) > 0 {
		return fmt.Sprintf("environment %s has other options in the tree than in the manager: %s; what is applied is the manager's: make them the same", e.Name, strings.Join(other, ", ")), nil
	}
	d, _, err := store.Read[record.Deployment](ctx, s, record.Deployments+from.Name)
	if err == nil && d.Template != from.Template {
		return fmt.Sprintf("there is a deployment %s already, which no template has placed: delete it first", from.Name), nil
	}
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return "", err
}

// differing are the options that a tree says, and that are others in the manager.
func differing(place record.Place, e record.Environment) (out []string) {
	var theirs, ours map[string]any
	for value, into := range map[any]*map[string]any{place.Options: &theirs, &e.Options: &ours} {
		data, err := json.Marshal(value)
		if err == nil {
			_ = json.Unmarshal(data, into) // an object, or null
		}
	}
	for name, value := range theirs {
		a, _ := json.Marshal(value)
		b, _ := json.Marshal(ours[name])
		if string(a) != string(b) && (ours[name] != nil || !defaults[name+"="+string(a)]) {
			out = append(out, fmt.Sprintf("%s is %s and %s", name, a, b))
		}
	}
	slices.Sort(out)
	return out
}

// defaults are options that a tree's output has although its sources do not.
var defaults = map[string]bool{`ingress="ingress"`: true}
