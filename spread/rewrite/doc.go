// Package rewrite brings packages into the form that a spread understands: every role's artifact is
// that of a package, fields are written one by one, and nothing refers into an artifact.
//
// What comes in: a package that says something in another way. What goes out: a copy of it that has the
// same values, or nil where there is nothing to do; [kumiki.dev/spread/source.Made] tells what the copy was
// made of. [Roles] takes a package whose artifact has roles, [Deployed] that of a deployment, and [Decided]
// that of a service whose config is known.
//
// CUE evaluates nothing here: for a value of an artifact there is a [Leaf], which the spread hands in.
package rewrite
