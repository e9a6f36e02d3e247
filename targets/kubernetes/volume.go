package kubernetes

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// defaultClaim is the size of claims for registered volumes whose size nobody
// has told. Claims that the platform has made beforehand are taken as they are.
const defaultClaim = "1Gi"

// volume makes one known to the pod, once however many containers mount it, and
// returns where this one does.
func (r *roleOf) volume(key, target, resourceKey string) corev1.VolumeMount {
	path := []string{"code", key, "mapping", "filesystem", target}
	found := r.resource(resourceKey)
	if found == nil || found.Volume == nil {
		r.broken(diag.TargetName, r.at, path, "%s is no volume in the config of %v", resourceKey, r.at)
		return corev1.VolumeMount{}
	}
	mount := corev1.VolumeMount{Name: r.called[resourceKey], MountPath: target}
	if found.Volume.Size != nil {
		r.volatile(path, mount.Name, found.Volume.Size)
		return mount
	}
	r.persistent = true
	mount.Name = r.registeredVolume(path, mount.Name, found.Volume.ID)
	return mount
}

func (r *roleOf) hasVolume(name string) bool {
	return filter.Any(r.volumes, func(v corev1.Volume) bool { return v.Name == name })
}

// volatile adds a volume that goes with the pod: a directory of the node that
// cannot grow beyond its size, or what a storage class makes.
func (r *roleOf) volatile(path []string, name string, amount *solution.Amount) {
	if r.hasVolume(name) {
		return
	}
	size, ok := quantity(corev1.ResourceStorage, *amount)
	if !ok {
		r.broken(diag.TargetSize, r.at, path, "the size of volume %s of %v, %s%s, is no quantity", name, r.at, amount.Size, amount.Unit)
		return
	}
	v := corev1.Volume{Name: name}
	if class := r.options.VolatileClass; class != "" && size.Sign() > 0 {
		v.Ephemeral = &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: claim(size, &class)}}
	} else {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{SizeLimit: &size}
	}
	r.volumes = append(r.volumes, v)
}

func claim(size resource.Quantity, class *string) corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		StorageClassName: class,
		Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
	}
}

// registeredVolume adds a registered volume and returns the name that the pod
// has for it. Each instance has a claim of its own, even where there is only one
// now: a StatefulSet never changes where it finds its claims.
func (r *roleOf) registeredVolume(path []string, short, id string) string {
	name := r.registeredAs(r.at, path, id)
	if r.shared(id) {
		r.sharedClaim(path, short, name)
		return short
	}
	template := r.claimed[id]
	if filter.Any(r.claims, func(c corev1.PersistentVolumeClaim) bool { return c.Name == template }) {
		return template
	}
	size := resource.MustParse(defaultClaim)
	if q, err := resource.ParseQuantity(r.options.Volumes[id]); err == nil {
		size = q
	} else {
		r.lost(diag.LostVolume, r.at, path, "the size that volume %q of %v is registered with is not known here: of its claims, %s-%s-0 and so on, those that are not there are made with %s; give --volume %s=SIZE, or --claim %s for a claim of that name", id, r.at, template, r.name, defaultClaim, id, id)
	}
	if old, ok := r.owners[id]; ok {
		r.lost(diag.LostVolume, r.at, path, "volume %q is also that of %v: each of them has claims of its own; give --claim %s for one that they share", id, old, id)
	}
	r.owners[id] = r.at
	r.claims = append(r.claims, corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: template, Labels: r.selector(r.at)}, Spec: claim(size, r.options.Class(id))})
	return template
}

// shared reports whether all instances have one claim of a registered volume.
func (r *roleOf) shared(id string) bool { return r.options.Claims[id] || r.hints.EachNode() }

// ownVolume is the name of volumes that the pod has besides those of the role.
var ownVolume = lazyregexp.New(`^kumiki-(resolver|channels|(?:files|data|writable)[0-9]*)$`)

// nameParts gives the containers and volumes of the role their names in the pod,
// all of which differ.
func (r *roleOf) nameParts() {
	r.containers = labelsOf(targets.Keys(r.desc.Code), func(string) bool { return false })
	var keys []string // of volumes without a claim for each instance
	ids := map[string]bool{}
	for _, c := range r.desc.Code {
		for _, f := range c.Mapping.Filesystem {
			switch found := r.resource(f.Volume); {
			case f.Volume == "" || found == nil || found.Volume == nil:
			case found.Volume.Size == nil && !r.shared(found.Volume.ID):
				ids[found.Volume.ID] = true
			default:
				keys = append(keys, f.Volume)
			}
		}
	}
	r.claimed = claimNames(targets.Keys(ids))
	claimed := slices.Collect(maps.Values(r.claimed))
	slices.Sort(keys)
	r.called = labelsOf(slices.Compact(keys), func(word string) bool { return ownVolume().MatchString(word) || filter.Contains(claimed, word) })
}

// claimNames are the names of the claims of registered volumes, by their ids,
// which are sorted. They are names of volumes too, which have no dots.
func claimNames(ids []string) map[string]string {
	names, used := map[string]string{}, map[string]bool{}
	for _, id := range ids {
		name := strings.ReplaceAll(registeredName(id), ".", "-")
		if len(name) > targets.MaxName {
			name = label(id)
		}
		if used[name] || ownVolume().MatchString(name) {
			name = targets.Hashed(targets.MaxName, id)
		}
		names[id], used[name] = name, true
	}
	return names
}

// sharedClaim adds the claim of a name, which all instances mount.
func (r *roleOf) sharedClaim(path []string, short, name string) {
	if r.hasVolume(short) {
		return
	}
	if r.hints.EachNode() || r.most() > 1 {
		r.lost(diag.LostVolume, r.at, path, "the instances of %v have no volumes of their own: all of them mount the claim %s, which has to allow that", r.at, name)
	}
	r.volumes = append(r.volumes, corev1.Volume{Name: short, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
}

// sortMounts puts what lies in another volume behind it.
func sortMounts(mounts []corev1.VolumeMount) {
	sorting.By(mounts, func(a, b corev1.VolumeMount) int { return strings.Compare(a.MountPath, b.MountPath) })
}
