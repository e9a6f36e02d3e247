// Package telemetry tells what a server does, to those who run it: logs, metrics and traces.
// Their names are those of OpenTelemetry's conventions where there are any.
//
// None of them has values of deployments, what is sent, headers, or what stands behind the ? of
// a URL: secrets may be there.
package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// NewLog returns a log in a format, text or json, of what is at least at a level.
func NewLog(out io.Writer, format, level string) (*slog.Logger, error) {
	o := &slog.HandlerOptions{}
	switch level {
	case "debug":
		o.Level = slog.LevelDebug
	case "info", "":
		o.Level = slog.LevelInfo
	case "warn":
		o.Level = slog.LevelWarn
	case "error":
		o.Level = slog.LevelError
	default:
		return nil, fmt.Errorf("--log-level %s: there are debug, info, warn and error", level)
	}
	switch format {
	case "text", "":
		return slog.New(slog.NewTextHandler(out, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, o)), nil
	}
	return nil, fmt.Errorf("--log-format %s: there are text and json", format)
}

// seenKey is that of [Seen], in a context.
type seenKey struct{}

// Seen is what is learnt of a request while it is answered.
type Seen struct {
	// User is who asks, Code what was wrong.
	User, Code string
	// Address is from where.
	Address string
}

// Of is what is known of the request that a context is of. It is never nil, and may be written
// by the goroutine that answers.
func Of(ctx context.Context) *Seen {
	if s, ok := ctx.Value(seenKey{}).(*Seen); ok {
		return s
	}
	return &Seen{}
}

// routeOf is the pattern that a request was answered by, without its method; "" for none.
func routeOf(pattern string) string {
	_, route, ok := strings.Cut(pattern, " ")
	if !ok {
		return pattern
	}
	return route
}
