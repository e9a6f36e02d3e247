package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver takes traces by OTLP over HTTP.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*trace.Span
	text  bytes.Buffer // all that was sent
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		data, err := io.ReadAll(q.Body)
		var sent collector.ExportTraceServiceRequest
		if err != nil || q.URL.Path != "/v1/traces" || proto.Unmarshal(data, &sent) != nil {
			t.Errorf("%s is no trace", q.URL)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.text.Write(data)
		for _, resource := range sent.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// of are the spans of a trace, by their names.
func (r *receiver) of(id string) map[string]*trace.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]*trace.Span{}
	for _, s := range r.spans {
		if hex.EncodeToString(s.TraceId) == id {
			out[s.Name] = s
		}
	}
	return out
}

// attribute is one of a span, as text.
func attribute(s *trace.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// metrics reads those of a server as Prometheus does.
func (d *daemon) metrics() map[string]*dto.MetricFamily {
	d.t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	out, err := parser.TextToMetricFamilies(bytes.NewReader(d.ask(200, "GET", "/metrics", nil).body))
	require.NoError(d.t, err)
	return out
}

// measured is a metric with these labels; nil for none.
func measured(f *dto.MetricFamily, labels m) *dto.Metric {
	for _, metric := range f.GetMetric() {
		n := 0
		for _, l := range metric.Label {
			if labels[l.GetName()] == l.GetValue() {
				n++
			}
		}
		if n == len(labels) {
			return metric
		}
	}
	return nil
}

// logged are the lines of a log as JSON.
func (d *daemon) logged() (lines []m) {
	d.t.Helper()
	f, err := os.Open(filepath.Join(d.dir, "log"))
	require.NoError(d.t, err)
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		line := m{}
		require.NoError(d.t, json.Unmarshal(s.Bytes(), &line), s.Text())
		lines = append(lines, line)
	}
	return lines
}

// with are the lines that say this, of these values.
func with(lines []m, message string, values m) (out []m) {
next:
	for _, l := range lines {
		if l["msg"] != message {
			continue
		}
		for k, v := range values {
			if l[k] != v {
				continue next
			}
		}
		out = append(out, l)
	}
	return out
}

const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

// TestSight: a change is seen in the log, the metrics and, below the span of who asks for it,
// in a trace, from the request to the phases of its operation.
func TestSight(t *testing.T) {
	t.Parallel()
	to := newReceiver(t)
	d := withFlags(t, "--log-format=json", "--otlp-endpoint="+to.URL)
	digest := d.upload(hello)
	r := d.ask(202, "POST", "/v1/deployments", m{"name": "hello", "input": m{"bundle": digest}}, "traceparent: 00-"+traceID+"-00f067aa0ba902b7-01")
	o := d.well(r)
	d.ask(404, "GET", "/v1/deployments/none", nil)
	d.ask(422, "GET", "/v1/deployments?x=not-logged", nil)
	d.as("kumiki_wrong").ask(401, "GET", "/metrics", nil)

	ended := func() bool { // who waits for it is answered a little before
		return len(with(d.logged(), "operation ended", m{"operation": o.ID, "verb": "create", "environment": "local"})) == 1
	}
	require.Eventually(t, ended, 10*time.Second, 20*time.Millisecond)
	lines := d.logged()
	made := with(lines, "request", m{"http.request.method": "POST", "http.route": "/v1/deployments", "http.response.status_code": 202.0, "enduser.id": "admin", "trace_id": traceID})
	require.Len(t, made, 1)
	require.Len(t, with(lines, "request", m{"http.route": "/v1/deployments/{name}", "url.path": "/v1/deployments/none", "error.type": "manager/not-found"}), 1)
	for _, phase := range []string{"compiling", "trying", "applying"} {
		require.Len(t, with(lines, "operation phase", m{"operation": o.ID, "deployment": "hello", "phase": phase, "trace_id": traceID}), 1)
	}

	var all map[string]*dto.MetricFamily
	require.Eventually(t, func() bool {
		all = d.metrics()
		return all["kumiki_operations_running"].GetMetric()[0].GetGauge().GetValue() == 0
	}, 10*time.Second, 20*time.Millisecond)
	requests := all["http_server_request_duration_seconds"]
	require.EqualValues(t, 1, measured(requests, m{"http_request_method": "POST", "http_route": "/v1/deployments", "http_response_status_code": "202"}).GetHistogram().GetSampleCount())
	require.EqualValues(t, 1, measured(all["kumiki_operations_total"], m{"verb": "create", "outcome": "ok"}).GetCounter().GetValue())
	for _, phase := range []string{"waiting", "compiling", "trying", "applying"} {
		require.EqualValues(t, 1, measured(all["kumiki_operation_phase_duration_seconds"], m{"phase": phase}).GetHistogram().GetSampleCount(), phase)
	}
	for name, value := range map[string]float64{"kumiki_leader": 1, "kumiki_operations_running": 0, "kumiki_operations_pending": 0, "kumiki_store_up": 1, "kumiki_store_full": 0, "kumiki_store_quota_bytes": 8 << 30, "http_server_active_requests": 1} {
		require.Equal(t, value, all[name].GetMetric()[0].GetGauge().GetValue(), name)
	}
	require.Positive(t, all["kumiki_store_size_bytes"].GetMetric()[0].GetGauge().GetValue())
	require.Contains(t, all, "etcd_server_has_leader")

	require.Eventually(t, func() bool { return len(to.of(traceID)) == 5 }, 15*time.Second, 100*time.Millisecond, "%v", to.of(traceID))
	spans := to.of(traceID)
	request, operation := spans["POST /v1/deployments"], spans["operation create"]
	require.Equal(t, "00f067aa0ba902b7", hex.EncodeToString(request.ParentSpanId))
	require.Equal(t, request.SpanId, operation.ParentSpanId)
	require.Equal(t, o.ID+" hello", attribute(operation, "kumiki.operation.id")+" "+attribute(operation, "kumiki.deployment.name"))
	for _, phase := range []string{"compiling", "trying", "applying"} {
		require.Equal(t, operation.SpanId, spans[phase].ParentSpanId, phase)
	}
	require.NotContains(t, strings.ToLower(to.text.String()), "not-logged")
}
