// Package lsp is kumiki's language server: what the compiler knows of a
// deployment, in the editor, while it is being written.
//
// The server proper keeps the buffers of the editor, finds the deployments of
// the workspace, and knows which of them an edit concerns. It evaluates nothing
// itself: CUE can't be interrupted, and never gives memory back. A [Worker], a
// child process of the same binary, compiles one deployment at a time, with the
// unsaved buffers laid over the disk, and answers with plain data: the problems
// and what is to be shown beside them. It remembers what it has worked out of
// sources that are as they were (load.Memory). A worker that takes too long,
// or too much memory, or that works on what has been edited since, is ended and
// replaced.
//
// What needs no evaluation is passed on to CUE's own language server, another
// child, without which the session goes on. Modules and dependencies that only
// kumiki understands it sees through views: other import paths, other places
// (a mirror). What CUE knows nothing of, the names by which the model joins
// artifacts (symbols), is read from the sources of the workspace, without
// evaluating anything, and joined with CUE's answers.
//
// What is shown while a file is broken is the last result that was whole.
package lsp
