package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"os"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// scope names what makes the spans.
const scope = "kumiki.dev/run"

// NewTracer returns one that sends spans by OTLP over HTTP to a URL, or does nothing where that
// is "". Headers for who receives them are in the variable OTEL_EXPORTER_OTLP_HEADERS. The
// function sends what is left.
func NewTracer(ctx context.Context, log *slog.Logger, endpoint, instance, version string) (trace.Tracer, func(context.Context) error, error) {
	if endpoint == "" {
		return noop.NewTracerProvider().Tracer(scope), func(context.Context) error { return nil }, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, nil, errors.New("--otlp-endpoint takes the URL of a receiver of OTLP over HTTP, such as http://127.0.0.1:4318")
	}
	// The library has one place for what goes wrong in the background.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces are not sent", "error", brief(err)) }))
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(u.JoinPath("v1", "traces").String()))
	if err != nil {
		return nil, nil, err
	}
	host, _ := os.Hostname()
	p := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(resource.NewSchemaless(
		attribute.String("service.name", "kumikid"), attribute.String("service.version", version), attribute.String("service.instance.id", instance), attribute.String("host.name", host))))
	return p.Tracer(scope), p.Shutdown, nil
}

// brief leaves out what a receiver has answered, which may be a whole page.
func brief(err error) string {
	text := err.Error()
	return text[:min(300, len(text))]
}

// w3c is how a span is named across processes.
var w3c = propagation.TraceContext{}

// Parent is the name of the span of a context, as the header traceparent has it; "" for none
// that is kept.
func Parent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	w3c.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// Begin begins a span below the one that [Parent] has named, or one of its own for "".
func Begin(ctx context.Context, by trace.Tracer, parent, name string, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if by == nil {
		return ctx, trace.SpanFromContext(ctx)
	}
	if parent != "" {
		ctx = w3c.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
	}
	return by.Start(ctx, name, trace.WithAttributes(attributes...))
}

// Fail marks a span as one of something that went wrong, by its code; "" is for what is well.
func Fail(span trace.Span, code string) {
	if code != "" {
		span.SetStatus(codes.Error, code)
		span.SetAttributes(attribute.String("error.type", code))
	}
}
