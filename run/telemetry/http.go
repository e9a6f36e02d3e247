package telemetry

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Requests tells of all requests to a handler: a line in the log, a measurement and a span each.
type Requests struct {
	Log     *slog.Logger
	Metrics *Metrics
	Tracer  trace.Tracer
}

// Around is a handler whose requests are told of.
func (o Requests) Around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &Seen{Address: address(r.RemoteAddr)}
		ctx, span := o.Tracer.Start(w3c.Extract(r.Context(), propagation.HeaderCarrier(r.Header)), r.Method, trace.WithSpanKind(trace.SpanKindServer))
		r = r.WithContext(context.WithValue(ctx, seenKey{}, seen))
		to := &answer{ResponseWriter: w}
		o.Metrics.begun()
		defer func() {
			if thrown := recover(); thrown != nil && thrown != http.ErrAbortHandler {
				o.Log.Error("a request has met a mistake of this program", "error", thrown, "stack", string(debug.Stack()))
				if to.status == 0 {
					http.Error(to, "a mistake of this program; its log says which", http.StatusInternalServerError)
				}
			}
			o.ended(r, span, seen, to.Status(), time.Since(began))
		}()
		next.ServeHTTP(to, r)
	})
}

// address is that of who asks, without a port; "" for a Unix socket.
func address(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return ""
	}
	return host
}

// ended tells of a request that was answered.
func (o Requests) ended(r *http.Request, span trace.Span, seen *Seen, status int, took time.Duration) {
	route := routeOf(r.Pattern)
	o.Metrics.request(r.Method, route, status, took)
	if route != "" {
		span.SetName(r.Method + " " + route)
		span.SetAttributes(attribute.String("http.route", route))
	}
	span.SetAttributes(attribute.String("http.request.method", r.Method), attribute.String("url.path", r.URL.Path), attribute.Int("http.response.status_code", status))
	if seen.User != "" {
		span.SetAttributes(attribute.String("enduser.id", seen.User))
	}
	Fail(span, seen.Code)
	if status < http.StatusInternalServerError {
		span.SetStatus(codes.Unset, "") // what a client does wrong is no error of the server
	}
	span.End()
	o.log(r, span, seen, route, status, took)
}

func (o Requests) log(r *http.Request, span trace.Span, seen *Seen, route string, status int, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	case route == "/healthz" || route == "/readyz" || route == "/metrics" || strings.HasPrefix(route, "/ui/static/"):
		level = slog.LevelDebug // machines ask for them every few seconds
	}
	line := []any{"http.request.method", r.Method, "http.route", route, "url.path", r.URL.Path, "http.response.status_code", status, "duration", took.Round(time.Microsecond).String()}
	for _, a := range [][2]string{{"client.address", seen.Address}, {"enduser.id", seen.User}, {"error.type", seen.Code}} {
		if a[1] != "" {
			line = append(line, a[0], a[1])
		}
	}
	if s := span.SpanContext(); s.IsSampled() {
		line = append(line, "trace_id", s.TraceID().String())
	}
	o.Log.Log(r.Context(), level, "request", line...)
}

// answer sees the status of an answer.
type answer struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Status is what was answered: a handler that writes nothing has answered well.
func (a *answer) Status() int {
	if a.status == 0 {
		return http.StatusOK
	}
	return a.status
}

// Unwrap lets [http.ResponseController] flush.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
