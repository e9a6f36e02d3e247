package diag

// The codes of what runs.
const (
	// LiveRefused: the cluster does not take an object.
	LiveRefused Code = "live/refused"
	// LiveForeign: an object is there already and is somebody else's.
	LiveForeign Code = "live/foreign"
	// LiveUnhealthy: what was applied does not run as it should.
	LiveUnhealthy Code = "live/unhealthy"
	// LiveBlocked: an object is to be removed and does not go.
	LiveBlocked Code = "live/blocked"
	// LiveTarget: a command or a flag is not for a target.
	LiveTarget Code = "live/target"
	// LiveUntried: what a target would refuse is known only when it is written.
	LiveUntried Code = "live/untried"
	// LostByCluster: a field that the cluster has dropped.
	LostByCluster Code = "lost/by-cluster"
)
