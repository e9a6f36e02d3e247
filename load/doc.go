// Package load turns sources into a [Program]: the package that an [Input] names and
// everything that it imports, from native and kam-style modules, registries, locks,
// directories beside them and the modules that come with kumiki. It evaluates
// nothing. What files and flags give a deployment beside its manifest is read here
// too (see [Overlay]).
//
// After it every import leads to a package of the program or to one that is marked as
// missing, and every package with an #Artifact or #Deployment is unified with the
// model, whatever the style of its module.
package load
