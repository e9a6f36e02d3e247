// Package differential compares kumiki with plain CUE. Package generate makes up
// applications, package reference says what CUE makes of them, and [Run] looks for
// the first difference. The tests do so with seeds that stay the same; the command
// sweep tries fresh ones. A case on which they differ is made smaller by [Minimize].
package differential
