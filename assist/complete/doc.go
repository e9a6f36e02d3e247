// Package complete finds what can come next in a command line: directories with
// deployments and artifacts, paths of values, saved solutions, modules.
//
// What comes in: the word as far as it is typed. What goes out: the words that it may
// become. What cannot happen: an error, a request to a registry, or a search that takes
// long: whoever presses a key gets what is known at once, which may be nothing.
package complete
