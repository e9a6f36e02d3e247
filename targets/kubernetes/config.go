package kubernetes

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"kumiki.dev/diag"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

const (
	// maxConfig is how much a ConfigMap holds.
	maxConfig = 1 << 20
	// defaultMode is Kubernetes' own for files of a ConfigMap.
	defaultMode = 0o644
	maxMode     = 0o777
	// maxKey is what is kept of a path in a key that ends with a hash; a ConfigMap
	// takes keys of 253 characters.
	maxKey = 200
)

// file is one that a ConfigMap holds and a container mounts.
type file struct {
	container int // its index in the pod
	target    string
	key       string // in the ConfigMap
	content   string
	mode      int32
}

// files puts the files of all containers into ConfigMaps. Those whose change is
// to replace the pods are in one that is named by its content.
func (r *roleOf) files(pod *corev1.PodSpec) {
	var hashed, kept []file
	for i, key := range targets.Keys(r.desc.Code) {
		files := r.desc.Code[key].Mapping.Filesystem
		for _, target := range targets.Keys(files) {
			f := files[target]
			if f.Volume != "" {
				continue
			}
			made, ok := r.file(i, key, target, f)
			switch {
			case !ok:
			case f.RebootOnUpdate != nil && !*f.RebootOnUpdate:
				kept = append(kept, made)
			default:
				hashed = append(hashed, made)
			}
		}
	}
	for i, part := range split(hashed) {
		r.configMap(pod, part, parts("files", i), true)
	}
	for i, part := range split(kept) {
		r.configMap(pod, part, parts("data", i), false)
	}
}

// parts tells the ConfigMaps apart that one would be too small for.
func parts(word string, i int) string {
	if i == 0 {
		return word
	}
	return word + strconv.Itoa(i)
}

// split divides files among ConfigMaps that can hold them.
func split(files []file) [][]file {
	var out [][]file
	size := 0
	for _, f := range files {
		n := len(f.key) + len(f.content)
		if len(out) == 0 || size+n > maxConfig {
			out, size = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], f)
		size += n
	}
	return out
}

func (r *roleOf) file(i int, key, target string, f *solution.File) (file, bool) {
	at := []string{"code", key, "mapping", "filesystem", target}
	text, err := targets.Content(f)
	out := file{container: i, target: target, content: string(text), mode: defaultMode, key: fileKey(target)}
	if len(r.desc.Code) > 1 {
		out.key = fileKey(r.containers[key] + target)
	}
	switch {
	case err != nil:
		r.broken(diag.TargetFile, r.at, at, "file %s of %v: %v", target, r.at, err)
	case len(out.content) > maxConfig:
		r.broken(diag.TargetFile, r.at, at, "file %s of %v has %d bytes: a ConfigMap holds at most %d", target, r.at, len(out.content), maxConfig)
	case strings.Contains(target, ":"):
		r.broken(diag.TargetFile, r.at, at, "file %s of %v: Kubernetes mounts nothing at a path with a colon", target, r.at)
	default:
		err = nil
		if f.Mode != nil {
			out.mode = int32(*f.Mode) & maxMode
		}
		if f.Mode != nil && *f.Mode != int(out.mode) {
			r.lost(diag.LostFile, r.at, at, "Kubernetes sets the permissions of files only: file %s of %v has mode %#o instead of %#o", target, r.at, out.mode, *f.Mode)
		}
		return out, true
	}
	return out, false
}

var notInKeys = lazyregexp.New(`[^-._a-zA-Z0-9]`)

// fileKey is a file's path as a key of a ConfigMap, with a hash where a slash
// could not be told from what was there before.
func fileKey(target string) string {
	word := strings.Trim(path.Clean(target), "/")
	key := strings.ReplaceAll(word, "/", "_")
	if strings.Contains(word, "_") || len(validation.IsConfigMapKey(key)) > 0 {
		key = notInKeys().ReplaceAllString(key, "-")
		key = strings.TrimLeft(key[max(0, len(key)-maxKey):], ".") + "-" + targets.Hash([]byte(target))
	}
	return key
}

// configMap makes one of files and mounts each where its container expects it.
func (r *roleOf) configMap(pod *corev1.PodSpec, files []file, word string, hashed bool) {
	c := &corev1.ConfigMap{Data: map[string]string{}}
	c.APIVersion, c.Kind = "v1", "ConfigMap"
	for _, f := range files {
		if _, taken := c.Data[f.key]; taken {
			r.broken(diag.TargetName, r.at, nil, "file %s of %v and another would both be called %s in a ConfigMap: rename one of them", f.target, r.at, f.key)
		}
		c.Data[f.key] = f.content
	}
	cm := name(r.at.deployment, r.at.role, word)
	if hashed {
		yes := true
		c.Immutable = &yes
		cm = targets.Name(targets.MaxName-hashLength, r.at.deployment, r.at.role, word) + "-" + hashOf(c.Data)
	}
	c.ObjectMeta = r.meta(cm, r.at)
	r.add("ConfigMap", cm, r.at, c)
	volume := "kumiki-" + word
	r.volumes = append(r.volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{ConfigMap: source(cm, files)}})
	for _, f := range files {
		in := &pod.Containers[f.container]
		in.VolumeMounts = append(in.VolumeMounts, corev1.VolumeMount{Name: volume, MountPath: f.target, SubPath: f.key, ReadOnly: true})
	}
}

// source is a volume of the files with their permissions, said once where they
// all have the same.
func source(name string, files []file) *corev1.ConfigMapVolumeSource {
	s := &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}
	same := true
	for _, f := range files {
		same = same && f.mode == files[0].mode
	}
	if same {
		if mode := files[0].mode; mode != defaultMode {
			s.DefaultMode = &mode
		}
		return s
	}
	for _, f := range files {
		s.Items = append(s.Items, corev1.KeyToPath{Key: f.key, Path: f.key, Mode: &f.mode})
	}
	return s
}

func hashOf(data map[string]string) string {
	text, _ := json.Marshal(data) // maps of strings always encode, sorted
	return targets.Hash(text)
}
