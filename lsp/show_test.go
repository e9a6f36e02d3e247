package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// where is the position of a piece of a buffer, plus some characters.
func (c *client) where(file, piece string, plus int) position {
	c.t.Helper()
	i := strings.Index(c.buffers[file], piece)
	require.GreaterOrEqual(c.t, i, 0, "%s has no %s", file, piece)
	return at(c.buffers[file], i+plus)
}

func (c *client) hoverAt(file string, p position) string {
	c.t.Helper()
	var out *struct {
		Contents struct{ Value string } `json:"contents"`
	}
	c.call("textDocument/hover", map[string]any{"textDocument": id(file), "position": p}, &out)
	if out == nil {
		return ""
	}
	return out.Contents.Value
}

// hints are "line: label" of a whole file, when the server knows everything: it
// waits for that no longer than an editor would.
func (c *client) hints(file string) []string {
	c.t.Helper()
	c.settled(file)
	var list []struct {
		Position position
		Label    string
	}
	c.call("textDocument/inlayHint", map[string]any{"textDocument": id(file), "range": span{End: position{Line: 10_000}}}, &list)
	var out []string
	for _, h := range list {
		line := strings.Split(c.buffers[file], "\n")[h.Position.Line]
		out = append(out, strings.TrimSpace(line)+" "+h.Label)
	}
	return out
}

func TestHover(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "shop/shop.cue")
	c.open(file)
	c.settled(file)
	got := c.hoverAt(file, c.where(file, "logLevel: *", 2))
	require.Contains(t, got, "**config.parameter.logLevel** = `\"error\"`, service default")
	require.Contains(t, got, "Verbosity of every log.")
	require.Contains(t, got, "read by: ")
	component := filepath.Join(dir, "api/api.cue")
	c.open(component)
	c.settled(component)
	got = c.hoverAt(component, c.where(component, "orders:", 2))
	require.Contains(t, got, "role api of service shop, by _p.orders", "the chain")
	require.Equal(t, 1, strings.Count(got, "Whether orders are taken"), got)
}

// TestHoverParts looks for each part where it is to be: the final value, who
// gives it, the type, the doc comment and the readers, also at the level that
// doesn't declare the field, and for names that have no value.
func TestHoverParts(t *testing.T) {
	t.Parallel()
	shops(t, func(t *testing.T, c *client, file func(string) string) {
		deployment, service, api := file("deploy/deployment.cue"), file("shop/shop.cue"), file("api/api.cue")
		c.settled(deployment)
		tests := []struct {
			name, file, piece string
			plus              int
			want              []string
			not               string
		}{
			{"own field", service, "logLevel: *", 1, []string{"**config.parameter.logLevel** = `\"error\"`, service default", "Verbosity of every log.", "type: `*\"error\" | \"info\" | \"debug\"`", "read by: web"}, "written:"},
			{"given by the deployment", deployment, "title:", 1, []string{"= `\"Wood & Joints\"`, deployment", "The shop's name, as customers see it.", "type: `string`", "read by: web"}, ""},
			{"given by a role", service, "orders: _p", 1, []string{"= `true`, service", "Whether orders are taken, or the shop", "type: `*true | bool`", "written: `_p.orders`", "← "}, "read by:"},
			{"not given by anybody", api, "poolSize: *10", 1, []string{"= `10`, component default", "Connections that are kept open", "type: `*10 | (int & >=1 & <=200)`"}, ""},
			{"in a mapping", api, `"poolSize"`, 2, []string{"**parameter.poolSize**, field of api", "Connections that are kept open", "type: `*10 | (int & >=1 & <=200)`", "declared in [api.cue]("}, ""},
			{"channel", service, "rest: _", 1, []string{"**rest**, server channel of api"}, ""},
			{"role", service, "web: {", 1, []string{
				"**web**, role of shop", "filled by component **web** 2.0.0", "- 2 instances with 500m CPU and 256M memory\n", "- serves `entry`, http at port 3000: from entry.inbound by connector entry\n",
				"- calls `api`, http: to api.rest by connector api\n", "- `parameter.title` = `\"Wood & Joints\"`, deployment\n", "declared in [shop.cue](",
			}, ""},
			{"role of a connector", service, "entry: _}", -5, []string{"**web**, role of shop", "filled by component **web**"}, ""},
			{"role of a deployment's scale", deployment, "api: hsize", 1, []string{"**api**, role of shop", "filled by component **api**", "- talks by `peers`"}, ""},
			{"role of a builtin", service, "entry: {", 1, []string{"filled by builtin **"}, "instance"},
			{"role's secret", service, "db: {", 1, []string{"`resource.password.secret` = `\"shop-db-password\"`"}, ""},
			{"of the model", api, "k.#Secret", 4, []string{"#Secret"}, ""},
		}
		for _, tt := range tests {
			got := c.hoverAt(tt.file, c.where(tt.file, tt.piece, tt.plus))
			for _, want := range tt.want {
				require.Contains(t, got, want, tt.name)
			}
			if tt.not != "" {
				require.NotContains(t, got, tt.not, tt.name)
			}
		}
	})
}

