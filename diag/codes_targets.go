package diag

// The codes of losses: what a solution says and a target cannot carry. They are
// warnings; --strict makes them errors. The targets share them, so that they
// can be compared.
const (
	// LostQos: the load that a role has to bear (scale.qos).
	LostQos Code = "lost/qos"
	// LostBandwidth: the bandwidth that is guaranteed to an instance.
	LostBandwidth Code = "lost/bandwidth"
	// LostProfile: what a component's profile says about its load.
	LostProfile Code = "lost/profile"
	// LostProbe: a health check that the target has no way to make.
	LostProbe Code = "lost/probe"
	// LostInbound: something that an inbound asks for.
	LostInbound Code = "lost/inbound"
	// LostAutoscaling: that the number of instances follows the load.
	LostAutoscaling Code = "lost/autoscaling"
	// LostResilience: the number of failures that a role has to survive.
	LostResilience Code = "lost/resilience"
	// LostPlacement: where instances have to run.
	LostPlacement Code = "lost/placement"
	// LostPolicy: that only connected roles can reach each other.
	LostPolicy Code = "lost/policy"
	// LostVolume: something that a volume asks for.
	LostVolume Code = "lost/volume"
	// LostFile: something that a file asks for.
	LostFile Code = "lost/file"
	// LostUser: that a container runs without the rights of root.
	LostUser Code = "lost/user"
	// LostChannel: a channel or one of its names.
	LostChannel Code = "lost/channel"
	// LostCredentials: the credentials of an image's registry.
	LostCredentials Code = "lost/credentials"
	// LostEgress: a host that is named, which nothing lets instances reach.
	LostEgress Code = "lost/egress"
	// LostMeta: a hint in a role's meta.
	LostMeta Code = "lost/meta"
	// LostObjects: objects of Kubernetes' that go with the deployment.
	LostObjects Code = "lost/objects"
	// LostContainers: that the containers of a component run as one.
	LostContainers Code = "lost/containers"
	// LostEnv: an environment variable whose value is registered in the cluster.
	LostEnv Code = "lost/env"
)

// The codes of what a target cannot make at all.
const (
	// OddName: a name that objects cannot have, and have another one for.
	OddName Code = "target/odd-name"
	// SharedVolume: several roles mount a registered volume that nobody says they share.
	SharedVolume Code = "target/shared-volume"
	// TargetName: two things would have the same name, or one that is too long.
	TargetName Code = "target/name"
	// TargetFile: a file is too large, or lies where the target cannot put it.
	TargetFile Code = "target/file"
	// TargetSize: an amount is no quantity of the target's.
	TargetSize Code = "target/size"
	// TargetBuiltin: a builtin that the target does not serve.
	TargetBuiltin Code = "target/builtin"
	// TargetObject: an object that goes with the deployment is none that the target takes.
	TargetObject Code = "target/object"
	// TargetBroken: the objects do not fit together; it is a mistake of kumiki's.
	TargetBroken Code = "target/broken"
)
