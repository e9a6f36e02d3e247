// Package wording says in the reader's words what CUE finds wrong, and what a value takes.
//
// What comes in: errors and values of CUE's, with the value that they are about, the files of a
// package and plain data as it was given. What goes out: diagnostics ([Translate]), each with the
// place that the reader can edit, what was found, what is expected and what to write, and parts of
// such messages ([Of], [Path], [Example]). What cannot happen in it: that it evaluates a package,
// or looks anything up in the program. Who knows the program, [kumiki.dev/spread], adds what
// follows from that, such as which import was meant.
//
// Of a component that has
//
//	code: api: env: LOG_LEVEL: value: "debug"
//
// CUE says that the field env is not allowed. The message made of that says that env is not a
// field of description.code.api, and how the environment of a container is written.
//
// What depends on how CUE words an error is in cue.go.
package wording
