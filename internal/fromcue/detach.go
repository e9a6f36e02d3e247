package fromcue

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"
)

// Detached is an error of CUE's with the same messages, paths and positions, nil for nil. CUE's own
// keep all that was evaluated with them: a megabyte for each role that is wrong.
func Detached(err error) error {
	var out errors.Error
	for _, e := range errors.Errors(err) {
		format, args := e.Msg()
		out = errors.Append(out, &detached{
			position: e.Position(), inputs: slices.Clone(e.InputPositions()), path: slices.Clone(e.Path()),
			text: e.Error(), message: fmt.Sprintf(format, args...),
		})
	}
	if out == nil {
		return nil
	}
	return out
}

// detached implements [errors.Error].
type detached struct {
	position      token.Pos
	inputs        []token.Pos
	path          []string
	text, message string
}

func (d *detached) Position() token.Pos         { return d.position }
func (d *detached) InputPositions() []token.Pos { return d.inputs }
func (d *detached) Path() []string              { return d.path }
func (d *detached) Error() string               { return d.text }
func (d *detached) Msg() (string, []any)        { return "%s", []any{d.message} }
