package api

import (
	"errors"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"kumiki.dev/run/compile"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Fault is an answer that something is wrong, as RFC 9457 has it.
type Fault struct {
	Type   string `json:"type" doc:"Where the code is explained."`
	Title  string `json:"title" doc:"The status in words."`
	Status int    `json:"status"`
	Detail string `json:"detail" doc:"What is wrong, and what to do."`
	Code   string `json:"code" doc:"What is wrong, for programs: it never changes."`
	// Problems are those of an input, with their positions.
	Problems []record.Problem `json:"problems,omitempty" doc:"The problems of what was sent, with their places."`
}

// Error implements error.
func (p *Fault) Error() string { return p.Detail }

// GetStatus implements [huma.StatusError].
func (p *Fault) GetStatus() int { return p.Status }

// ContentType is that of RFC 9457.
func (p *Fault) ContentType(string) string { return "application/problem+json" }

const docs = "https://kumiki.dev/docs/manager#"

func problem(status int, code, detail string, problems ...record.Problem) *Fault {
	return &Fault{Type: docs + code, Title: http.StatusText(status), Status: status, Code: code, Detail: detail, Problems: problems}
}

// ours makes the problems that huma finds itself ours.
var ours = sync.OnceFunc(func() {
	huma.NewError = func(status int, detail string, errs ...error) huma.StatusError {
		code := "manager/request"
		switch {
		case status >= http.StatusInternalServerError:
			code = "manager/internal"
		case status == http.StatusRequestEntityTooLarge:
			code = "manager/too-large"
		}
		p := problem(status, code, detail)
		for _, err := range errs {
			one := record.Problem{Code: code, Severity: "error", Message: err.Error()}
			var d huma.ErrorDetailer
			if errors.As(err, &d) {
				one.Message, one.File = d.ErrorDetail().Message, d.ErrorDetail().Location
			}
			p.Problems = append(p.Problems, one)
		}
		return p
	}
})

// answer is the problem that an error is.
func answer(err error) error {
	var p *Fault
	switch {
	case err == nil, errors.As(err, &p):
		return err
	case errors.Is(err, store.ErrNotFound):
		return problem(http.StatusNotFound, "manager/not-found", err.Error())
	case errors.Is(err, store.ErrFull):
		return problem(http.StatusInsufficientStorage, "manager/full", err.Error())
	case errors.Is(err, store.ErrTooLarge):
		return problem(http.StatusRequestEntityTooLarge, "manager/too-large", err.Error())
	case errors.Is(err, store.ErrCompacted), errors.Is(err, store.ErrFuture):
		return problem(http.StatusGone, "manager/compacted", err.Error())
	case errors.Is(err, store.ErrUnavailable):
		return problem(http.StatusServiceUnavailable, "manager/unavailable", err.Error())
	case errors.Is(err, store.ErrConflict):
		return problem(http.StatusConflict, "manager/conflict", err.Error())
	case errors.Is(err, compile.ErrLimit):
		return problem(http.StatusUnprocessableEntity, "manager/compiler", err.Error())
	}
	return problem(http.StatusInternalServerError, "manager/internal", err.Error())
}
