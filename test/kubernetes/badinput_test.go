package kubernetes

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// tree is a solution as JSON, to be edited as by hand.
type tree map[string]any

// at goes down the keys.
func (s tree) at(keys ...string) tree {
	for _, key := range keys {
		s = tree(s[key].(map[string]any))
	}
	return s
}

func (s tree) deployment(name string) tree { return s.at("deployments", name) }

func (s tree) role(name string) tree {
	return s.deployment("shop").at("artifact", "description", "role", name)
}

func (s tree) component(role string) tree { return s.role(role).at("artifact", "description") }

func (s tree) connector(name string) tree {
	return s.deployment("shop").at("artifact", "description", "connector", name)
}

// firstOf is the first entry of a list.
func (s tree) firstOf(list string) tree { return tree(s[list].([]any)[0].(map[string]any)) }

// breaks are the ways to break what a solution promises to the targets: each
// changes the shop's solution, and is refused with the text.
var breaks = []struct {
	name string
	edit func(s tree)
	want string
}{
	{"version of the format", func(s tree) { s["cspec"] = "2.0" }, `cspec: is "2.0"`},
	{"kind of the solution", func(s tree) { s.at("ref")["kind"] = "service" }, "ref.kind"},
	{"name of the solution", func(s tree) { s.at("ref")["name"] = "other" }, "ref.name"},
	{"top that is not there", func(s tree) { s["top"] = "other" }, "top: is "},
	{"two tops", func(s tree) { s.deployment("shop.entry")["up"] = nil }, "second top"},
	{"up in a circle", func(s tree) { s.deployment("shop.entry")["up"] = "shop.entry" }, "goes in a circle"},
	{"up to nowhere", func(s tree) { s.deployment("shop.entry")["up"] = "other" }, "which is no deployment"},
	{"name of a deployment", func(s tree) { s.deployment("shop")["name"] = "other" }, "name"},
	{"deployment without artifact", func(s tree) { s.deployment("shop.entry")["artifact"] = nil }, "artifact"},
	{"links missing", func(s tree) { delete(s, "links") }, "links"},
	{"link from nowhere", func(s tree) { s.firstOf("links")["s_d"] = "other" }, "which is no deployment"},
	{"link to nowhere", func(s tree) { s.firstOf("links")["t_d"] = "other" }, "which is no deployment"},
	{"link from no channel", func(s tree) { s.firstOf("links")["s_c"] = "other" }, "no client channel"},
	{"link to no channel", func(s tree) { s.firstOf("links")["t_c"] = "other" }, "no server channel"},
	{"link twice", func(s tree) { s["links"] = append(s["links"].([]any), s.firstOf("links")) }, "is there twice"},
	{"inherited channel without link", func(s tree) { s["links"] = []any{} }, "no link says"},
	{"role that is a service", func(s tree) { s.role("db").at("artifact", "ref")["kind"] = "service" }, "kind"},
	{"name of a role", func(s tree) { s.role("db")["name"] = "other" }, "name"},
	{"number of instances", func(s tree) { s.role("db").at("config", "scale")["hsize"] = -1 }, "hsize"},
	{"no instances said", func(s tree) { delete(s.role("db").at("config", "scale"), "hsize") }, "hsize"},
	{"connector's kind", func(s tree) { s.connector("db")["kind"] = "ring" }, "kind"},
	{"connector from no role", func(s tree) { s.connector("db").firstOf("clients")["role"] = "other" }, "other"},
	{"connector from no channel", func(s tree) { s.connector("db").firstOf("clients")["channel"] = "other" }, "other"},
	{"connector to no role", func(s tree) { s.connector("db").firstOf("servers").firstOf("links")["role"] = "other" }, "other"},
	{"connector to a client", func(s tree) {
		link := s.connector("db").firstOf("servers").firstOf("links")
		link["role"], link["channel"] = "api", "db"
	}, "db"},
	{"meta missing", func(s tree) { s.connector("db").firstOf("servers")["meta"] = []any{} }, "meta"},
	{"port out of range", func(s tree) { s.component("db").at("srv", "server", "sql")["port"] = 70000 }, "port"},
	{"protocol unknown", func(s tree) { s.component("db").at("srv", "server", "sql")["protocol"] = "sctp" }, "protocol"},
	{"no image", func(s tree) { s.component("db").at("code", "db", "image")["tag"] = "" }, "image"},
	{"no containers", func(s tree) { s.component("db")["code"] = map[string]any{} }, "code"},
	{"unit unknown", func(s tree) { s.component("db").at("code", "db", "size", "memory")["unit"] = "P" }, "unit"},
	{"size no number", func(s tree) { s.component("db").at("code", "db", "size", "memory")["size"] = "much" }, "size"},
	{"variable of two kinds", func(s tree) {
		s.component("db").at("code", "db", "mapping", "env", "POSTGRES_DB")["secret"] = "password"
	}, "POSTGRES_DB"},
	{"variable of no resource", func(s tree) {
		s.component("db").at("code", "db", "mapping", "env", "POSTGRES_PASSWORD")["secret"] = "other"
	}, "other"},
	{"volume of no resource", func(s tree) {
		s.component("db").at("code", "db", "mapping", "filesystem", "/var/lib/postgresql/data")["volume"] = "other"
	}, "other"},
	{"file at no absolute path", func(s tree) {
		s.component("db").at("code", "db", "mapping", "filesystem", "/var/lib/postgresql/data")["path"] = "data"
	}, "path"},
	{"layout", func(s tree) { s.at("layout", "roles", "db")["deployment"] = "other" }, "which is no deployment"},
	{"layout without a role", func(s tree) { delete(s.at("layout", "roles"), "db") }, "not in the layout"},
	{"unknown field", func(s tree) { s.role("db")["replicas"] = 3 }, "replicas"},
	{"another type", func(s tree) { s.role("db").at("config", "scale")["hsize"] = "1" }, "hsize"},
	{"deployments missing", func(s tree) { delete(s, "deployments") }, "which is no deployment; it has none"},
}

// TestBadSolutions shows that what was edited by hand and is wrong is refused
// before anything is printed.
func TestBadSolutions(t *testing.T) {
	t.Parallel()
	good, stderr, err := kumiki(t, "compile", filepath.Join(root, "examples/shop/deploy"))
	require.NoError(t, err, stderr)
	decode := func() (s tree) {
		require.NoError(t, json.Unmarshal(good, &s))
		return s
	}
	for _, b := range breaks {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := decode()
			delete(s, "digest")
			b.edit(s)
			data, err := json.MarshalIndent(s, "", "  ")
			require.NoError(t, err)
			refused(t, data, b.want)
		})
	}
	t.Run("changed, and nothing else wrong", func(t *testing.T) {
		t.Parallel()
		s := decode()
		s.role("db").at("config", "scale")["hsize"] = 2
		data, err := json.Marshal(s)
		require.NoError(t, err)
		refused(t, data, "digest: is sha256:")
	})
	for name, data := range map[string][]byte{"empty": {}, "half of it": good[:len(good)/2], "two": append(good, good...), "no text": {0xff, 0xfe}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, data, "[solution/bad-file]")
		})
	}
}

func refused(t *testing.T, data []byte, want string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "solution.json")
	require.NoError(t, os.WriteFile(file, data, 0o644))
	stdout, stderr, err := kumiki(t, "lower", file, "-t", "kubernetes", "-n", "t")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode(), stderr)
	require.Empty(t, stdout)
	require.Contains(t, stderr, want)
	require.Contains(t, stderr, "solution.json:")
	require.NotContains(t, stderr, "internal error")
}
