package main

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/api"
)

// TestAudit: each change is written down with who has made it, and a chain shows that none is
// missing, also where many change things at the same time.
func TestAudit(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	input := m{"bundle": d.upload(hello)}
	var made struct{ Token string }
	d.ask(201, "POST", "/v1/tokens", m{"name": "ci", "role": "deployer"}).read(t, &made)
	admin := d.token
	d.token = made.Token
	o := d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "hello", "input": input}))
	d.ask(412, "DELETE", "/v1/deployments/hello", nil, `If-Match: "1"`)
	d.ask(403, "GET", "/v1/audit", nil)
	d.token = admin
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 4 {
				r, err := d.try("PUT", "/v1/deployments/hello/maintenance", m{"maintenance": true}, "If-Match: *")
				if err != nil || r.status != 200 && r.status != 409 {
					t.Errorf("%v %d %s", err, r.status, r.body)
				}
			}
		})
	}
	wg.Wait()
	d.ask(200, "PUT", "/v1/deployments/hello/maintenance", m{"maintenance": false}, "If-Match: *")
	d.well(d.ask(202, "PATCH", "/v1/deployments/hello", m{"scale": m{"": 3}}, "If-Match: *"))
	d.well(d.ask(202, "DELETE", "/v1/deployments/hello", nil, "If-Match: *"))
	var list struct{ Items []api.Audited }
	d.ask(200, "GET", "/v1/audit?limit=1000", nil).read(t, &list)
	previous := ""
	for i, one := range list.Items {
		require.Equal(t, i+1, one.Number)
		require.Equal(t, previous, one.Previous)
		sum, err := one.Sum()
		require.NoError(t, err)
		require.Equal(t, sum, one.Hash)
		previous = one.Hash
	}
	last := list.Items[len(list.Items)-4:]
	require.Equal(t, []string{"update", "apply", "delete", "remove"}, []string{last[0].Verb, last[1].Verb, last[2].Verb, last[3].Verb})
	require.Equal(t, []map[string]int{nil, {"scale-only": 2}, nil, {"delete": 2}}, []map[string]int{last[0].Classes, last[1].Classes, last[2].Classes, last[3].Classes})
	require.Equal(t, "create tokens/ci admin", list.Items[0].Verb+" "+list.Items[0].What+" "+list.Items[0].By)
	create := list.Items[1]
	require.Equal(t, "create deployments/hello ci deployer", create.Verb+" "+create.What+" "+create.By+" "+create.Role)
	require.Equal(t, []any{o.ID, 1, input["bundle"]}, []any{create.Operation, create.Manifest, create.Bundle})
	apply := list.Items[2]
	require.Equal(t, []any{"apply", "deployments/hello", "ci", o.ID, 1}, []any{apply.Verb, apply.What, apply.By, apply.Operation, apply.Manifest})
	require.Equal(t, map[string]int{"create": 2}, apply.Classes)
	require.Equal(t, "begin maintenance", list.Items[3].Verb, "what was refused is not among them")
}
