// Package engine decides what is to be done so that what runs becomes what is wanted.
//
// [Decide] is a function of four things: what is desired, what was made before, what is
// observed, and the time. It knows no target, does nothing, and remembers nothing: whoever
// carries out its actions can be killed at any moment, and asks again. What it keeps to,
// whatever is observed:
//
//   - asked again after its actions were carried out, it has none;
//   - in whatever order things happen, the end is the same;
//   - nothing is removed that was not made before, by what the record says;
//   - what was stopped stays stopped.
//
// Objects are plain data: maps, lists, texts, truth values, numbers and nil.
package engine
