package diag

// The codes of references between deployments.
const (
	// NoReferent: a value is taken from a deployment or field that is not known.
	NoReferent Code = "reference/unknown"
	// NoParent: a deployment hangs (up) from one that is not known.
	NoParent Code = "reference/no-parent"
	// BadLink: a link to another solution, or whom a deployment accepts, does not say what it is to
	// say, or is none between two solutions.
	BadLink Code = "reference/bad-link"
	// NotAccepted: a link leads to a channel that is not open to the client.
	NotAccepted Code = "reference/not-accepted"
	// UnknownClient: a link comes from a deployment that is not known.
	UnknownClient Code = "reference/unknown-client"
	// ReferenceCycle: deployments take values from each other in a circle.
	ReferenceCycle Code = "reference/cycle"
)
