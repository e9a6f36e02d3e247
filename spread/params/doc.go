// Package params lists what can be configured in an artifact.
//
// What comes in: the package of the artifact. What goes out: each field of its config ([Param])
// with its type in words and as a JSON schema, its default, who supplies that, and whether a
// deployment has to give the field. In
//
//	config: parameter: {
//		title: string
//		port:  *8080 | uint16
//	}
//
// title is required and port is not. Whether a field is required does not follow from its type
// alone, since it may be made of other fields: package check tries what the artifact asks for.
package params
