// Package reference spreads a deployment by plain CUE. It is what kumiki is
// compared with, so it is as simple as docs/model.md reads, takes all the time
// that it needs, and shares no code with what it judges: of kumiki it knows the
// schema's files alone.
//
// A level is one more file in the package of its artifact, which says what the
// artifact is given:
//
//	level: #Artifact
//	level: description: config: {"parameter": {"port": 80}}
//
// An artifact that a service refines, or writes out, has no package of its own. Its
// level is a further line in that of the service:
//
//	level: description: role: web: artifact: description: config: {…}
//
// [Spread] begins with level: #Deployment. What CUE refuses of a level is refused;
// what it makes of it is taken as data, and the config of each role is what the
// next level is given. Kumiki's own rules, of which CUE knows nothing, are checked
// on the data, in the files called rules.
package reference
