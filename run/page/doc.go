// Package page is the manager's page: HTML of templates and a little script, both in the
// binary.
//
// It knows the manager by its HTTP interface alone, which it asks in the same process with the
// token of who looks: what that may not see or do is refused there, and the page only leaves
// out the buttons. A form that changes something is answered with the plan first; what is sent
// with that again is carried out.
package page
