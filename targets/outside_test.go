package targets

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/solution"
)

// TestEgress has ranges that are none: each is left out and told, the others stay.
func TestEgress(t *testing.T) {
	h, told := readHints(t, `{"egress": [{"cidr": "203.0.113.7"}, {"cidr": "203.0.113.7/24"}, {"cidr": "10.0.0.0/8", "ports": [0]}, {"cidr": "10.0.0.0/8", "ports": [70000]},
		{"cidr": "10.0.0.0/8", "protocol": "sctp"}, {"cidr": "10.0.0.0/8", "ports": [53], "protocol": "udp"}, {"cidr": "2001:0DB8::/32"}, {"cidr": "::ffff:10.0.0.0/104"}]}`)
	require.Equal(t, []Egress{{CIDR: "10.0.0.0/8", Ports: []int{53}, Protocol: "udp"}, {CIDR: "2001:db8::/32"}}, h.Egress)
	require.Equal(t, []string{
		`egress has "203.0.113.7", which is left out: a range of addresses is written 203.0.113.0/24, or 203.0.113.7/32 for one of them`,
		`egress has 203.0.113.7/24, which is left out: the range that it lies in is 203.0.113.0/24`,
		`egress has a port of 10.0.0.0/8 that is none, which is left out with its range: ports are from 1 to 65535`,
		`egress has a port of 10.0.0.0/8 that is none, which is left out with its range: ports are from 1 to 65535`,
		`egress has protocol "sctp" for 10.0.0.0/8, which is left out: it is one of tcp, udp`,
		`egress has "::ffff:10.0.0.0/104", which is left out: a range of addresses is written 203.0.113.0/24, or 203.0.113.7/32 for one of them`,
	}, told)
}

func TestStorageHints(t *testing.T) {
	h, told := readHints(t, `{"readOnlyRoot": ["/tmp", "/", "tmp", "/a/../b", "/var/cache", "/tmp", "/c:d"], "ephemeralStorage": {"size": 0, "unit": "G"}}`)
	require.Equal(t, &ReadOnlyRoot{On: true, Writable: []string{"/tmp", "/var/cache"}}, h.ReadOnlyRoot)
	require.Nil(t, h.EphemeralStorage)
	require.Len(t, told, 5)
	for i, word := range []string{`"/"`, `"tmp"`, `"/a/../b"`, `"/c:d"`, `{size: 1, unit: "Gi"}`} {
		require.Contains(t, told[i], word)
	}
	h, told = readHints(t, `{"readOnlyRoot": false, "ephemeralStorage": {"size": 1.5, "unit": "Gi"}}`)
	require.Empty(t, told)
	require.False(t, h.ReadOnlyRoot.On)
	n, ok := Whole(*h.EphemeralStorage)
	require.True(t, ok)
	require.EqualValues(t, 3<<29, n)
	for _, bad := range []string{`{"size": 1, "unit": "Z"}`, `{"size": -1, "unit": "G"}`, `{"size": "much", "unit": "G"}`, `{"unit": "G"}`} {
		h, told = readHints(t, `{"ephemeralStorage": `+bad+`}`)
		require.Nil(t, h.EphemeralStorage, bad)
		require.Len(t, told, 1, bad)
	}
}

// TestOutside has what a role names, the hints that it has, and which of the hosts are
// out of its reach.
func TestOutside(t *testing.T) {
	const none = "{}"
	tests := []struct{ value, meta, want string }{
		{"https://api.example.com", none, "api.example.com:443"},
		{"https://api.example.com", `{"internet": true}`, ""},
		{"https://api.example.com", `{"egress": [{"cidr": "203.0.113.0/24", "ports": [443]}]}`, ""},
		{"https://api.example.com", `{"egress": [{"cidr": "203.0.113.0/24", "ports": [80]}]}`, "api.example.com:443"},
		{"https://api.example.com", `{"egress": [{"cidr": "203.0.113.0/24", "protocol": "udp"}]}`, "api.example.com:443"},
		{"postgres://10.1.2.3/a", `{"internet": true}`, "10.1.2.3:5432"},
		{"postgres://10.1.2.3/a", `{"egress": [{"cidr": "10.1.0.0/16"}]}`, ""},
		{"postgres://10.1.2.3/a", `{"egress": [{"cidr": "10.2.0.0/16"}]}`, "10.1.2.3:5432"},
		{"postgres://10.1.2.3/a", `{"egress": [{"cidr": "10.1.0.0/16", "ports": [5433]}]}`, "10.1.2.3:5432"},
		{"postgres://db.internal/a", `{"internet": true}`, "db.internal:5432"},
		{"http://0.api http://set.0.api:80 http://1.set.0.api", none, ""},
		{"http://localhost:1 http://127.0.0.1:2 http://[::1]:3", none, ""},
		{"http://known.example.com", none, ""},
	}
	for _, tt := range tests {
		role := &solution.Role{Artifact: &solution.Artifact{Description: solution.Description{Code: map[string]*solution.Container{
			"main": {Mapping: solution.Mapping{Env: map[string]*solution.Env{"WHERE": {Value: &tt.value}, "SECRET": {Secret: "x"}}}},
		}}}}
		h, told := readHints(t, tt.meta)
		require.Empty(t, told)
		var got []string
		for _, host := range Outside(role, h, func(host string) bool { return host == "known.example.com" }) {
			require.Equal(t, []string{"code", "main", "mapping", "env", "WHERE"}, host.Path)
			got = append(got, host.String())
		}
		require.Equal(t, tt.want, strings.Join(got, " "), fmt.Sprint(tt))
	}
}

// TestOutsideAdvice: what a message says to write is what makes it go.
func TestOutsideAdvice(t *testing.T) {
	tests := []struct {
		value, want string
	}{
		{"https://api.example.com", `names api.example.com:443, which no channel leads to and nothing lets it reach: write into the role meta: internet: true, or meta: egress: [{cidr: "ADDRESS/32", ports: [443]}] with the addresses of api.example.com`},
		{"redis://10.0.0.9", `names 10.0.0.9:6379, which no channel leads to and nothing lets it reach: write into the role meta: egress: [{cidr: "10.0.0.9/32", ports: [6379]}]`},
		{"x://a.example.com x://b.example.com x://c.example.com x://d.example.com x://e.example.com x://f.example.com", `names a.example.com, b.example.com, c.example.com, d.example.com, e.example.com and 1 more, which no channel leads to and nothing lets it reach: write into the role meta: internet: true, or meta: egress: [{cidr: "ADDRESS/32"}] with the addresses of a.example.com`},
	}
	for _, tt := range tests {
		role := &solution.Role{Artifact: &solution.Artifact{Description: solution.Description{Code: map[string]*solution.Container{"main": {Cmd: []string{tt.value}}}}}}
		require.Equal(t, tt.want, OutsideAdvice(Outside(role, Hints{}, func(string) bool { return false })))
	}
}