func TestInlayHints(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "shop/shop.cue")
	c.open(file)
	want := []string{
		`title: string = "Wood & Joints" (deployment)`,
		`logLevel: *"error" | "info" | "debug" = "error" (service default)`,
	}
	for _, h := range want {
		require.Contains(t, c.hints(file), h)
	}
	// A broken file keeps them, below and above the place that is broken.
	end := len(c.buffers[file])
	c.replace(file, end, end, "\n}}} {")
	require.NotEmpty(t, c.codes(file))
	for _, h := range want {
		require.Contains(t, c.hints(file), h)
	}
	c.replace(file, 0, 0, "// one line more\n")
	require.Contains(t, c.hints(file), want[1])
}

func TestLenses(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "deploy/deployment.cue")
	c.open(file)
	titles := func() []string {
		c.settled(file)
		var list []struct{ Command struct{ Title string } }
		c.call("textDocument/codeLens", map[string]any{"textDocument": id(file)}, &list)
		var out []string
		for _, l := range list {
			out = append(out, l.Command.Title)
		}
		return out
	}
	require.Equal(t, []string{"compile", "show solution", "show topology"}, titles())
	var solution string
	c.call("workspace/executeCommand", map[string]any{"command": "kumiki.solution", "arguments": []any{uri(file)}}, &solution)
	require.Contains(t, solution, `"layout"`)
	i := strings.Index(c.buffers[file], "parameter: title:")
	c.replace(file, i, i, "//")
	require.Equal(t, []string{"1 missing field"}, titles())
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	deployment, service, component := filepath.Join(dir, "deploy/deployment.cue"), filepath.Join(dir, "shop/shop.cue"), filepath.Join(dir, "api/api.cue")
	for _, f := range []string{deployment, service, component} {
		c.open(f)
	}
	c.settled(deployment)
	tests := []struct {
		name, file string
		behind     string // the place is behind this
		typed      string // what is typed there, which leaves the file broken
		want       []string
	}{
		{"config", deployment, "config: {", "\n\t\tparameter: ", []string{"title", "logLevel", "orders"}},
		{"section", deployment, "config: {", "\n\t\tres", []string{"resource", "resilience"}},
		{"roles", deployment, "scale: detail: {", "\n\t\t\t", []string{"web", "api"}},
		{"hsize", deployment, "scale: detail: {", "\n\t\t\tapi: ", []string{"hsize"}},
		{"role's config", service, "role: {", "\n api: config: parameter: {", []string{"database"}},
		{"role of a connector", service, "role: {", "}\nconnect: x: from: ", []string{"web", "self"}},
		{"channel", service, "role: {", "}\nconnect: x: to: api: ", []string{"rest"}},
		{"role of scale", service, "role: {", "\n db: config: scale: ", []string{"hsize"}},
		{"channel in a string", service, "role: {", "}\nconnect: x: from: web: \"", []string{"api"}},
		{"duplex channel", service, "role: {", "}\nconnect: x: to: api: pe", []string{"peers"}},
		{"parameter of a mapping", component, "code: api: {", "\n mapping: env: X: parameter: \"", []string{"poolSize"}},
		{"secret of a mapping", component, "code: api: {", "\n mapping: env: X: secret: \"", []string{"dbPassword"}},
		{"volume of a mapping", component, "code: api: {", "\n mapping: filesystem: \"/x\": volume: \"", []string{"spool"}},
		{"key of a variable", component, "code: api: {", "\n mapping: env: X: ", []string{"value", "parameter", "secret"}},
		{"secret of a registry", component, "code: api: {", "\n image: hub: secret: \"", []string{"dbPassword"}},
		{"one of some values", deployment, "config: {", "\n\t\tparameter: logLevel: ", []string{"error", "info", "debug"}},
		{"kind of a resource", deployment, "config: {", "\n\t\tresource: certificate: ", []string{"certificate"}},
		{"reference, by CUE", service, "let _p = description.config.parameter", "\nlet _x = _p.", []string{"title", "logLevel", "orders"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := c.buffers[tt.file]
			i := strings.Index(text, tt.behind)
			require.Positive(t, i, tt.behind)
			i += len(tt.behind)
			c.replace(tt.file, i, i, tt.typed)
			labels := c.completions(tt.file, i+len(tt.typed))
			require.Len(t, labels, len(slices.Compact(slices.Sorted(slices.Values(labels)))), "each once: %v", labels)
			for _, w := range tt.want {
				require.True(t, slices.Contains(labels, w), "%s is not in %v", w, labels)
			}
			c.replace(tt.file, i, i+len(tt.typed), "")
		})
	}
}

