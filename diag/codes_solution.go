package diag

// The codes of the extraction of a solution.
const (
	// UnknownRole: a connector, version set or scale names a role that the
	// service does not have.
	UnknownRole Code = "solution/unknown-role"
	// UnknownChannel: a connector names a channel that its role does not have.
	UnknownChannel Code = "solution/unknown-channel"
	// WrongSide: a connector goes from a server channel, or to a client channel.
	WrongSide Code = "solution/wrong-side"
	// EmptyConnector: a connector lacks one of its ends.
	EmptyConnector Code = "solution/empty-connector"
	// WrongProtocol: a connector joins udp with something else.
	WrongProtocol Code = "solution/wrong-protocol"
	// SecretInEnv: the value of a secret is written into an artifact.
	SecretInEnv Code = "solution/secret-in-env"
	// SamePath: two entries of a filesystem are for the same path.
	SamePath Code = "solution/same-path"
	// ConnectedTwice: two connectors start from the same channel.
	ConnectedTwice Code = "solution/connected-twice"
	// Unconnected: a client channel of a role leads nowhere.
	Unconnected Code = "solution/unconnected-channel"
	// MissingHsize: nobody says how many instances of a role run.
	MissingHsize Code = "solution/missing-hsize"
	// UnreadQos: the load that an artifact has to bear is given, and nothing in the
	// artifact reads it.
	UnreadQos Code = "solution/unread-qos"
	// UnknownKey: a mapping names a parameter or resource that config lacks.
	UnknownKey Code = "solution/unknown-key"
	// WrongKind: a mapping uses a resource of another kind than it names.
	WrongKind Code = "solution/wrong-kind"
	// EnvForm: an environment variable has no value, or several.
	EnvForm Code = "solution/env-form"
	// FileForm: a path has neither data nor a volume, or both, or data that does
	// not fit its format.
	FileForm Code = "solution/file-form"
	// ProbeForm: a health check names no way to ask, or several.
	ProbeForm Code = "solution/probe-form"
	// UnknownContainer: a probe is for a container that the component lacks.
	UnknownContainer Code = "solution/unknown-container"
	// ContainerName: a container is called otherwise than its key.
	ContainerName Code = "solution/container-name"
	// NoContainer: a component has no container.
	NoContainer Code = "solution/no-container"
	// NoSize: a component does not say what bandwidth it needs.
	NoSize Code = "solution/no-size"
	// Size: a minimum is larger than the size that it is a part of.
	Size Code = "solution/size"
	// UpCycle: a deployment names itself, or what belongs to it, as the one that it
	// belongs to.
	UpCycle Code = "solution/up-cycle"
	// BadResource: a resource has a shape that the model does not know.
	BadResource Code = "solution/bad-resource"
	// Shape: a part of an artifact does not have the model's shape.
	Shape Code = "solution/shape"
	// BadSolution: a solution file cannot be read.
	BadSolution Code = "solution/bad-file"
	// Invariant: a solution file contradicts itself.
	Invariant Code = "solution/invariant"
)
