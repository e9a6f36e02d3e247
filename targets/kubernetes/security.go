package kubernetes

import (
	corev1 "k8s.io/api/core/v1"

	"kumiki.dev/diag"
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
	if u := c.User; u != nil {
		s.RunAsUser, s.RunAsGroup = &u.UserID, &u.GroupID
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

// restricted is what the strictest Pod Security Standard asks of every
// container, except for who it runs as.
func restricted() *corev1.SecurityContext {
	no := false
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: &no,
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
