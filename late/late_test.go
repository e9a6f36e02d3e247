package late_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/late"
)

// TestRead tells objects by what kubectl and docker print.
func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, kind, called, namespace string }{
		{"one of kubectl's", `{"kind": "Service", "metadata": {"name": "a", "namespace": "n"}}`, "Service", "a", "n"},
		{"a list of one", `{"kind": "ServiceList", "items": [{"kind": "Service", "metadata": {"name": "a"}}]}`, "Service", "a", ""},
		{"docker service inspect", `[{"ID": "x", "Spec": {"Name": "s_a", "TaskTemplate": {}}, "Endpoint": {}}]`, "service", "s_a", ""},
		{"docker node inspect", `[{"ID": "x", "Description": {"Hostname": "h"}, "Status": {"Addr": "10.0.0.1"}}]`, "node", "h", ""},
		{"docker inspect of a container", `[{"Name": "/c", "State": {}, "Config": {}}]`, "container", "c", ""},
		{"docker network inspect", `[{"Name": "n", "IPAM": {}}]`, "network", "n", ""},
		{"docker volume inspect", `[{"Name": "v", "Mountpoint": "/v"}]`, "volume", "v", ""},
		{"docker config inspect", `[{"Spec": {"Name": "c", "Data": ""}}]`, "config", "c", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			objects, err := late.Read([]byte(test.text + "\n" + test.text))
			require.NoError(t, err)
			require.Len(t, objects, 2, "one after the other")
			o := objects[0]
			require.Equal(t, []string{test.kind, test.called, test.namespace}, []string{o.Kind, o.Name, o.Namespace})
		})
	}
	for _, text := range []string{"7", `["a"]`, "{", `{"a": 1} x`, "[[[[[[[[[[[[[[{}]]]]]]]]]]]]]]"} {
		_, err := late.Read([]byte(text))
		require.Error(t, err, text)
	}
}

// TestCheck compares values with types, of files that nobody vouches for too.
func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		typ   string
		value any
		ok    bool
	}{
		{"string", "a", true}, {"string", json.Number("1"), false}, {"_", true, true}, {"bool", "true", false},
		{`=~"^a"`, "ab", true}, {`=~"^a"`, "b", false}, {`!="x"`, "x", false}, {`"a" | "b"`, "b", true}, {`"a" | "b"`, "c", false},
		{"int & >=0 & <=65535", json.Number("80"), true}, {"int & >=0 & <=65535", json.Number("70000"), false}, {"int", json.Number("1.5"), false}, {"number", json.Number("1.5"), true},
		{"string & strings.MinRunes(2)", "ab", true}, {"string & strings.MinRunes(2)", "a", false}, {"string", "\"\\ \u2028 é😀\n", true},
		{`strings.Repeat("a", 1000000000)`, "a", false}, {`{a: 1}`, "a", false}, {`[for i in [1] {i}]`, "a", false}, {`"\(x)"`, "a", false}, {`string, x: 1`, "a", false}, {"string\nx: 1", "a", false}, {"", "a", false},
	}
	for _, test := range tests {
		wrong := late.Check(test.typ, test.value)
		require.Equal(t, test.ok, wrong == "", "%s of %v: %s", test.typ, test.value, wrong)
	}
}
