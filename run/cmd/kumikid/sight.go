package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/run/telemetry"
)

// sightOptions say what is told to those who run the server.
type sightOptions struct {
	format, level string
	verbose       bool
	otlp          string
}

func (o *sightOptions) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.format, "log-format", "text", "`text` or json")
	flags.StringVar(&o.level, "log-level", "info", "`debug`, info, warn or error")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "the same as --log-level debug")
	flags.StringVar(&o.otlp, "otlp-endpoint", "", "`URL` of a receiver of traces, by OTLP over HTTP, such as http://127.0.0.1:4318; none is sent without")
}

// sight is what tells of a server.
type sight struct {
	telemetry.Requests
	flush func(context.Context) error
}

func (o *sightOptions) open(ctx context.Context, errs io.Writer, id string) (*sight, error) {
	if o.verbose {
		o.level = "debug"
	}
	log, err := telemetry.NewLog(errs, o.format, o.level)
	if err != nil {
		return nil, wrongUsage("%w", err)
	}
	tracer, flush, err := telemetry.NewTracer(ctx, log, o.otlp, id, built())
	if err != nil {
		return nil, wrongUsage("%w", err)
	}
	return &sight{telemetry.Requests{Log: log, Metrics: telemetry.NewMetrics(), Tracer: tracer}, flush}, nil
}

// close sends what was not sent yet.
func (s *sight) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = s.flush(ctx) // who receives it may be away: the log has said so
}
