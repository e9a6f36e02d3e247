// Package history keeps the solutions that a deployment has had, in a directory
// that can be kept in Git:
//
//	solutions/shop/637837bb….json   # a solution, named by its digest
//	solutions/shop/log              # what has been current, one JSON object a line
//	solutions/shop/current          # how many lines of the log count, and the last
//
// In come solutions, out come [Entry]s in the order in which they were saved.
// The file current decides: it is replaced last, by a rename, after everything
// that it leads to is on the disk. Whoever is killed while saving leaves either
// the old history or the new one, and files that nothing leads to; the next to
// save uses them or writes over them. A lock keeps writers apart, and goes with
// the process that has it. Readers need none.
package history
