package targets

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// readHints reads a meta of JSON, and returns what is said about it.
func readHints(t *testing.T, meta string) (Hints, []string) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(meta))
	dec.UseNumber()
	var value any
	require.NoError(t, dec.Decode(&value), meta)
	var told []string
	h := ReadHints(value, func(path []string, problem string) {
		told = append(told, strings.Join(path, ".")+" "+problem)
	})
	return h, told
}

// TestHintsOfWrongTypes gives each hint values of each type: one that is not its own
// is as if nobody had given it, and said.
func TestHintsOfWrongTypes(t *testing.T) {
	values := []string{`null`, `true`, `-1`, `1.5`, `7`, `1e30`, `99999999999999`, `"30s"`, `"node"`, `[1]`, `[]`, `[null]`, `[{"label": 1}]`, `{"a": 1}`, `{}`}
	takes := map[string][]string{
		"share": {`"node"`}, "restart": nil, "rollout": {`{}`}, "hpa": {`{}`}, "placement": {`[]`}, "spread": {`"30s"`, `"node"`},
		"rollout.parallelism": {`7`}, "rollout.delay": {`7`}, "rollout.order": nil, "maxPerNode": {`7`},
		"dependency": {`true`}, "init": {`true`}, "stopGrace": {`7`}, "names": {`true`}, "root": {`true`}, "internet": {`true`},
		"egress": {`[]`}, "rbac": {`[]`}, "readOnlyRoot": {`true`, `[]`}, "ephemeralStorage": nil,
		"hpa.enabled": {`true`}, "hpa.minReplicas": {`7`}, "hpa.maxReplicas": {`7`}, "hpa.metrics": slices.DeleteFunc(slices.Clone(values), func(v string) bool { return strings.Contains(v, "null") }),
	}
	for path := range hintTakes {
		require.Contains(t, takes, path)
	}
	for path, good := range takes {
		for _, value := range values {
			key, member, isMember := strings.Cut(path, ".")
			meta := fmt.Sprintf(`{%q: %s, "spare": 1}`, key, value)
			if isMember {
				meta = fmt.Sprintf(`{%q: {%q: %s}, "spare": 1}`, key, member, value)
			}
			h, told := readHints(t, meta)
			if slices.Contains(good, value) {
				require.Empty(t, told, meta)
				continue
			}
			require.Len(t, told, 1, meta)
			require.Contains(t, told[0], path, meta)
			h.HPA = nil // a struct of nothing is one
			if diff := cmp.Diff(Hints{}, h); diff != "" {
				t.Errorf("%s is not as if nobody had given it (-nobody +got):\n%s", meta, diff)
			}
		}
	}
}

// TestHintsBeside says that a hint that is not understood takes no other with it,
// and in which words it is told.
func TestHintsBeside(t *testing.T) {
	seven, grace, yes := 7, int64(30000), true
	want := Hints{Share: "node", StopGrace: &grace, Init: &yes, HPA: &Autoscaling{MaxReplicas: 7}}
	want.Rollout.Parallelism = &seven
	h, told := readHints(t, `{"share": "node", "stopGrace": 30000, "init": true, "maxPerNode": "two", "restart": "sometimes",
		"hpa": {"maxReplicas": 7, "minReplicas": -1, "most": 3}, "rollout": {"parallelism": 7, "delay": 1.5, "order": "first"}}`)
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	require.Equal(t, []string{
		`hpa.most is not known: hpa is {enabled, minReplicas, maxReplicas, metrics}`,
		`maxPerNode is "two", and left out: it takes a whole number of instances`,
		`rollout.delay is 1.5, and left out: it takes milliseconds, a whole number such as 10000`,
		`restart is "sometimes": it is one of always, on-failure, never`,
		`rollout.order is "first": it is one of start-first, stop-first`,
		`hpa.minReplicas is negative, and left out`,
	}, told)
	_, told = readHints(t, `{"rollout": "`+strings.Repeat("é", 100)+`"}`)
	require.Equal(t, []string{`rollout is "` + strings.Repeat("é", 59) + `…, and left out: it takes {parallelism, delay, order}`}, told)
}

// TestHintsMisspelt tells hints that are called otherwise from what an author puts into
// meta for programs of their own.
func TestHintsMisspelt(t *testing.T) {
	for key, hint := range map[string]string{
		"stopgrace": "stopGrace", "stop_grace": "stopGrace", "stop-grace": "stopGrace", "StopGrace": "stopGrace", "HPA": "hpa",
		"readonlyRoot": "readOnlyRoot", "readOnlyRot": "readOnlyRoot", "placment": "placement", "max_per_node": "maxPerNode", "ephemeral_storage": "ephemeralStorage",
	} {
		_, told := readHints(t, fmt.Sprintf(`{%q: 1}`, key))
		require.Equal(t, []string{key + " is no hint: write " + hint}, told)
	}
	for _, own := range []string{"name", "roots", "spare", "team", "unit", "role", "starting", "application", "dependencies"} {
		_, told := readHints(t, fmt.Sprintf(`{%q: 1}`, own))
		require.Empty(t, told, own)
	}
	_, told := readHints(t, `{"stopGrace": 30000, "stopgrace": 1}`)
	require.Empty(t, told, "it is given as it is called")
}
