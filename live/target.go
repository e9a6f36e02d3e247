package live

import (
	"context"
	"errors"

	"kumiki.dev/engine"
)

// Target is an environment in which objects run.
type Target interface {
	// Record reads the record of a solution; an empty one if there is none.
	Record(ctx context.Context, solution string) (*Record, error)
	// Records reads those of all solutions.
	Records(ctx context.Context) ([]*Record, error)
	// Save writes a record. The error is [ErrContest] if somebody else has since it was read.
	Save(ctx context.Context, r *Record) error
	// Forget removes a record.
	Forget(ctx context.Context, r *Record) error
	// Observe looks at the objects of a solution: those that are desired or made, and
	// others of the same kinds with its name in them.
	Observe(ctx context.Context, solution string, desired []engine.Object, made []engine.Made) ([]engine.Seen, error)
	// Try asks what would come of an action, without doing it.
	Try(ctx context.Context, a engine.Action) (Verdict, error)
	// Give carries out an action other than [engine.Remove], and returns what the target
	// has made of the object.
	Give(ctx context.Context, a engine.Action) (map[string]any, error)
	// Remove asks for the removal of an object, and does not wait for it. One that is not
	// there is no error.
	Remove(ctx context.Context, about engine.About) error
	// Watch calls changed with each object of a solution that changes, and with its ID alone
	// (Value is nil) when it goes, until the context ends or changed returns false. What was
	// changed before it begins is not missed. It ends with an error when it has to be begun
	// anew after another look.
	Watch(ctx context.Context, solution string, objects []engine.About, changed func(engine.Seen) bool) error
	// Reasons says in words why the instances of a place are not well, "" if nothing is
	// known.
	Reasons(ctx context.Context, solution string, place engine.Place) (string, error)
	// Reveal fills in what is known of differences: who has made them.
	Reveal(seen engine.Seen, differences []engine.Difference)
}

// Verdict is what a target says of an action that was tried: the zero value is that it
// would succeed.
type Verdict struct {
	// Refused is why it would not.
	Refused string
	// Field is the path of the field that is refused, "" where none is named.
	Field string
	// Foreign is who has made the object that is there and has not the solution's name in
	// it, "" if there is none.
	Foreign string
	// Fixed tells that the object that is there cannot become what it should.
	Fixed bool
	// Would is the object that there would be, nil where that is not known.
	Would map[string]any
}

// Missing is an error that says in words what is not there of what was named: the system is well.
type Missing string

func (m Missing) Error() string { return string(m) }

// ErrAgain says that a survey has to be begun anew, as now and then.
var ErrAgain = errors.New("it has to be looked at anew")

// ErrContest says that somebody else has written a record since it was read.
var ErrContest = errors.New("somebody else is changing it at the same time: look at it and try again")
