package diag

// The codes of the spread.
const (
	// CUE is an error of CUE's own that the model has no better words for; it
	// is passed on unchanged.
	CUE Code = "cue"
	// NoArtifact: a deployment does not say what to deploy.
	NoArtifact Code = "spread/no-artifact"
	// RoleWithoutArtifact: a role is configured but no artifact fills it.
	RoleWithoutArtifact Code = "spread/role-without-artifact"
	// Undeclared: config has a field that the artifact does not declare.
	Undeclared Code = "spread/undeclared-field"
	// Missing: a field that the artifact needs is given by nobody and has no
	// default.
	Missing Code = "spread/missing-field"
	// Conflict: a config value contradicts what the artifact declares, or
	// another value for the same field.
	Conflict Code = "spread/conflict"
	// NotData: config holds something that JSON cannot.
	NotData Code = "spread/not-data"
	// RoleNotConcrete: a service leaves the config of a role open although its
	// own config is known.
	RoleNotConcrete Code = "spread/role-not-concrete"
	// Hole: an artifact is not concrete although its config is.
	Hole Code = "spread/artifact-not-concrete"
	// DeploymentNotConcrete: the deployment itself is not concrete data.
	DeploymentNotConcrete Code = "spread/deployment-not-concrete"
	// UnknownField: an artifact or deployment has a field that the model does not.
	UnknownField Code = "spread/unknown-field"
	// UnknownReference: a reference leads to a field that is not there.
	UnknownReference Code = "spread/unknown-reference"
	// OwnConfig: a role refers to its own config where the service's is meant.
	OwnConfig Code = "spread/own-config"
	// Cycle: values refer to each other in a circle.
	Cycle Code = "spread/cycle"
	// ResourceInArtifact: an artifact names a registered resource, which only a
	// deployment may.
	ResourceInArtifact Code = "spread/resource-in-artifact"
	// ResourceDefault: an artifact gives a default for a resource.
	ResourceDefault Code = "spread/resource-default"
	// OptionalField: a deployment marks a field as optional, which is then no part of
	// its config.
	OptionalField Code = "spread/optional-field"
	// TooDeep: roles are nested beyond any sensible depth.
	TooDeep Code = "spread/too-deep"
	// Internal: kumiki itself is at fault.
	Internal Code = "internal"
)

// The codes of the command line's values.
const (
	// BadValues: a values file cannot be read or has another shape than a
	// deployment.
	BadValues Code = "values/bad-file"
	// BadSet: a --set is not PATH=VALUE.
	BadSet Code = "values/bad-set"
)

// The codes of what came to no end.
const (
	// Cancelled: the caller gave up before the end.
	Cancelled Code = "cancelled"
	// Memory: the evaluation needs more memory than it may take.
	Memory Code = "memory"
)
