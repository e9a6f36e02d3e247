package diag

// The codes of policies.
const (
	// PolicyBroken: a solution, or an object made of it, breaks a rule of its environment.
	PolicyBroken Code = "policy/broken"
	// PolicyEmpty: a policy asks nothing of anything.
	PolicyEmpty Code = "policy/empty"
	// PolicyNotConcrete: what a policy says of itself is not plain data.
	PolicyNotConcrete Code = "policy/not-concrete"
	// PolicySelector: a policy's environments are no selector of labels.
	PolicySelector Code = "policy/selector"
)