// completions are the labels that are offered at an offset, in the order in which an
// editor shows them.
func (c *client) completions(file string, offset int) []string {
	c.t.Helper()
	var out struct {
		Items []struct{ Label, SortText string }
	}
	c.call("textDocument/completion", map[string]any{"textDocument": id(file), "position": at(c.buffers[file], offset)}, &out)
	slices.SortStableFunc(out.Items, func(a, b struct{ Label, SortText string }) int { return strings.Compare(a.SortText, b.SortText) })
	labels := []string{}
	for _, x := range out.Items {
		labels = append(labels, strings.Trim(x.Label, `"`))
	}
	return labels
}

// TestCompletionMerged has ours first, then what only CUE's server knows.
func TestCompletionMerged(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "deploy/deployment.cue")
	c.open(file)
	c.settled(file)
	typed := "\n\t\t"
	i := strings.Index(c.buffers[file], "config: {") + len("config: {")
	c.replace(file, i, i, typed)
	got := c.completions(file, i+len(typed))
	require.Equal(t, []string{"parameter", "resource", "scale", "resilience"}, got[:4])
	component := filepath.Join(dir, "api/api.cue")
	c.open(component) // and not evaluated since
	i = strings.Index(c.buffers[component], "mapping: {") + len("mapping: {")
	c.replace(component, i, i, "\nenv: X: secret: \"")
	require.Equal(t, []string{"dbPassword"}, c.completions(component, i+len("\nenv: X: secret: \"")), "no references in a string")
	require.Len(t, got, len(slices.Compact(slices.Sorted(slices.Values(got)))), "each once: %v", got)
}

// TestCompletionNeverWhole completes in a workspace that was never evaluated: its
// files were broken when they were opened.
func TestCompletionNeverWhole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"shop", "shop-kam"} {
		dir := example(t, name)
		file, service := filepath.Join(dir, "deploy/deployment.cue"), filepath.Join(dir, "shop/shop.cue")
		for _, f := range []string{file, service} {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(f, append(text, "\n}} {"...), 0o644))
		}
		c := start(t, dir)
		c.open(file)
		c.open(service)
		c.settled(file)
		complete := func(file, behind, typed string) []string {
			i := strings.Index(c.buffers[file], behind) + len(behind)
			c.replace(file, i, i, typed)
			defer c.replace(file, i, i+len(typed), "")
			return c.completions(file, i+len(typed))
		}
		require.Subset(t, complete(file, "config: {", "\n\t\tparameter: "), []string{"title", "logLevel", "orders"})
		require.Subset(t, complete(file, "scale: detail: {", "\n"), []string{"web", "api", "db", "entry"})
		require.Subset(t, complete(service, "role: {", "\n api: config: parameter: {"), []string{"database", "poolSize"})
		require.Subset(t, complete(service, "connect: {", "\n x: to: api: "), []string{"rest", "peers"})
	}
}

// TestContext reads where an artifact is deployed: what a definition of the model says of
// it, and which fields it has.
func TestContext(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	component := filepath.Join(dir, "api/api.cue")
	c.open(component)
	c.settled(component)
	i := strings.Index(c.buffers[component], "code: api: {") + len("code: api: {")
	typed := "\n\t\t\tmapping: env: ROLE: value: description.config.#context.role"
	c.replace(component, i, i, typed)
	c.settled(component)
	require.Contains(t, c.hoverAt(component, c.where(component, "#context", 2)), "Where the artifact is deployed")
	require.Contains(t, c.hoverAt(component, c.where(component, "#context.role", len("#context.r"))), "The name of the role that the artifact")
	dot := i + strings.Index(typed, "role")
	c.replace(component, dot, dot+len("role"), "")
	require.Subset(t, c.completions(component, dot), []string{"deployment", "role", "path"})
}
