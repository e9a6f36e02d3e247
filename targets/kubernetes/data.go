package kubernetes

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"kumiki.dev/solution"
)

// channelDir is where Kumori tells a process where its channels lead.
const (
	channelDir  = "/kumori"
	channelFile = "config.json"
)

var notInVariables = regexp.MustCompile(`[^A-Za-z0-9_]`)

// hop is a server that a group of a channel leads to.
type hop struct {
	Auto autoMeta `json:"auto"`
	User any      `json:"user"`
}

type autoMeta struct {
	solution.AutoMeta
	Channel string `json:"channel"`
}

// where is the address of a group: that of all its servers for lb, that which
// stands for each of them for full.
type where struct {
	Host string `json:"host"`
	Port int    `json:"port"`
	Kind string `json:"kind"`
}

// channelData gives the role's containers a file that says where each channel
// leads, in Kumori's own words. The ConfigMap keeps its name and is mounted as a
// directory: its changes reach the instances as they run, without replacing
// them whenever a server's version changes.
func (r *roleOf) channelData(pod *corev1.PodSpec) {
	ways := r.clients[r.at]
	if len(ways) == 0 {
		return
	}
	c := &corev1.ConfigMap{Data: map[string]string{channelFile: indented(r.channels(ways))}}
	c.APIVersion, c.Kind = "v1", "ConfigMap"
	if r.usesNames(r.at) {
		c.Data["channels.json"] = indented(map[string]any{"channels": r.resolverChannels()})
	}
	name := name(r.at.deployment, r.at.role, "channels")
	c.ObjectMeta = r.meta(name, r.at)
	r.add("ConfigMap", name, r.at, c)
	r.volumes = append(r.volumes, corev1.Volume{Name: channelsVolume, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}})
	for i := range pod.Containers {
		in := &pod.Containers[i]
		if !below(in.VolumeMounts, channelDir) {
			in.VolumeMounts = append(in.VolumeMounts, corev1.VolumeMount{Name: channelsVolume, MountPath: channelDir, ReadOnly: true})
		}
	}
}

// below reports whether anything is mounted at a directory, in it or around it.
func below(mounts []corev1.VolumeMount, dir string) bool {
	for _, m := range mounts {
		at := strings.TrimSuffix(m.MountPath, "/") + "/"
		if strings.HasPrefix(at, dir+"/") || at == "/" {
			return true
		}
	}
	return false
}

// channels is the content of the file: channels.CHANNEL.INDEX is the list of
// servers, addresses.CHANNEL.INDEX is where they are.
func (r *roleOf) channels(ways []*way) any {
	hops, addresses := map[string]map[string][]hop{}, map[string]map[string]where{}
	for _, w := range ways {
		of, at := map[string][]hop{}, map[string]where{}
		for i, route := range w.routes {
			index := strconv.Itoa(i)
			of[index] = []hop{}
			for _, t := range w.Groups[i] {
				user := t.Meta.User
				if m, ok := user.(map[string]any); user == nil || ok && m == nil {
					user = map[string]any{}
				}
				of[index] = append(of[index], hop{Auto: autoMeta{t.Meta.Auto, t.Channel}, User: user})
			}
			if route != nil {
				host, port := address(w, route)
				at[index] = where{host, port, w.Kind}
			}
		}
		hops[w.From.Channel], addresses[w.From.Channel] = of, at
	}
	return map[string]any{"channels": hops, "addresses": addresses}
}

func indented(v any) string {
	text, _ := json.MarshalIndent(v, "", "  ") // made here of what always encodes
	return string(text) + "\n"
}
