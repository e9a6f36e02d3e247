package operate

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"kumiki.dev/run/record"
	"kumiki.dev/run/telemetry"
)

// begun begins the span of an operation, below that of the request that has asked for it.
func (w *work) begun(ctx context.Context) (context.Context, trace.Span) {
	ctx, span := telemetry.Begin(ctx, w.Tracer, w.op.Trace, "operation "+string(w.op.Verb),
		attribute.String("kumiki.operation.id", w.op.ID), attribute.String("kumiki.deployment.name", w.op.Deployment),
		attribute.String("kumiki.environment.name", w.where()), attribute.Int("kumiki.manifest.number", w.op.Manifest))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.span, w.since = ctx, w.op.Started // it has waited from then on
	if w.op.Phase != record.Waiting {
		w.since = time.Now() // it goes on where another has left it
	}
	return ctx, span
}

// enter tells of a phase that begins; mu is held.
func (w *work) enter(phase record.Phase) {
	if phase == w.op.Phase && w.in != nil {
		return // it is tried again
	}
	w.left()
	_, w.in = telemetry.Begin(w.span, w.Tracer, "", string(phase))
	w.Log.Info("operation phase", append(w.names(), "phase", phase)...)
}

// leave ends the span of the phase.
func (w *work) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left()
}

// left measures the phase that ends; mu is held.
func (w *work) left() {
	if w.span != nil && w.op.Phase != record.Ended { // else it has not begun, or has ended
		w.Metrics.Phase(string(w.op.Phase), time.Since(w.since))
	}
	w.since = time.Now()
	if w.in != nil {
		w.in.End()
		w.in = nil
	}
}

// told tells of the end of an operation, which may not have begun.
func (w *work) told(code string, took time.Duration) {
	w.Metrics.Ended(string(w.op.Verb), code)
	line := append(w.names(), "duration", took.Round(time.Millisecond).String())
	if code != "" {
		line = append(line, "error.type", code)
	}
	w.Log.Info("operation ended", line...)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.span != nil {
		telemetry.Fail(trace.SpanFromContext(w.span), code)
	}
}

// names are what a line of the log says an operation to be.
func (w *work) names() []any {
	line := []any{"operation", w.op.ID, "deployment", w.op.Deployment, "environment", w.where(), "verb", w.op.Verb, "manifest", w.op.Manifest}
	if s := trace.SpanContextFromContext(w.span); w.span != nil && s.IsSampled() {
		line = append(line, "trace_id", s.TraceID().String())
	}
	return line
}
