// Package guards reads in the sources of an artifact which parts of it depend on
// its config, and how.
//
// What comes in: parsed files. What goes out: the conditions in them ([Guard]),
// the fields of config that an expression depends on ([Sources.Reads]), and the
// values for which a condition is likely to change ([Hints]). In
//
//	let big = config.parameter.size
//	if big > 5 {
//		code: api: image: tag: "big"
//	}
//
// the guard depends on parameter.size, and 4, 5 and 6 are worth trying.
//
// Nothing is evaluated: a field too many or too few may be named. Who asks has to
// look at what CUE makes of a value before anything is said about it.
package guards
