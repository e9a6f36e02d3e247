package compose

import (
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// carried are the keys of a service that are read, or that mean nothing where an
// orchestrator runs it: it restarts everything, and names what it starts.
var carried = strings.Fields("attach build command configs container_name cpus deploy depends_on dns_search dockerfile entrypoint env_file environment expose extends healthcheck " +
	"hostname image init labels label_file links mem_limit mem_reservation name networks ports profiles pull_policy read_only restart scale secrets stdin_open stop_grace_period tmpfs tty user " +
	"volumes annotations develop platform")

// reasons are why the model has no words for a key.
var reasons = map[string]string{
	"cap_add":        "containers have no capabilities beside those that the target gives to all",
	"cap_drop":       "the target drops them all as it is",
	"devices":        "containers have no devices of a machine",
	"gpus":           "containers have no devices of a machine",
	"dns":            "names are the target's to know",
	"external_links": "write a channel, and link the deployments",
	"extra_hosts":    "names are the target's to know",
	"logging":        "logs are the target's to keep",
	"network_mode":   "a role has a network of its own",
	"pid":            "a role sees its own processes only",
	"privileged":     "a role never has the rights of its machine",
	"security_opt":   "a role has the target's safe defaults",
	"shm_size":       "there is no size for /dev/shm",
	"sysctls":        "kernels are set for machines",
	"ulimits":        "they are set for machines",
	"volumes_from":   "write the volumes where they are needed",
	"working_dir":    "the image says where it runs, or a command begins with cd",
}

// untold tells of the keys of a service that nothing was made of.
func (r *role) untold() {
	services, _ := r.app.model["services"].(map[string]any)
	keys, _ := services[r.s.Name].(map[string]any)
	for _, key := range sorting.Ordered(keys) {
		if filter.Contains(carried, key) || strings.HasPrefix(key, "x-") || nothing(keys[key]) {
			continue
		}
		reason := reasons[key]
		if reason == "" {
			reason = "the model has nothing like it"
		}
		r.note(key, "%s", reason)
	}
	if r.s.Restart == "no" || strings.HasPrefix(r.s.Restart, "on-failure") {
		r.note("restart", "%s: whatever ends is started again", r.s.Restart)
	}
	if len(r.s.Profiles) > 0 {
		r.note("profiles", "%s: none of it runs (hsize: 0) until scale.detail says a number", strings.Join(r.s.Profiles, ", "))
		r.hsize = 0
	}
	deploy, _ := keys["deploy"].(map[string]any)
	for _, key := range sorting.Ordered(deploy) {
		if !filter.Contains([]string{"mode", "replicas", "resources", "update_config", "labels", "restart_policy", "endpoint_mode"}, key) {
			r.note("deploy."+key, "not carried; meta has hints of its own for it, see docs/kubernetes.md and docs/swarm.md")
		}
	}
	resources, _ := deploy["resources"].(map[string]any)
	for _, part := range []string{"limits", "reservations"} {
		of, _ := resources[part].(map[string]any)
		for _, key := range sorting.Ordered(of) {
			if key != "cpus" && (key != "memory" || part == "reservations" && r.limited()) {
				r.note("deploy.resources."+part+"."+key, "not carried: all of the memory is kept free, and nothing but CPUs and memory is counted")
			}
		}
	}
}

func (r *role) limited() bool {
	return r.s.MemLimit > 0 || r.s.Deploy != nil && r.s.Deploy.Resources.Limits != nil && r.s.Deploy.Resources.Limits.MemoryBytes > 0
}

func nothing(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case bool:
		return !value
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}

// untold tells of what is outside of services.
func (a *application) untold() {
	if len(a.unlimited) > 0 {
		a.note("", "services", "%s: no limits are said, and each has 0.5 CPUs and 512 MB, which is a guess", strings.Join(a.unlimited, ", "))
	}
	for _, name := range sorting.Ordered(a.project.Volumes) {
		if v := a.project.Volumes[name]; len(v.DriverOpts) > 0 || v.Driver != "" && v.Driver != "local" {
			a.note("", "volumes."+name, "its driver and options are of whoever registers %s-%s", a.name, word(name))
		}
	}
	for _, name := range sorting.Ordered(a.project.Networks) {
		if n := a.project.Networks[name]; bool(n.External) || n.Ipam.Driver != "" || len(n.Ipam.Config) > 0 || n.Driver == "host" || n.Driver == "macvlan" {
			a.note("", "networks."+name, "is not carried: roles reach each other by channels, wherever they are")
		}
	}
	for _, key := range sorting.Ordered(a.model) {
		if !filter.Contains([]string{"name", "version", "services", "volumes", "networks", "configs", "secrets", "include"}, key) && !strings.HasPrefix(key, "x-") {
			a.note("", key, "the model has nothing like it")
		}
	}
}
