package solution

import "encoding/json"

// Container is one container of a component.
type Container struct {
	Cmd        []string      `json:"cmd,omitempty"`
	Entrypoint []string      `json:"entrypoint,omitempty"`
	Image      Image         `json:"image"`
	Mapping    Mapping       `json:"mapping"`
	Name       string        `json:"name"`
	Size       ContainerSize `json:"size"`
	User       *User         `json:"user,omitempty"`
}

// Image is a container image.
type Image struct {
	Digest string `json:"digest,omitempty"`
	Hub    Hub    `json:"hub"`
	Tag    string `json:"tag"`
}

// Hub is a registry; Secret is the key of its credentials in the config.
type Hub struct {
	Name   string `json:"name"`
	Secret string `json:"secret"`
}

// User is whom a container runs as.
type User struct {
	GroupID int64 `json:"groupid"`
	UserID  int64 `json:"userid"`
}

// Mapping is how config reaches a container.
type Mapping struct {
	Env        map[string]*Env  `json:"env"`
	Filesystem map[string]*File `json:"filesystem"`
}

// Env is an environment variable: one of its fields. What was a parameter in
// the artifact is a value here.
type Env struct {
	Value       *string `json:"value,omitempty"`
	Secret      string  `json:"secret,omitempty"`
	Domain      string  `json:"domain,omitempty"`
	Port        string  `json:"port,omitempty"`
	Certificate string  `json:"certificate,omitempty"`
	CA          string  `json:"ca,omitempty"`
}

// File is a file (Data) or a mounted volume (Volume, a key in the config).
type File struct {
	Data           *FileData `json:"data,omitempty"`
	Format         string    `json:"format,omitempty"` // text, json or yaml
	Mode           *int      `json:"mode,omitempty"`
	Path           string    `json:"path"`
	RebootOnUpdate *bool     `json:"rebootOnUpdate,omitempty"`
	Volume         string    `json:"volume,omitempty"`
}

// FileData is the contents of a file: a string for the format text, any value
// for json and yaml, which the target writes down.
type FileData struct {
	Value any `json:"value"`
}

// Amount is a quantity with its unit.
type Amount struct {
	Kind string      `json:"kind"`
	Size json.Number `json:"size"`
	Unit string      `json:"unit"`
}

// ContainerSize is what a container needs; Mincpu is in the unit of CPU.
type ContainerSize struct {
	CPU    Amount      `json:"cpu"`
	Memory Amount      `json:"memory"`
	Mincpu json.Number `json:"mincpu"`
}

// Size is what an instance of a component needs; Minbandwidth is in the unit
// of Bandwidth.
type Size struct {
	Bandwidth    Amount      `json:"bandwidth"`
	Minbandwidth json.Number `json:"minbandwidth"`
	Mincpu       Amount      `json:"mincpu"`
}

// Profile hints at the load that a component puts on a machine.
type Profile struct {
	Iopsintensive bool   `json:"iopsintensive"`
	Threadability string `json:"threadability"`
}

// Probe is the health checks of a container.
type Probe struct {
	Liveness  *Check `json:"liveness,omitempty"`
	Readiness *Check `json:"readiness,omitempty"`
}

// Check is one health check. Timeout is in milliseconds; Frequency is low,
// medium, high or a number of milliseconds.
type Check struct {
	Frequency          any           `json:"frequency,omitempty"`
	Protocol           ProbeProtocol `json:"protocol"`
	StartupGraceWindow *GraceWindow  `json:"startupGraceWindow,omitempty"`
	Timeout            json.Number   `json:"timeout,omitempty"`
}

// ProbeProtocol is how a container is asked: one of its fields.
type ProbeProtocol struct {
	Exec *ExecProbe `json:"exec,omitempty"`
	GRPC *PortProbe `json:"grpc,omitempty"`
	HTTP *PortProbe `json:"http,omitempty"`
	TCP  *PortProbe `json:"tcp,omitempty"`
}

// ExecProbe is a command in the container.
type ExecProbe struct {
	Command []string `json:"command"`
}

// PortProbe asks at a port: Path for http, Service for grpc.
type PortProbe struct {
	Path    string `json:"path,omitempty"`
	Port    int    `json:"port"`
	Service string `json:"service,omitempty"`
}

// GraceWindow is the time that a container may take to start.
type GraceWindow struct {
	Duration json.Number `json:"duration"`
	Probe    bool        `json:"probe"`
	Unit     string      `json:"unit"` // "ms" or "attempts"
}
