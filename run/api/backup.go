package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"kumiki.dev/run/backup"
)

// getBackup writes all that is kept. It is no change and leaves no trace in the audit, so that a
// full store can be saved too.
func (s *Server) getBackup(ctx context.Context, _ *struct{}) (*huma.StreamResponse, error) {
	if err := s.Store.Ready(ctx); err != nil {
		return nil, answer(err)
	}
	me := who(ctx)
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", "application/gzip")
		ctx.SetHeader("Cache-Control", "no-store")
		ctx.SetStatus(http.StatusOK)
		end, err := backup.Write(ctx.Context(), s.Store, ctx.BodyWriter())
		if err != nil {
			s.Log.Error("a backup is cut off", "by", me.Name, "error", err)
			panic(http.ErrAbortHandler) // who reads is to see that it is not whole
		}
		s.Log.Info("backup", "by", me.Name, "records", end.Records, "contents", end.Contents, "missing", len(end.Missing))
	}}, nil
}
