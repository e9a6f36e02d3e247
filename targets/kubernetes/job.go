package kubernetes

import (
	"encoding/json"
	"math"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"kumiki.dev/diag"
	"kumiki.dev/targets"
)

// ends reports whether the role's instances may end, and are started again only if they fail,
// or not at all: they are those of a Job. It is for roles that nobody calls and whose
// instances are alike; all others are always started again.
func (r *roleOf) ends() bool {
	return r.mayEnd() && !r.hints.EachNode() && !r.stateful() && !r.hints.HPA.On() && len(r.desc.Srv.Server) == 0
}

// mayEnd reports whether the role's instances are not always started again.
func (r *roleOf) mayEnd() bool { return r.hints.Restart == "on-failure" || r.hints.Restart == "never" }

// restarts reports that instances are started again although the role says otherwise.
func (r *roleOf) restarts() {
	if r.mayEnd() && !r.ends() {
		r.lost(diag.LostMeta, r.at, []string{"meta", "restart"}, "Kubernetes always restarts the instances of a role that has server channels or volumes, or whose instances have names, follow the load or are on each node: %v has meta.restart %q", r.at, r.hints.Restart)
	}
}

// maxJob is the length of a Job's name without the hash: its pods are called after it, and
// have a number.
const maxJob = maxWorkload - hashLength

// job is named by what it runs, which a Job cannot change: a new version is a new one.
func (r *roleOf) job(t corev1.PodTemplateSpec) {
	n, endless, none := int32(r.hsize()), int32(math.MaxInt32), int32(0)
	indexed := batchv1.IndexedCompletion
	j := &batchv1.Job{ObjectMeta: r.workloadMeta(), Spec: batchv1.JobSpec{Parallelism: &n, Completions: &n, CompletionMode: &indexed}}
	if r.hints.Restart == "never" {
		t.Spec.RestartPolicy, j.Spec.BackoffLimitPerIndex = corev1.RestartPolicyNever, &none
	} else {
		t.Spec.RestartPolicy, j.Spec.BackoffLimit = corev1.RestartPolicyOnFailure, &endless
	}
	j.Spec.Template = t
	j.Name = targets.Name(maxJob, r.at.deployment, r.at.role)
	if text, err := json.Marshal(t); err == nil {
		j.Name += "-" + targets.Hash(text)
	}
	j.APIVersion, j.Kind = "batch/v1", "Job"
	r.add("Job", j.Name, r.at, j)
}
