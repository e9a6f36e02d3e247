// Package check looks at an artifact without a deployment.
//
// What comes in: the package of the artifact, as the loader parsed it. What goes out: what is
// wrong with it whatever a deployment gives, or for some configs only ([Artifact]); what it
// asks of a deployment ([NeedsOf]); and which of its conditions some configs have made true and
// false ([Branches]).
//
// [Artifact] gives the artifact values for all that it asks for, which its types take, and
// spreads that ([spread.Trials]). Where the sources compare a field of the config with something
// (package guards reads this), the next configuration has another value for it. In
//
//	config: parameter: size: int
//	if config.parameter.size > 5 {
//		code: api: image: tag: string
//	}
//
// 6 is tried for size, and shows that the tag has no value. An artifact may refuse a
// configuration, by a type or by a contradiction: that is no mistake of the artifact, and
// another configuration is tried in its place. The number of configurations has a bound, so a
// mistake that needs several unlikely values at once may not be found.
package check
