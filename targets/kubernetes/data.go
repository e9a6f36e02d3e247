package kubernetes

import (
	corev1 "k8s.io/api/core/v1"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/targets"
)

// channelData gives the role's containers a file that says where each channel
// leads. The ConfigMap keeps its name and is mounted as a directory: its changes
// reach the instances as they run, without replacing them whenever a server's
// version changes.
func (r *roleOf) channelData(pod *corev1.PodSpec) {
	ways := r.addressed()
	if len(ways) == 0 {
		return
	}
	c := &corev1.ConfigMap{Data: map[string]string{targets.ChannelFile: targets.ChannelData(ways)}}
	c.APIVersion, c.Kind = "v1", "ConfigMap"
	if r.usesNames(r.at) {
		c.Data["channels.json"] = targets.Indented(map[string]any{"channels": r.resolverChannels()})
	}
	name := name(r.at.deployment, r.at.role, "channels")
	c.ObjectMeta = r.meta(name, r.at)
	r.add("ConfigMap", name, r.at, c)
	r.volumes = append(r.volumes, corev1.Volume{Name: channelsVolume, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}})
	for i := range pod.Containers {
		in := &pod.Containers[i]
		own := filter.Any(in.VolumeMounts, func(m corev1.VolumeMount) bool { return targets.Below(m.MountPath, targets.ChannelDir) })
		if !own {
			in.VolumeMounts = append(in.VolumeMounts, corev1.VolumeMount{Name: channelsVolume, MountPath: targets.ChannelDir, ReadOnly: true})
		}
	}
}

// addressed are the role's ways with where its code finds their servers.
func (r *roleOf) addressed() []targets.Way {
	var out []targets.Way
	for _, w := range r.clients[r.at] {
		way := targets.Way{Reach: w.Reach, Addresses: make([]targets.Address, len(w.routes))}
		for i, route := range w.routes {
			if route != nil {
				way.Addresses[i] = address(w, route)
			}
		}
		out = append(out, way)
	}
	return out
}

// address is where a client reaches the servers of a route: the connector's for
// lb, the instances' for full.
func address(w *way, r *route) targets.Address {
	if w.Kind == "full" {
		return targets.Address{Host: r.setName(), Port: r.server().Port, Kind: w.Kind}
	}
	return targets.Address{Host: r.name, Port: lbPort, Kind: w.Kind}
}

// channelEnv are the variables that say where the role's channels lead.
func (r *roleOf) channelEnv() []corev1.EnvVar {
	variables := targets.ChannelVariables(r.addressed(), func(variable, first, second string) {
		r.lost(diag.LostChannel, r.at, []string{"srv", "client", second}, "variable %s of %v is the address of channel %s: that of channel %s is only in its file", variable, r.at, first, second)
	})
	out := make([]corev1.EnvVar, len(variables))
	for i, v := range variables {
		out[i] = corev1.EnvVar{Name: v.Name, Value: v.Value}
	}
	return out
}
