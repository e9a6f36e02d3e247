// Package spread pushes a deployment's configuration down the roles of its
// artifact, recursively, keeping every value's position and origin.
//
// What comes in: packages as the loader parsed them ([Package]), the first of
// which has a #Deployment. [Base] finishes the deployment's own level, [Run]
// spreads it. What goes out: a [Tree] in which every config and description is
// plain, finished [Data]. What cannot happen after it: a value that is not
// known, a default that is not chosen, a reference.
//
// A level is finished before the next one sees it. In
//
//	// service
//	config: parameter: port: *9090 | uint16
//	role: web: {
//		artifact: component.#Artifact
//		config: parameter: port: description.config.parameter.port
//	}
//	// component
//	config: parameter: port: *8080 | uint16
//
// a deployment that says nothing of the port gives the service 9090, by its
// default, and the component 9090 as well: as a given value, which beats the
// component's own default. Plain unification would leave two defaults that
// contradict each other.
//
// Each artifact package is evaluated once, with stubs for the artifacts of its
// roles (see [Evaluator]). Where its sources show what depends on its config,
// configurations are put in their places by Go; elsewhere the artifact is filled
// again for each. Equal configurations of one artifact are filled once.
//
// A package that says the same in a form for which there is no stub, such as an artifact that is written
// out in a role, is rewritten first, by [kumiki.dev/spread/rewrite].
//
// What CUE finds wrong is told in the words of [kumiki.dev/spread/wording].
package spread
