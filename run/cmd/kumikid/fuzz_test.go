package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"kumiki.dev/run/record"
)

// described is what the OpenAPI document says of an operation.
type described struct {
	method, path string
	Parameters   []struct {
		Name, In string
		Schema   map[string]any
	}
	RequestBody struct {
		Content map[string]struct{ Schema map[string]any }
	}
	Responses map[string]struct{ Content map[string]any }
}

// document is the OpenAPI document, and what judges answers by it.
type document struct {
	operations []described
	schemas    map[string]map[string]any
	compiler   *jsonschema.Compiler
	compiled   map[string]*jsonschema.Schema
}

const documentName = "file:///openapi.json"

func readDocument(t *testing.T, data []byte) *document {
	t.Helper()
	var all struct {
		Paths      map[string]map[string]described
		Components struct{ Schemas map[string]map[string]any }
	}
	require.NoError(t, json.Unmarshal(data, &all))
	d := &document{schemas: all.Components.Schemas, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	require.NoError(t, d.compiler.AddResource(documentName, tree))
	for _, at := range slices.Sorted(maps.Keys(all.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(all.Paths[at])) {
			o := all.Paths[at][method]
			o.method, o.path = strings.ToUpper(method), at
			d.operations = append(d.operations, o)
		}
	}
	return d
}

// judge says what in an answer is not as the document has it.
func (d *document) judge(o described, status int, kind string, body []byte) error {
	key := strconv.Itoa(status)
	if _, ok := o.Responses[key]; !ok {
		if status < 400 {
			return fmt.Errorf("the document has no answer %d", status)
		}
		key = "default"
	}
	content := o.Responses[key].Content
	kind, _, _ = strings.Cut(kind, ";")
	if len(content) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("the document has no body for %s, and there is one of type %q", key, kind)
		}
		return nil
	}
	if _, ok := content[kind]; !ok {
		return fmt.Errorf("the type is %q, and the document has %v for %s", kind, slices.Sorted(maps.Keys(content)), key)
	}
	if !strings.HasSuffix(kind, "json") {
		return nil
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1").Replace
	at := documentName + "#/paths/" + url.PathEscape(escape(o.path)) + "/" + strings.ToLower(o.method) + "/responses/" + key + "/content/" + escape(kind) + "/schema"
	schema := d.compiled[at]
	if schema == nil {
		var err error
		if schema, err = d.compiler.Compile(at); err != nil {
			return err
		}
		d.compiled[at] = schema
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the body is no JSON: %w", err)
	}
	return schema.Validate(value)
}

// drawer draws requests.
type drawer struct {
	*rand.Rand
	document *document
	// known are values that are there, by the names of fields and parameters.
	known map[string][]any
}

// strange are texts that somebody who means harm, or knows no better, sends.
var strange = []string{
	"", " ", ".", "..", "../../etc/passwd", "..%2f..", "a/b", "*", "%", "%00", "\x00", "\n", "\r\nX: y", "'", `"`, "\\", "{}", "[]", "null", "true", "0", "-1", "1e999",
	"9999999999999999999999", "NaN", "é", "日本", "\u202eabc", "\U0001F600", "\ufeff", "ﬀ", "a\u0301", "\xff\xfe", strings.Repeat("a", 64), strings.Repeat("é", 300), strings.Repeat("[", 2000),
	"a=b,c notin (d)", "a in (", "sha256:", "sha256:" + strings.Repeat("0", 64), "sha256:" + strings.Repeat("F", 64), "W/\"1\"", `"1"`, `"-1"`, "2026-01-01T00:00:00Z", "<script>alert(1)</script>", "$(id)", "${x}", "config.scale.hsize=2", "config.scale.hsize=@/etc/passwd", "=", "x=",
}

func (r *drawer) one(of []string) string { return of[r.IntN(len(of))] }

// text is the value of a parameter.
func (r *drawer) text(name string, schema map[string]any) string {
	if r.IntN(3) == 0 {
		return r.one(strange)
	}
	v := r.value(name, schema, 0)
	if s, ok := v.(string); ok {
		return s
	}
	data, _ := json.Marshal(v)
	return string(data)
}

// value is one that a schema allows, most times.
func (r *drawer) value(name string, schema map[string]any, depth int) any {
	if ref, ok := schema["$ref"].(string); ok {
		schema = r.document.schemas[ref[strings.LastIndexByte(ref, '/')+1:]]
	}
	if r.IntN(25) == 0 || depth > 20 {
		return r.wrong()
	}
	if known := r.known[name]; len(known) > 0 && r.IntN(4) > 0 {
		return known[r.IntN(len(known))]
	}
	if enum, ok := schema["enum"].([]any); ok {
		return enum[r.IntN(len(enum))]
	}
	kind := schema["type"]
	if kinds, ok := kind.([]any); ok {
		kind = kinds[r.IntN(len(kinds))]
	}
	switch kind {
	case "object":
		return r.object(schema, depth)
	case "array":
		items, _ := schema["items"].(map[string]any)
		out := []any{}
		for range r.IntN(4) {
			out = append(out, r.value("", items, depth+1))
		}
		return out
	case "integer", "number":
		return r.number(schema)
	case "boolean":
		return r.IntN(2) == 0
	case "string":
		return r.one(strange)
	case "null":
		return nil
	}
	return r.wrong()
}

