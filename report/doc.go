// Package report says what is wrong with a manifest, in the form that its
// reader wants: a person at a terminal or behind a pipe ([Text]), a program
// ([JSON]), or a service that shows problems beside the code ([SARIF],
// [GitHub]). It explains every code too ([Explain]).
//
// A problem comes in as a [diag.Diagnostic] and goes out with the place that it
// has in its file; which of the problems there are, and in which order, was
// settled before. All of this is text in, text out: nothing here reads files,
// knows a terminal, or ends the program.
package report
