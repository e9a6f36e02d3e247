package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// changer changes one deployment again and again, as a client that goes on whatever happens to
// servers: what has no answer is sent again with the same Idempotency-Key.
type changer struct {
	*rand.Rand
	name, bundle string
	servers      []*daemon
	// wanted is what the last change that was taken wants: how many instances, 0 for none.
	wanted int
	// of are what manifests wanted, and taken the operations that were answered, by manifest.
	of    map[int]int
	taken map[int]string
}

func newChanger(seed uint64, name, bundle string, servers ...*daemon) *changer {
	c := &changer{Rand: rand.New(rand.NewPCG(seed, 1)), name: name, bundle: bundle, of: map[int]int{}, taken: map[int]string{}}
	for _, d := range servers { // whose address stays, and which others start and kill
		c.servers = append(c.servers, &daemon{t: d.t, url: d.url, token: d.token})
	}
	return c
}

// ask asks until a server answers.
func (c *changer) ask(ctx context.Context, method, path string, body any, headers ...string) (reply, error) {
	for {
		r, err := c.servers[c.IntN(len(c.servers))].try(method, path, body, headers...)
		if err == nil && r.status < 500 {
			return r, nil
		}
		select {
		case <-ctx.Done():
			return r, fmt.Errorf("%s %s has no answer: %w, %d %s", method, path, err, r.status, r.body)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// wish is one change that may be asked for: what it wants of how many instances.
type wish struct {
	method, path string
	body         any
	wants        int
}

// wish draws one.
func (c *changer) wish(n int) wish {
	path := "/v1/deployments/" + c.name
	size := func() []string { return []string{fmt.Sprintf("config.scale.hsize=%d", n)} }
	switch kind := c.IntN(10); {
	case c.wanted == 0:
		return wish{"PUT", path, m{"input": m{"bundle": c.bundle, "sets": size()}}, n}
	case kind == 0:
		return wish{"DELETE", path, nil, 0}
	case kind < 3:
		for number, of := range c.of { // any of them
			if of > 0 {
				return wish{"POST", path + "/rollback", m{"manifest": number}, of} // 422 if that was never compiled
			}
		}
	case kind < 5:
		return wish{"PUT", path, m{"input": m{"bundle": c.bundle, "sets": size()}}, n}
	}
	return wish{"PATCH", path, m{"set": size()}, n}
}

// run makes changes until soon ends; what was begun then is brought to its answer.
func (c *changer) run(soon, ctx context.Context) error {
	for n := 2; soon.Err() == nil; n++ {
		if err := c.once(ctx, c.wish(n), fmt.Sprintf("%s-%d", c.name, n)); err != nil {
			return err
		}
	}
	return nil
}

// once makes one change, once.
func (c *changer) once(ctx context.Context, w wish, key string) error {
	for {
		match := "If-None-Match: *"
		if c.wanted > 0 {
			seen, err := c.ask(ctx, "GET", "/v1/deployments/"+c.name, nil)
			if err != nil || seen.status != 200 {
				return fmt.Errorf("%s is lost: %w %d %s", c.name, err, seen.status, seen.body)
			}
			match = "If-Match: " + seen.etag()
		}
		r, err := c.ask(ctx, w.method, w.path, w.body, match, "Idempotency-Key: "+key)
		switch {
		case err != nil:
			return err
		case r.status == http.StatusAccepted:
			return c.took(ctx, r, w)
		case r.status == http.StatusPreconditionFailed: // it has ended meanwhile: it was not this one
		case r.status == http.StatusUnprocessableEntity && r.code() == "manager/manifest":
			return nil // that was taken over before it was compiled
		default:
			return fmt.Errorf("%s %s: %d %s", w.method, w.path, r.status, r.body)
		}
	}
}

// took notes a change that was answered.
func (c *changer) took(ctx context.Context, r reply, w wish) error {
	var a struct {
		Operation struct {
			ID       string
			Manifest int
		}
	}
	if err := json.Unmarshal(r.body, &a); err != nil {
		return err
	}
	if before, ok := c.taken[a.Operation.Manifest]; ok {
		return fmt.Errorf("manifest %d of %s is of operation %s and of %s", a.Operation.Manifest, c.name, before, a.Operation.ID)
	}
	c.taken[a.Operation.Manifest], c.of[a.Operation.Manifest], c.wanted = a.Operation.ID, w.wants, w.wants
	if w.method == "DELETE" {
		return c.gone(ctx, a.Operation.ID)
	}
	return nil
}

// gone waits until a deletion has come to its end.
func (c *changer) gone(ctx context.Context, operation string) error {
	for ctx.Err() == nil {
		r, err := c.ask(ctx, "GET", "/v1/operations/"+operation+"?waitSeconds=5", nil)
		if err != nil {
			return err
		}
		var o struct {
			Done  bool
			Error any
		}
		if err := json.Unmarshal(r.body, &o); err != nil {
			return fmt.Errorf("%w: %s", err, r.body)
		}
		if o.Done && o.Error != nil {
			return fmt.Errorf("%s: %s", c.name, r.body)
		}
		if o.Done {
			return nil
		}
	}
	return ctx.Err()
}

// check requires of a server that all that was answered is there, once, and what runs to be what
// was wanted last.
func (c *changer) check(t *testing.T, d *daemon, environments string) {
	t.Helper()
	all := d.manifests(c.name)
	require.Len(t, all, len(c.taken), "%s: each change that was answered has one manifest, and no other has", c.name)
	for i, one := range all {
		require.Equal(t, []any{i + 1, c.taken[i+1]}, []any{one.Number, one.Operation}, "%s", c.name)
		o := d.ended(reply{header: http.Header{"Location": {"/v1/operations/" + one.Operation}}})
		if i+1 == len(all) {
			require.Nil(t, o.Error, "%s: %+v", c.name, o.Error)
		}
	}
	files, err := filepath.Glob(filepath.Join(environments, "local", "objects", "*_"+c.name+"*.json"))
	require.NoError(t, err)
	if c.wanted == 0 {
		require.Empty(t, files, c.name)
		d.ask(404, "GET", "/v1/deployments/"+c.name, nil)
		return
	}
	require.Equal(t, len(all), d.applied(c.name))
	require.Equal(t, c.wanted, replicas(t, filepath.Join(environments, "local", "objects", "Deployment_"+c.name+"-hello.json")), c.name)
}

// changeAll lets changers change until soon ends, while disturb does what it does.
func changeAll(t *testing.T, soon context.Context, changers []*changer, disturb func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for _, c := range changers {
		wg.Go(func() {
			if err := c.run(soon, ctx); err != nil {
				t.Error(err)
			}
		})
	}
	disturb()
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// replicas are those of an object in a file.
func replicas(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var o struct {
		Value struct{ Spec struct{ Replicas int } }
	}
	require.NoError(t, json.Unmarshal(data, &o))
	return o.Value.Spec.Replicas
}

// names are n of deployments.
func names(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("d%02d", i))
	}
	return out
}

// address is where a server listens.
func (d *daemon) address() string { return strings.TrimPrefix(d.url, "http://") }