func (r *drawer) number(schema map[string]any) any {
	least, _ := schema["minimum"].(float64)
	most, ok := schema["maximum"].(float64)
	if !ok {
		most = least + 20
	}
	edges := []float64{least, most, least - 1, most + 1, least + 1, 1.5, -1 << 63, 1 << 63}
	return edges[r.IntN(len(edges))]
}

func (r *drawer) object(schema map[string]any, depth int) any {
	out := map[string]any{}
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(required, any(name)) && r.IntN(2) == 0 || r.IntN(30) == 0 {
			continue
		}
		of, _ := properties[name].(map[string]any)
		out[name] = r.value(name, of, depth+1)
	}
	if more, ok := schema["additionalProperties"].(map[string]any); ok {
		for range r.IntN(3) {
			out[strings.ToValidUTF8(r.one(strange), "?")] = r.value("", more, depth+1)
		}
	}
	if r.IntN(20) == 0 {
		out["colour"] = "red"
	}
	return out
}

// wrong is what hardly any schema allows.
func (r *drawer) wrong() any {
	all := []any{nil, true, -1, 1.5, 1e308, "", []any{}, map[string]any{}, []any{nil, []any{}}, map[string]any{"a": map[string]any{"b": 1}}, strings.Repeat("x", 10_000), r.one(strange)}
	return all[r.IntN(len(all))]
}

// body draws one, and its type.
func (r *drawer) body(o described) (data []byte, kind string) {
	for _, kind = range slices.Sorted(maps.Keys(o.RequestBody.Content)) {
		if kind != "application/json" {
			data = []byte("PK\x03\x04" + r.one(strange))
			continue
		}
		data, _ = json.Marshal(r.value("", o.RequestBody.Content[kind].Schema, 0))
	}
	switch r.IntN(12) {
	case 0:
		data = data[:r.IntN(len(data)+1)]
	case 1:
		data = []byte(r.one(strange))
	case 2:
		data = []byte(strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000))
	case 3:
		data = append(data, data...)
	case 4:
		kind = r.one([]string{"", "text/plain", "application/xml", "application/cbor", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "x", "multipart/form-data; boundary=a", "application/merge-patch+json"})
	case 5:
		data = bytes.ReplaceAll(data, []byte(`"`), []byte("\"\xff"))
	}
	return data, kind
}

// request draws one for an operation. What it says is for who looks into a failure.
func (r *drawer) request(t *testing.T, ctx context.Context, base string, o described, tokens []string) (*http.Request, string) {
	at, query, header := o.path, url.Values{}, http.Header{}
	for _, p := range o.Parameters {
		value := r.text(p.Name, p.Schema)
		switch {
		case p.In == "path":
			at = strings.ReplaceAll(at, "{"+p.Name+"}", url.PathEscape(value))
		case p.Name == "waitSeconds" && value != "0" && r.IntN(2) == 0 || r.IntN(2) == 0:
		case p.In == "query":
			query.Add(p.Name, value)
		default:
			header.Set(p.Name, strings.Map(printable, value))
		}
	}
	if r.IntN(15) == 0 {
		query.Add(r.one([]string{"colour", "limit", "dryRun", ""}), r.one(strange))
	}
	data, kind := r.body(o)
	if len(o.RequestBody.Content) == 0 && r.IntN(10) > 0 {
		data, kind = nil, ""
	}
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	if token := r.one(tokens); token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	if r.IntN(20) == 0 {
		header.Set("Kumiki-Protocol", strings.Map(printable, r.one(strange)))
	}
	text := base + at
	if len(query) > 0 {
		text += "?" + query.Encode()
	}
	q, err := http.NewRequestWithContext(ctx, o.method, text, bytes.NewReader(data))
	require.NoError(t, err)
	q.Header = header
	return q, fmt.Sprintf("%s %s\n%v\n%.2000q", o.method, text, header, data)
}

// printable leaves out what Go's client sends in no header.
func printable(c rune) rune {
	if c < ' ' || c == 0x7f {
		return -1
	}
	return c
}

