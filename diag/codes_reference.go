package diag

// The codes of references between deployments.
const (
	// NoReferent: a value is taken from a deployment or field that is not known.
	NoReferent Code = "reference/unknown"
	// ReferenceCycle: deployments take values from each other in a circle.
	ReferenceCycle Code = "reference/cycle"
)
