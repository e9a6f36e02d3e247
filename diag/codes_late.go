package diag

// The codes of values that are not known when a deployment is compiled.
const (
	// LateUsed: an artifact does more with such a value than pass it on.
	LateUsed Code = "late/used"
	// LateType: the type of such a value cannot be told, or the value is not of it.
	LateType Code = "late/type"
	// LateUnfilled: such a value is needed now, and is not there.
	LateUnfilled Code = "late/unfilled"
)
