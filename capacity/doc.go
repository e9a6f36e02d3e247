// Package capacity says whether nodes have room for instances, before anything is applied.
//
// In comes a [Site], which is nodes with what runs there, and [Demand]s, which are instances
// to be placed, each with what it asks for and where it may run. Out comes a [Report]: how
// many instances have room, why the others have none, and how many more nodes would do.
// The package knows no orchestrator and asks no cluster; targets make its input.
//
// An orchestrator places one instance after the other, in an order and by a taste that
// nobody knows beforehand. So there are three answers. Room is certain where no order can
// use it up ([Fits]). Otherwise instances are placed first-fit decreasing: the largest
// first, each on the first node that takes it. If all find a place, the room is there, and
// a worse order may miss it ([MayFit]). If not, it [Lacks].
package capacity
