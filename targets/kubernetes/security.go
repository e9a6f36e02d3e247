package kubernetes

import (
	"fmt"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// asRoot reports whether any of the role's containers runs as root.
func (r *roleOf) asRoot() bool {
	for _, c := range r.desc.Code {
		if r.rootContainer(c) {
			return true
		}
	}
	return false
}

// rootContainer reports whether a container runs as root: where its component
// says so, or says nothing and the role's meta does.
func (r *roleOf) rootContainer(c *solution.Container) bool {
	if c.User == nil {
		return r.hints.Root
	}
	return c.User.UserID == 0
}

// podSecurity is what all containers have in common: no privileged system
// calls, and volumes that the component's group can write.
func (r *roleOf) podSecurity() *corev1.PodSecurityContext {
	s := &corev1.PodSecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
	for _, key := range targets.Keys(r.desc.Code) {
		if u := r.desc.Code[key].User; u != nil && u.GroupID != 0 {
			group, policy := u.GroupID, corev1.FSGroupChangeOnRootMismatch
			s.FSGroup, s.FSGroupChangePolicy = &group, &policy
			break
		}
	}
	return s
}

// security is what a container may do.
func (r *roleOf) security(key string, c *solution.Container) *corev1.SecurityContext {
	s := restricted()
	if r.readOnly() {
		yes := true
		s.ReadOnlyRootFilesystem = &yes
	}
	if u := c.User; u != nil {
		s.RunAsUser, s.RunAsGroup = &u.UserID, &u.GroupID
	}
	if c.User == nil && !r.hints.Root && !targets.Known(diag.LostUser, r.solution, r.at.deployment, r.at.role, []string{"code", key}) {
		r.nobody = append(r.nobody, containerAt{r.at, key})
	}
	if !r.rootContainer(c) {
		yes := true
		s.RunAsNonRoot = &yes
		return s
	}
	// Root needs some capabilities to become somebody else and to own files.
	s.Capabilities.Drop = []corev1.Capability{"MKNOD", "NET_RAW"}
	r.lost(diag.LostUser, r.at, []string{"code", key, "user"}, "container %s of %v runs as root, which the Pod Security Standard restricted does not allow: its namespace needs baseline", key, r.at)
	return s
}

// userless tells of the containers that say nothing of whom they run as: whether their
// images run as root is not known here, and a kubelet starts none that do.
func (b *builder) userless() {
	if len(b.nobody) == 0 {
		return
	}
	var names []string
	for _, c := range b.nobody {
		ref := b.at(c.place).Artifact.Ref
		names = append(names, fmt.Sprintf("%s (%s)", strings.TrimPrefix(ref.Domain+"/"+ref.Name, "/"), c.container))
	}
	first := b.nobody[0]
	b.lost(diag.LostUser, first.place, []string{"code", first.container}, "nothing says whom %s run as: a container whose image runs as root, or as a user with a name, is not started; write code: %s: user: {userid: 10001, groupid: 10001} into the component, with the image's own numbers where it has some, or meta: root: true into the role", targets.Several(names), first.container)
}

// readOnly reports whether containers may not write to the file systems of their images.
func (r *roleOf) readOnly() bool { return r.hints.ReadOnlyRoot != nil && r.hints.ReadOnlyRoot.On }

// addWritable gives a container the directories that it may write to all the same: where
// nothing else is mounted, directories of the node that go with the pod.
func (r *roleOf) addWritable(c *corev1.Container) {
	if !r.readOnly() {
		return
	}
	for _, dir := range r.hints.ReadOnlyRoot.Writable {
		if filter.Any(c.VolumeMounts, func(m corev1.VolumeMount) bool { return path.Clean(m.MountPath) == dir }) {
			continue
		}
		name := parts("kumiki-writable", r.writable)
		r.writable++
		r.volumes = append(r.volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: dir})
	}
}

// restricted is what the strictest Pod Security Standard asks of every
// container, except for who it runs as.
func restricted() *corev1.SecurityContext {
	no := false
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: &no,
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
