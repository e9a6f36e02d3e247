package diag

// The codes of what speaks against a plan. Whoever means it can say so.
const (
	// PlanDataLoss: instances would lose data that outlives them.
	PlanDataLoss Code = "plan/data-loss"
	// PlanDangling: another solution names something that would go.
	PlanDangling Code = "plan/dangling"
)
