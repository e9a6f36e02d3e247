package main

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRate: who asks too often is told when to come again, and nobody else is held up; wrong
// tokens come only so often from an address, and right ones go on.
func TestRate(t *testing.T) {
	t.Parallel()
	d := withFlags(t, "--rate=2")
	var made struct{ Token string }
	d.ask(201, "POST", "/v1/tokens", m{"name": "busy", "role": "deployer"}).read(t, &made)
	busy := d.as(made.Token)
	var last reply
	n := 0
	for last.status != 429 {
		n++
		require.Less(t, n, 30)
		last, _ = busy.try("GET", "/v1/me", nil)
	}
	require.Greater(t, n, 10)
	require.Equal(t, "manager/too-many", last.code(), "%s", last.body)
	require.Contains(t, last.header.Get("Content-Type"), "application/problem+json")
	after, err := strconv.Atoi(last.header.Get("Retry-After"))
	require.NoError(t, err)
	require.Equal(t, 1, after)
	require.Equal(t, 429, busy.ask(429, "DELETE", "/v1/deployments/a", nil).status)
	d.ask(200, "GET", "/v1/me", nil)
	u := busy.user() // the client waits
	u.given(0, made.Token, "login", d.url)
	u.runs(0, "ops", "list")

	wrong := d.as("kumiki_wrong")
	for range 20 {
		wrong.ask(401, "GET", "/v1/deployments", nil)
	}
	r := wrong.ask(429, "GET", "/v1/deployments", nil)
	require.Equal(t, "manager/too-many", r.code())
	d.ask(200, "GET", "/v1/me", nil)
	time.Sleep(3100 * time.Millisecond)
	wrong.ask(401, "GET", "/v1/deployments", nil)
}
