package compiler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kumiki.dev/diag"
	"kumiki.dev/load"
	"kumiki.dev/spread"
)

// OutOfMemory is the cause with which a context ends where a process needs more
// memory than it may: see [context.WithCancelCause].
type OutOfMemory struct {
	// Limit is how much it may need, in bytes.
	Limit int64
}

// Error implements error.
func (e OutOfMemory) Error() string {
	return fmt.Sprintf("given up at %s of memory, half of what it may take, as one more step can take the other half", bytesText(e.Limit/2))
}

// bytesText is a number of bytes for people.
func bytesText(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

type progressKey struct{}

// WithProgress returns a context whose runs tell p what they evaluate.
func WithProgress(ctx context.Context, p *spread.Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

func progress(ctx context.Context) *spread.Progress {
	p, _ := ctx.Value(progressKey{}).(*spread.Progress)
	return p
}

// Begin tells who watches a context that the next of something is begun: 3 of 12
// "directories".
func Begin(ctx context.Context, at, of int, what string) { progress(ctx).Begin(at, of, what) }

type textsKey struct{}

// WithTexts returns a context whose runs tell of the texts in sources, and of those in
// what is made of them, unless their inputs have somebody else who is told.
func WithTexts(ctx context.Context, texts load.Texts) context.Context {
	return context.WithValue(ctx, textsKey{}, texts)
}

// TextsOf is who is told of texts in a context; nil for nobody.
func TextsOf(ctx context.Context) load.Texts {
	texts, _ := ctx.Value(textsKey{}).(load.Texts)
	return texts
}

func toldTexts(ctx context.Context, own load.Texts) load.Texts {
	if own != nil {
		return own
	}
	return TextsOf(ctx)
}

// givenUp is the problem of a run whose context has ended.
func givenUp(ctx context.Context, limit time.Duration) *diag.Diagnostic {
	short := OutOfMemory{}
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &short):
		return Exhausted(short, progress(ctx))
	case errors.Is(cause, context.DeadlineExceeded) && limit > 0:
		during, pos := evaluating(progress(ctx))
		return diag.New(diag.Cancelled, pos, "given up after %v%s; allow more with --timeout, or look there for what takes so long", limit, during)
	default:
		return diag.New(diag.Cancelled, diag.NoPos, "cancelled: %v", cause)
	}
}

// Exhausted is the problem of something that needs too much memory.
func Exhausted(e OutOfMemory, p *spread.Progress) *diag.Diagnostic {
	during, pos := evaluating(p)
	return diag.New(diag.Memory, pos, "%v%s; allow more with --memory, or look there for what grows", e, during)
}

// evaluating says what was going on, and where.
func evaluating(p *spread.Progress) (during string, pos diag.Pos) {
	what, pos := p.At()
	if what == "" {
		return ", while sources were read", pos
	}
	return ", while CUE evaluated " + what, pos
}
