package swarm

import "kumiki.dev/targets"

// Stack is a Compose file of version 3.13 as docker stack deploy reads it. The
// types here hold what is used of that format, in the order in which it is
// written; docker's own types write empty objects for all that is absent.
type Stack struct {
	Version  string              `json:"version"`
	Services map[string]*Service `json:"services"`
	Networks map[string]*Network `json:"networks,omitempty"`
	Volumes  map[string]*Volume  `json:"volumes,omitempty"`
	Configs  map[string]*File    `json:"configs,omitempty"`
	Secrets  map[string]*File    `json:"secrets,omitempty"`
}

// Service is a set of equal tasks, each of which is one container.
type Service struct {
	Image           string                 `json:"image"`
	Entrypoint      []string               `json:"entrypoint,omitempty"`
	Command         []string               `json:"command,omitempty"`
	User            string                 `json:"user,omitempty"`
	Init            *bool                  `json:"init,omitempty"`
	ReadOnly        bool                   `json:"read_only,omitempty"`
	CapDrop         []string               `json:"cap_drop,omitempty"`
	StopGracePeriod string                 `json:"stop_grace_period,omitempty"`
	Environment     map[string]string      `json:"environment,omitempty"`
	Healthcheck     *Healthcheck           `json:"healthcheck,omitempty"`
	Configs         []FileRef              `json:"configs,omitempty"`
	Secrets         []FileRef              `json:"secrets,omitempty"`
	Volumes         []Mount                `json:"volumes,omitempty"`
	Ports           []Port                 `json:"ports,omitempty"`
	Networks        map[string]*Attachment `json:"networks,omitempty"`
	Labels          map[string]string      `json:"labels,omitempty"`
	Deploy          Deploy                 `json:"deploy"`
}

// Healthcheck is a command that is run in the container.
type Healthcheck struct {
	Test        []string `json:"test"`
	Interval    string   `json:"interval,omitempty"`
	Timeout     string   `json:"timeout,omitempty"`
	Retries     int      `json:"retries,omitempty"`
	StartPeriod string   `json:"start_period,omitempty"`
}

// FileRef puts a config or secret into a container.
type FileRef struct {
	Source string `json:"source"`
	Target string `json:"target"`
	UID    string `json:"uid,omitempty"`
	GID    string `json:"gid,omitempty"`
	Mode   *Mode  `json:"mode,omitempty"`
}

// Mode is a file's permissions, written in octal.
type Mode uint32

// Mount is a volume or tmpfs in a container.
type Mount struct {
	Type   string `json:"type"`
	Source string `json:"source,omitempty"`
	Target string `json:"target"`
	Tmpfs  *Tmpfs `json:"tmpfs,omitempty"`
}

// Tmpfs limits a tmpfs.
type Tmpfs struct {
	Size int64 `json:"size"`
}

// Port is a port that is published on the nodes.
type Port struct {
	Target    int    `json:"target"`
	Published int    `json:"published"`
	Protocol  string `json:"protocol"`
	Mode      string `json:"mode"`
}

// Attachment is how a service takes part in a network.
type Attachment struct {
	Aliases []string `json:"aliases,omitempty"`
}

// Deploy is how a service runs.
type Deploy struct {
	Mode           string            `json:"mode,omitempty"`
	Replicas       *int              `json:"replicas,omitempty"`
	EndpointMode   string            `json:"endpoint_mode,omitempty"`
	UpdateConfig   *Update           `json:"update_config,omitempty"`
	RollbackConfig *Update           `json:"rollback_config,omitempty"`
	RestartPolicy  *Restart          `json:"restart_policy,omitempty"`
	Placement      *Placement        `json:"placement,omitempty"`
	Resources      *Resources        `json:"resources,omitempty"`
	Labels         map[string]string `json:"labels,omitempty"`
}

// Update is how one version of a service gives way to another.
type Update struct {
	Parallelism   int    `json:"parallelism"`
	Delay         string `json:"delay,omitempty"`
	FailureAction string `json:"failure_action,omitempty"`
	Monitor       string `json:"monitor,omitempty"`
	Order         string `json:"order,omitempty"`
}

// Restart is what happens to a task that has ended.
type Restart struct {
	Condition string `json:"condition"`
	Delay     string `json:"delay,omitempty"`
}

// Placement is where tasks run.
type Placement struct {
	Constraints        []string     `json:"constraints,omitempty"`
	Preferences        []Preference `json:"preferences,omitempty"`
	MaxReplicasPerNode int          `json:"max_replicas_per_node,omitempty"`
}

// Preference spreads tasks over the values of a node's label.
type Preference struct {
	Spread string `json:"spread"`
}

// Resources are what a task may use, and what is kept free for it.
type Resources struct {
	Limits       *Quantity `json:"limits,omitempty"`
	Reservations *Quantity `json:"reservations,omitempty"`
}

// Quantity is an amount of CPUs and bytes of memory.
type Quantity struct {
	CPUs   string `json:"cpus,omitempty"`
	Memory string `json:"memory,omitempty"`
}

// Network is an overlay network. An internal one leads nowhere else. One that is there
// before the stack is (External, Name) has nothing else.
type Network struct {
	External bool              `json:"external,omitempty"`
	Name     string            `json:"name,omitempty"`
	Driver   string            `json:"driver,omitempty"`
	Internal bool              `json:"internal,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
}

// Volume is a volume that is there before the stack is.
type Volume struct {
	External bool   `json:"external"`
	Name     string `json:"name"`
}

// File is a config or secret: one that is there before the stack is (External,
// Name), or one that is made of a file beside the stack.
type File struct {
	External bool              `json:"external,omitempty"`
	Name     string            `json:"name,omitempty"`
	File     string            `json:"file,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	// Content is what the file has to hold; the stack only names it.
	Content []byte `json:"-"`
}

// The kinds of objects, which are the sections of the file.
const (
	ServiceKind = "Service"
	NetworkKind = "Network"
	VolumeKind  = "Volume"
	ConfigKind  = "Config"
	SecretKind  = "Secret"
)

// New puts objects that [Lower] made together, all of them or a part.
func New(objects []targets.Object) *Stack {
	s := &Stack{Version: "3.13", Services: map[string]*Service{}, Networks: map[string]*Network{}, Volumes: map[string]*Volume{}, Configs: map[string]*File{}, Secrets: map[string]*File{}}
	for _, o := range objects {
		switch v := o.Value.(type) {
		case *Service:
			s.Services[o.Name] = v
		case *Network:
			s.Networks[o.Name] = v
		case *Volume:
			s.Volumes[o.Name] = v
		case *File:
			if o.Kind == SecretKind {
				s.Secrets[o.Name] = v
				continue
			}
			s.Configs[o.Name] = v
		}
	}
	return s
}
