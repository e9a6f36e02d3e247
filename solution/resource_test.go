package solution

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// TestResource reads resources of every kind and writes them as they were,
// but for the kind of an amount, which may be left out.
func TestResource(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, json, kind, written string }{
		{"secret", `{"secret":"x"}`, "secret", ""},
		{"port", `{"port":"x"}`, "port", ""},
		{"domain", `{"domain":"x"}`, "domain", ""},
		{"certificate", `{"certificate":"x"}`, "certificate", ""},
		{"ca", `{"ca":"x"}`, "ca", ""},
		{"registered volume", `{"volume":"x"}`, "volume", ""},
		{"volatile volume", `{"volume":{"kind":"storage","size":1.50,"unit":"G"}}`, "volume", ""},
		{"volatile volume in short", `{"volume":{"size":1,"unit":"G"}}`, "volume", `{"volume":{"kind":"storage","size":1,"unit":"G"}}`},
		{"empty group", `{}`, "group", ""},
		{"group", `{"a":{"secret":"x"},"b":{"c":{"port":"y"}}}`, "group", ""},
		{"group with a member called like a kind", `{"secret":{"secret":"x"}}`, "group", ""},
		{"group with a group called volume", `{"volume":{"size":{"secret":"x"}}}`, "group", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var r Resource
			require.NoError(t, json.Unmarshal([]byte(test.json), &r))
			require.Equal(t, test.kind, r.Kind())
			got, err := json.Marshal(&r)
			require.NoError(t, err)
			want := test.written
			if want == "" {
				want = test.json
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestResourceErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, json, want string }{
		{"null", `null`, `the resource is null, where the format has a resource such as {"secret": "id"}`},
		{"string", `"x"`, `the resource is a string, where the format has a resource such as {"secret": "id"}`},
		{"bool in a group", `{"a":{"b":true}}`, `a.b is a bool, where the format has a resource such as {"secret": "id"}`},
		{"two kinds", `{"port":"x","secret":"y"}`, `port is a string, where the format has a resource such as {"secret": "id"}`},
		{"unknown kind", `{"disk":"x"}`, `disk is a string, where the format has a resource such as {"secret": "id"}`},
		{"secret without an id", `{"secret":""}`, "secret is empty: it is the id of a registered resource"},
		{"volume without an id", `{"volume":""}`, "volume is empty: it is the id of a registered resource"},
		{"volume without a unit", `{"volume":{"size":1}}`, `volume.size is the number 1, where the format has a resource such as {"secret": "id"}`},
		{"volume of another kind", `{"volume":{"kind":"ram","size":1,"unit":"G"}}`, `volume.kind is a string, where the format has a resource such as {"secret": "id"}`},
		{"volume below zero", `{"volume":{"size":-1e1,"unit":"G"}}`, `volume.size is "-1e1": it is a number, 0 or more, of 300 digits at most`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var r Resource
			require.EqualError(t, json.Unmarshal([]byte(test.json), &r), test.want)
		})
	}
}

// TestVolume reads volumes by themselves, as a resource never does.
func TestVolume(t *testing.T) {
	t.Parallel()
	var v Volume
	require.NoError(t, json.Unmarshal([]byte(`{"size": 2, "unit": "M"}`), &v))
	require.Equal(t, Volume{Size: &Amount{Kind: "storage", Size: "2", Unit: "M"}}, v)
	require.NoError(t, json.Unmarshal([]byte(`"x"`), &v))
	require.Equal(t, Volume{ID: "x"}, v)
	require.EqualError(t, json.Unmarshal([]byte(`[]`), &v), `a volume is an id or {"size": 1, "unit": "G"}, not a list`)
}

// TestFind looks resources up by the keys that mappings use: a dot leads into a
// group, unless it is part of a name.
func TestFind(t *testing.T) {
	t.Parallel()
	inner, dotted := &Resource{Secret: "inner"}, &Resource{Secret: "dotted"}
	resources := map[string]*Resource{
		"a":   {Group: map[string]*Resource{"b": {Group: map[string]*Resource{"c": inner}}, "d": {Port: "d"}}},
		"a.d": dotted,
		"nil": nil,
	}
	tests := []struct {
		key  string
		want *Resource
	}{
		{"a", resources["a"]}, {"a.b.c", inner}, {"a.d", dotted}, {"a.b.c.d", nil}, {"a.x", nil}, {"nil.x", nil}, {"", nil}, {".", nil},
	}
	for _, test := range tests {
		t.Run(test.key, func(t *testing.T) {
			t.Parallel()
			require.Same(t, test.want, find(resources, test.key))
		})
	}
}
