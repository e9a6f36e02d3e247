package swarm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/distribution/reference"
	api "github.com/moby/moby/api/types/swarm"

	"kumiki.dev/internal/sorting"
)

// An object's fields are those of the engine's API but for a few: labels and variables are
// lists of {name, value}, whose items have a path each, and what is referred to is named and
// has no ID. So they are the same before and after they are made, in every swarm.

// closed are fields that are none where nothing is said: one that somebody adds is drift.
func closed() map[string][]string {
	return map[string][]string{
		"":             {"Labels", "UpdateConfig", "RollbackConfig"},
		"TaskTemplate": {"RestartPolicy", "Networks", "LogDriver"},
		"TaskTemplate.ContainerSpec": {"Labels", "Env", "Command", "Args", "Hostname", "Dir", "User", "Groups", "StopSignal", "TTY", "OpenStdin", "ReadOnly", "Init", "Hosts",
			"DNSConfig", "Healthcheck", "Mounts", "Secrets", "Configs", "CapabilityAdd", "CapabilityDrop", "Sysctls", "Ulimits"},
		"TaskTemplate.Resources": {"Limits", "Reservations"},
		"TaskTemplate.Placement": {"Constraints", "Preferences", "MaxReplicas"},
		"EndpointSpec":           {"Ports"},
	}
}

// plainly is a service's spec as fields. Names are those of networks by their IDs.
func plainly(spec api.ServiceSpec, names map[string]string) (map[string]any, error) {
	out, err := fields(spec)
	if err != nil {
		return nil, err
	}
	delete(out, "Networks") // of old: they are the template's
	task, _ := out["TaskTemplate"].(map[string]any)
	delete(task, "ForceUpdate") // a restart, which anybody may ask for
	delete(task, "Runtime")
	for _, one := range items(task["Networks"]) {
		if name := names[text(one["Target"])]; name != "" {
			one["Target"] = name
		}
	}
	if box, ok := task["ContainerSpec"].(map[string]any); ok {
		box["Env"], box["Labels"] = listed(box["Env"]), named(box["Labels"])
		for kind, id := range map[string]string{"Configs": "ConfigID", "Secrets": "SecretID"} {
			for _, one := range items(box[kind]) {
				delete(one, id)
			}
		}
		box["Image"] = unpinned(text(box["Image"]), spec.Labels[imageLabel])
	}
	out["Labels"] = named(out["Labels"])
	closeFields(out)
	return out, nil
}

// closeFields makes fields that are not there, or are empty, ones that are none.
func closeFields(spec map[string]any) {
	for path, names := range closed() {
		at := spec
		for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
			below, ok := at[name].(map[string]any)
			if !ok {
				below = map[string]any{}
				at[name] = below
			}
			at = below
		}
		for _, name := range names {
			if isEmpty(at[name]) {
				at[name] = nil
			}
		}
	}
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return value == nil
}

// unpinned is an image without the digest that docker has found for it.
func unpinned(image, label string) string {
	if label = familiar(label); label != "" && strings.HasPrefix(image, label+"@sha256:") {
		return label
	}
	return image
}

// familiar is an image as docker's client writes it: without what goes without saying, and
// with a tag.
func familiar(image string) string {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return image
	}
	return reference.FamiliarString(reference.TagNameOnly(named))
}

// specOf is the service that fields say. What it refers to has no IDs.
func specOf(given map[string]any) (api.ServiceSpec, error) {
	var spec api.ServiceSpec
	out, err := fields(given)
	if err != nil {
		return spec, err
	}
	out["Labels"] = unnamed(out["Labels"])
	task, _ := out["TaskTemplate"].(map[string]any)
	if box, ok := task["ContainerSpec"].(map[string]any); ok {
		box["Labels"] = unnamed(box["Labels"])
		box["Env"] = unlisted(box["Env"])
	}
	text, err := json.Marshal(out)
	if err != nil {
		return spec, err
	}
	return spec, json.Unmarshal(text, &spec)
}

// fields are a value as JSON has it.
func fields(value any) (map[string]any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	return out, json.Unmarshal(text, &out)
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

// items are the members of a list that are maps.
func items(list any) (out []map[string]any) {
	all, _ := list.([]any)
	for _, one := range all {
		if m, ok := one.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// named are the members of a map as a list of {name, value}.
func named(of any) any {
	m, _ := of.(map[string]any)
	var out []any
	for _, name := range sorting.Ordered(m) {
		out = append(out, map[string]any{"name": name, "value": m[name]})
	}
	return anyList(out)
}

func unnamed(list any) any {
	out := map[string]any{}
	for _, one := range items(list) {
		out[text(one["name"])] = one["value"]
	}
	return out
}

// listed are variables as a list of {name, value}: without a value, it is the engine's own.
func listed(of any) any {
	var out []any
	all, _ := of.([]any)
	for _, one := range all {
		name, value, ok := strings.Cut(text(one), "=")
		item := map[string]any{"name": name}
		if ok {
			item["value"] = value
		}
		out = append(out, item)
	}
	return anyList(out)
}

func unlisted(list any) any {
	var out []any
	for _, one := range items(list) {
		line := text(one["name"])
		if value, ok := one["value"]; ok {
			line += "=" + text(value)
		}
		out = append(out, line)
	}
	return anyList(out)
}

func anyList(list []any) any {
	if list == nil {
		return nil
	}
	return list
}

// plainConfig is a config: of its content the hash.
func plainConfig(spec api.ConfigSpec) map[string]any {
	labels := map[string]any{}
	for name, value := range spec.Labels {
		labels[name] = value
	}
	sum := sha256.Sum256(spec.Data)
	return map[string]any{"Name": spec.Name, "Labels": named(labels), "Data": "sha256:" + hex.EncodeToString(sum[:])}
}

// plainNetwork is a network. Its labels are not among its fields: Swarm never changes them.
func plainNetwork(driver string, internal, attachable bool) map[string]any {
	return map[string]any{"Driver": driver, "Internal": internal, "Attachable": attachable}
}
