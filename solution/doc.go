// Package solution holds the plain types of a solution and the extractor that
// flattens the tree of a spread into deployments and links.
//
// What comes in: a [spread.Tree], in which everything is concrete. What goes
// out: a [Solution], in which every deployment is of a flat artifact (a service
// whose roles are components, or a builtin), every role that was a service is a
// deployment of its own below its parent, and every channel between the two is
// a link. What cannot happen after it: a connector or link that ends nowhere, a
// channel of the wrong side, two tops.
//
// The JSON is the one that Kumori's own tools write and read (cspec 1.0), with
// three keys of ours at the top: layout, inputs and digest. A solution is all
// that later stages need; the sources are not asked again.
package solution
