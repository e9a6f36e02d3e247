package live

// Status is how a role is.
type Status struct {
	Place  string `json:"place"`
	Object string `json:"object"`
	// Health is healthy, progressing, failed or missing, and Why the reason for it.
	Health string `json:"health"`
	Why    string `json:"why,omitempty"`
	// Stopped tells that nothing is to run.
	Stopped   bool       `json:"stopped,omitempty"`
	Ready     int        `json:"ready"`
	Wanted    int        `json:"wanted"`
	Restarts  int        `json:"restarts"`
	Images    []string   `json:"images"`
	Since     string     `json:"since,omitempty"`
	Instances []Instance `json:"instances,omitempty"`
}

// Instance is one of a role's.
type Instance struct {
	Name    string `json:"name"`
	Node    string `json:"node,omitempty"`
	Address string `json:"address,omitempty"`
	Phase   string `json:"phase,omitempty"`
	// Restarts is how often its containers were restarted, and Exits how they have ended
	// last, with an error.
	Restarts int    `json:"restarts,omitempty"`
	Exits    []Exit `json:"exits,omitempty"`
}

// Exit is the end of a container, with an error.
type Exit struct {
	Container string `json:"container"`
	Code      int    `json:"code"`
	Reason    string `json:"reason,omitempty"`
	// At tells it from other ends of the same container.
	At string `json:"at"`
}

// Word returns the health in one word for people; a role that is stopped is "stopped".
func (s Status) Word() string {
	switch {
	case s.Stopped && s.Ready == 0:
		return "stopped"
	case s.Stopped:
		return "stopping"
	}
	return s.Health
}
