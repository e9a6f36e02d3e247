// Package live makes what runs be what is wanted: it carries out what [engine.Decide] says,
// through a [Target].
//
// A [Record] of what was made is kept where it runs: the inventory. It is written before
// anything else is, with what is about to be made, and after, with what was: whoever is
// killed between the two leaves nothing that nobody knows of.
//
// Objects come from a solution and go through a [Run]: [Run.Prepare] looks at what is there,
// decides, and lets the target try all that differs, without writing anything; [Run.Carry]
// writes; [Run.Await] waits until all is healthy; [Run.Finish] removes what is not desired
// any more.
package live
