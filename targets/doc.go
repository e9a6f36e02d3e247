// Package targets is what all targets have in common: the names and labels of
// objects, quantities, and what a solution asks of a role in their words. Each
// target is a package below, a function from a solution to objects and losses;
// none imports another.
package targets
