package swarm

import (
	"path"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// maxConfig is the size that Swarm takes of a config.
const maxConfig = 1000 << 10

// FileDir is where the stack file expects the contents of its configs, beside
// itself. The name of each ends with a hash of its content.
const FileDir = "kumiki-files"

// files puts a container's files and volumes into its service.
func (r *roleOf) files(key string, c *solution.Container, s *Service) {
	var late []string
	for _, target := range targets.Keys(c.Mapping.Filesystem) {
		f := c.Mapping.Filesystem[target]
		at := []string{"code", key, "mapping", "filesystem", target}
		if clean := path.Clean(target); clean != target {
			target = clean // Swarm compares targets as they are written
		}
		if f.Volume != "" {
			r.volume(at, target, f.Volume, c, s)
			continue
		}
		content, err := targets.Content(f)
		if err != nil {
			r.broken(diag.TargetFile, "role %s of %s: file %s: %v", r.at.role, r.at.deployment, target, err)
			continue
		}
		if f.RebootOnUpdate != nil && !*f.RebootOnUpdate {
			late = append(late, target)
		}
		r.config(at, target, content, f.Mode, s)
	}
	if len(late) > 0 {
		r.lost(diag.LostFile, r.at, []string{"code", key, "mapping", "filesystem"}, "Swarm's configs never change: %v gets new instances when %s does, although rebootOnUpdate is false", r.at, strings.Join(late, ", "))
	}
	r.readOnly(s)
	s.mounts()
}

// readOnly keeps a container from writing to the file system of its image, but for the
// directories that the role's meta names.
func (r *roleOf) readOnly(s *Service) {
	hint := r.hints.ReadOnlyRoot
	if hint == nil || !hint.On {
		return
	}
	s.ReadOnly = true
	for _, dir := range hint.Writable {
		if !filter.Any(s.Volumes, func(m Mount) bool { return m.Target == dir }) {
			s.Volumes = append(s.Volumes, Mount{Type: "tmpfs", Target: dir})
		}
	}
}

// config makes a config of a file.
func (r *roleOf) config(at []string, target string, content []byte, mode *int, s *Service) {
	if len(content) == 0 {
		r.lost(diag.LostFile, r.at, at, "Swarm has no empty configs: file %s of %v holds a newline", target, r.at)
		content = []byte("\n")
	}
	if len(content) > maxConfig {
		r.broken(diag.TargetFile, "role %s of %s: file %s has %d bytes: a config of Swarm has at most %d", r.at.role, r.at.deployment, target, len(content), maxConfig)
		return
	}
	name := r.names.hashed(content, r.at.deployment, r.at.role, target)
	r.add(ConfigKind, name, r.at, &File{File: "./" + FileDir + "/" + name, Labels: r.labels(r.at), Content: content})
	ref := FileRef{Source: name, Target: target}
	if mode != nil {
		m := Mode(*mode)
		ref.Mode = &m
	}
	s.Configs = append(s.Configs, ref.ownedBy(s.User))
}

// ownedBy makes the file the user's that the container runs as.
func (f FileRef) ownedBy(user string) FileRef {
	f.UID, f.GID, _ = strings.Cut(user, ":")
	return f
}

// shareOfMemory is the part of a container's memory that a tmpfs may take, as
// it counts towards the container's limit.
const shareOfMemory = 4

// volume mounts a volume: one that is registered by its name, a volatile one as
// a tmpfs or, where it is large, as an anonymous volume that goes with the task.
func (r *roleOf) volume(at []string, target, key string, c *solution.Container, s *Service) {
	v := find(r.role.Config.Resource, key)
	if v == nil || v.Volume == nil {
		v = find(r.role.Artifact.Description.Config.Resource, key)
	}
	if v == nil || v.Volume == nil {
		r.broken(diag.TargetBroken, "role %s of %s: %s is no volume", r.at.role, r.at.deployment, key)
		return
	}
	if v.Volume.Size == nil {
		r.external(at, target, v.Volume.ID, s)
		return
	}
	size, ok := targets.Whole(*v.Volume.Size)
	memory, _ := targets.Whole(c.Size.Memory)
	if ok && size > 0 && size <= memory/shareOfMemory {
		s.Volumes = append(s.Volumes, Mount{Type: "tmpfs", Target: target, Tmpfs: &Tmpfs{Size: size}})
		return
	}
	r.lost(diag.LostVolume, r.at, at, "Swarm limits no volume on disk: that of %v at %s may grow beyond %s%s", r.at, target, v.Volume.Size.Size, v.Volume.Size.Unit)
	s.Volumes = append(s.Volumes, Mount{Type: "volume", Target: target})
}

// slots is what follows the name of a volume of all instances but the first.
// Docker fills it in when a task starts.
const slots = `{{if ne .Task.Slot "1"}}-{{.Task.Slot}}{{end}}`

func (r *roleOf) external(at []string, target, id string, s *Service) {
	name := r.registeredAs(VolumeKind, id, "")
	volume := &Volume{External: true, Name: name}
	source := name
	if n := targets.Instances(r.role, r.hints.Hints, false); !r.hints.EachNode() && n != nil && *n > 1 {
		volume.Name += slots
		source += "-each"
		r.lost(diag.LostVolume, r.at, at, "when there are to be fewer instances, Swarm takes away those that do not run and those on nodes that have the most, and only among equals the highest numbers: which of the volumes %s, %s-2 and so on %v has then is not known", name, name, r.at)
	}
	r.pinned = true
	if !filter.Any(r.hints.constraints, func(c string) bool {
		return strings.HasPrefix(c, "node.hostname ==") || strings.HasPrefix(c, "node.id ==")
	}) {
		r.lost(diag.LostVolume, r.at, at, "Swarm makes an empty volume %s on every node that has none: unless its driver reaches the same data from all nodes, %v finds it only where it was", name, r.at)
	}
	if old, ok := r.objects[VolumeKind+"/"+source]; ok && *old.Value.(*Volume) != *volume {
		r.broken(diag.TargetName, "volumes %s and %s would both be called %s in the stack: rename one of them", old.Value.(*Volume).Name, volume.Name, source)
	}
	r.add(VolumeKind, source, r.at, volume)
	s.Volumes = append(s.Volumes, Mount{Type: "volume", Source: source, Target: target})
}

// find is the resource with a key; a dot leads into a group.
func find(resources map[string]*solution.Resource, key string) *solution.Resource {
	if r := resources[key]; r != nil {
		return r
	}
	group, rest, ok := strings.Cut(key, ".")
	if r := resources[group]; ok && r != nil {
		return find(r.Group, rest)
	}
	return nil
}

// mounts puts what lies in another volume behind it.
func (s *Service) mounts() {
	sorting.By(s.Volumes, func(a, b Mount) int { return strings.Compare(a.Target, b.Target) })
}
