package spread

import "cuelang.org/go/cue"

// exprOf is [cue.Value.Expr] for every value. CUE (v0.17.1) panics at some that are wrong, such as a slice
// out of a list's range: these have no parts here.
func exprOf(v cue.Value) (op cue.Op, args []cue.Value) {
	defer func() {
		if recover() != nil {
			op, args = cue.NoOp, []cue.Value{v}
		}
	}()
	return v.Expr()
}

// dereference is [cue.Dereference] for every value: CUE (v0.17.1) panics at those that it has not
// evaluated because something around them is wrong.
func dereference(v cue.Value) (to cue.Value) {
	defer func() {
		if recover() != nil {
			to = v
		}
	}()
	return cue.Dereference(v)
}