// TestDocument sends what the OpenAPI document allows, and what it does not, as every role: no
// answer is an error of the server, each is as the document says, and the log has no panic.
// KUMIKI_FUZZ is how many requests there are for each operation.
func TestDocument(t *testing.T) {
	t.Parallel()
	n := 30
	if text := os.Getenv("KUMIKI_FUZZ"); text != "" {
		_, err := fmt.Sscan(text, &n)
		require.NoError(t, err)
	}
	d := newDaemon(t)
	digest := d.upload(hello)
	created := d.ask(202, "POST", "/v1/deployments", m{"name": "hello", "labels": m{"team": "a"}, "input": m{"bundle": digest}})
	d.well(created)
	tokens := []string{d.token, d.token, "", "wrong"}
	for i, role := range []string{"viewer", "deployer", "operator", "admin"} {
		var made struct{ Token string }
		d.ask(201, "POST", "/v1/tokens", m{"name": "t" + strconv.Itoa(i), "role": role, "selector": "team in (a)"}).read(t, &made)
		tokens = append(tokens, made.Token)
	}
	document := readDocument(t, d.ask(200, "GET", "/openapi.json", nil).body)
	known := map[string][]any{
		"continue": {continued(1, "deployments/hello"), continued(1<<40, "operations/"), continued(-1, ""), continued(1, "tokens/"), continued(20, "audit/"), continued(1, "deployments/\xff")},
		"name":     {"hello", "hello", "other", "local"}, "bundle": {digest}, "environment": {"local"}, "number": {1, 1, 2}, "manifest": {1}, "type": {"*", "hello"}, "If-Match": {"*"}, "If-None-Match": {"*"},
		"id": {filepath.Base(created.header.Get("Location"))}, "collection": {"deployments", "operations", "status"}, "waitSeconds": {0, 1}, "target": {"kubernetes", "swarm"}, "sets": {[]any{}, []any{"config.scale.hsize=2"}}, "labels": {map[string]any{"team": "a"}},
	}
	statuses := map[int]int{}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for i, o := range document.operations {
		r := &drawer{rand.New(rand.NewPCG(uint64(i), 7)), document, known}
		for range n {
			status := d.fuzzed(t, client, r, o, tokens)
			statuses[status]++
		}
	}
	log, err := os.ReadFile(filepath.Join(d.dir, "log"))
	require.NoError(t, err)
	require.NotContains(t, string(log), "panic")
	d.ask(200, "GET", "/readyz", nil)
	for _, status := range []int{200, 202, 400, 401, 403, 404, 415, 422, 428} {
		require.Positive(t, statuses[status], "%d is tried: %v", status, statuses)
	}
	t.Logf("%d operations: %v", len(document.operations), statuses)
}

// fuzzed sends one request, and judges the answer.
func (d *daemon) fuzzed(t *testing.T, client *http.Client, r *drawer, o described, tokens []string) int {
	t.Helper()
	limit := 20 * time.Second
	if o.path == "/v1/watch/{collection}" || strings.HasSuffix(o.path, "/logs") { // which may go on for ever
		limit = 200 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	q, said := r.request(t, ctx, d.url, o, tokens)
	answer, err := client.Do(q)
	require.NoError(t, err, said)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if !errors.Is(err, context.DeadlineExceeded) || limit > time.Second {
		require.NoError(t, err, said)
	}
	require.Less(t, answer.StatusCode, 500, "%s\n%.1000q", said, body)
	if at := q.URL.Path; answer.StatusCode == http.StatusTemporaryRedirect && path.Clean(at) != at {
		return 307 // such as /v1/deployments/../manifests, which is somewhere else
	}
	require.NoError(t, r.document.judge(o, answer.StatusCode, answer.Header.Get("Content-Type"), body), "%s\n%d %.1000q", said, answer.StatusCode, body)
	return answer.StatusCode
}

// continued is where a page of a list begins, as somebody makes it up.
func continued(at int, after string) string {
	data, _ := json.Marshal(map[string]any{"at": at, "after": after})
	return base64.RawURLEncoding.EncodeToString(data)
}

// TestElsewhere: who makes up where a page begins gets no records of others, and who has a revision
// of a store that is gone does not wait for it.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	input := m{"bundle": d.upload(hello)}
	for name, team := range map[string]string{"aaa": "b", "hello": "a"} {
		d.well(d.ask(202, "POST", "/v1/deployments", m{"name": name, "labels": m{"team": team}, "input": input}))
	}
	var made struct{ Token string }
	d.ask(201, "POST", "/v1/tokens", m{"name": "a", "role": "viewer", "selector": "team=a"}).read(t, &made)
	var list struct{ Revision int }
	d.ask(200, "GET", "/v1/deployments", nil).read(t, &list)
	d.token = made.Token
	for path, after := range map[string]string{"/v1/deployments/hello/manifests": "manifests/aaa/", "/v1/environments": "audit/", "/v1/operations": "manifests/", "/v1/deployments": "audit/"} {
		r := d.ask(400, "GET", path+"?continue="+continued(list.Revision, after), nil)
		require.Equal(t, "manager/continue", r.code())
	}
	var page struct{ Items []record.Manifest }
	d.ask(200, "GET", "/v1/deployments/hello/manifests?continue="+continued(list.Revision, "manifests/hello/"), nil).read(t, &page)
	require.Len(t, page.Items, 1)
	d.ask(410, "GET", "/v1/deployments?continue="+continued(1<<40, "deployments/"), nil)
	r := d.ask(410, "GET", fmt.Sprintf("/v1/watch/deployments?from=%d", list.Revision+100), nil)
	require.Equal(t, "manager/compacted", r.code())
	r = d.ask(405, "PATCH", "/v1/deployments", m{})
	require.Equal(t, []string{"manager/method", "GET, POST"}, []string{r.code(), r.header.Get("Allow")})
	require.Equal(t, "manager/not-found", d.ask(404, "GET", "/v1/nothing", nil).code())
}
