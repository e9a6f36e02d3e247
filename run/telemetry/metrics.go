package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts and measures. A nil one does nothing.
type Metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.HistogramVec
	active     prometheus.Gauge
	operations *prometheus.CounterVec
	phases     *prometheus.HistogramVec
	running    prometheus.Gauge
	leader     prometheus.Gauge
}

// seconds are the bounds of how long requests take, as the conventions have them, and minutes
// those of phases of operations.
var (
	seconds = []float64{.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}
	minutes = []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900}
)

// NewMetrics returns metrics of a server.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry:   prometheus.NewRegistry(),
		requests:   prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "http_server_request_duration_seconds", Help: "How long requests took, by method, route and status. Watches take as long as they are open.", Buckets: seconds}, []string{"http_request_method", "http_route", "http_response_status_code"}),
		active:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "http_server_active_requests", Help: "How many requests are being answered."}),
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "kumiki_operations_total", Help: "How many operations have ended, by verb and outcome: ok or the code of what was wrong."}, []string{"verb", "outcome"}),
		phases:     prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "kumiki_operation_phase_duration_seconds", Help: "How long operations were in a phase.", Buckets: minutes}, []string{"phase"}),
		running:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "kumiki_operations_running", Help: "How many operations this server carries out."}),
		leader:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "kumiki_leader", Help: "1 for the server that carries out operations, else 0."}),
	}
	m.registry.MustRegister(m.requests, m.active, m.operations, m.phases, m.running, m.leader)
	return m
}

// Ended counts an operation that has ended; code is "" for one that is well.
func (m *Metrics) Ended(verb, code string) {
	if m == nil {
		return
	}
	if code == "" {
		code = "ok"
	}
	m.operations.WithLabelValues(verb, code).Inc()
}

// Phase measures a phase of an operation.
func (m *Metrics) Phase(phase string, took time.Duration) {
	if m != nil {
		m.phases.WithLabelValues(phase).Observe(took.Seconds())
	}
}

// Running counts the operations that are carried out: by is 1 or -1.
func (m *Metrics) Running(by float64) {
	if m != nil {
		m.running.Add(by)
	}
}

// Leads says whether this server carries out operations.
func (m *Metrics) Leads(leads bool) {
	switch {
	case m == nil:
	case leads:
		m.leader.Set(1)
	default:
		m.leader.Set(0)
	}
}

// methods are those that are told apart: others are anybody's invention.
var methods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "OPTIONS": true}

func (m *Metrics) begun() {
	if m != nil {
		m.active.Inc()
	}
}

func (m *Metrics) request(method, route string, status int, took time.Duration) {
	if m == nil {
		return
	}
	if !methods[method] {
		method = "_OTHER"
	}
	m.active.Dec()
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// Stored is what is asked of the store when metrics are read.
type Stored struct {
	// Size and Quota are in bytes, Quota 0 if it is not known; Revision is that of the last write.
	Size, Quota, Revision int64
	// Pending is how many operations have not ended.
	Pending int
	// Full tells that nothing is written any more.
	Full bool
}

// storeMetrics asks when metrics are read.
type storeMetrics struct {
	ask                                        func(context.Context) (Stored, error)
	up, size, quota, revision, pending, noRoom *prometheus.Desc
}

// Store lets the store be asked each time that metrics are read.
func (m *Metrics) Store(ask func(context.Context) (Stored, error)) {
	describe := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	m.registry.MustRegister(&storeMetrics{
		ask:      ask,
		up:       describe("kumiki_store_up", "1 if the store answers, else 0: what is below is left out then."),
		size:     describe("kumiki_store_size_bytes", "How many bytes the records take."),
		quota:    describe("kumiki_store_quota_bytes", "How many they may take."),
		revision: describe("kumiki_store_revision", "The revision of the last write."),
		pending:  describe("kumiki_operations_pending", "How many operations have not ended."),
		noRoom:   describe("kumiki_store_full", "1 if nothing is written for want of room, else 0."),
	})
}

// Describe implements [prometheus.Collector].
func (s *storeMetrics) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, out) }

// Collect implements [prometheus.Collector].
func (s *storeMetrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	is, err := s.ask(ctx)
	tell := func(d *prometheus.Desc, value float64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	if err != nil {
		tell(s.up, 0)
		return
	}
	full := 0.0
	if is.Full {
		full = 1
	}
	tell(s.up, 1)
	tell(s.size, float64(is.Size))
	tell(s.revision, float64(is.Revision))
	tell(s.pending, float64(is.Pending))
	tell(s.noRoom, full)
	if is.Quota > 0 {
		tell(s.quota, float64(is.Quota))
	}
}

// Handler answers with all metrics, as Prometheus reads them: with those of the process, and of
// etcd where that is in this process.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(prometheus.Gatherers{m.registry, prometheus.DefaultGatherer}, promhttp.HandlerOpts{MaxRequestsInFlight: 2})
}
