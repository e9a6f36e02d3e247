package kubernetes

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"kumiki.dev/solution"
)

// frequencies are how often containers are asked, in milliseconds. Kumori's
// documents say what the words are, not how long they take.
var frequencies = map[string]int64{"low": 60_000, "medium": 15_000, "high": 5_000}

const (
	probeTimeout  = 1000 // milliseconds, where a check says nothing
	startupPeriod = 5    // seconds: a container that has started is noticed soon
)

// probes are the container's health checks. What has a time to start gets a
// probe of its own for that, which ends as soon as it has started.
func (r *roleOf) probes(key string, c *corev1.Container) {
	p := r.desc.Probe[key]
	if p == nil {
		return
	}
	if p.Liveness != nil {
		c.LivenessProbe = probe(p.Liveness)
		c.StartupProbe = startup(p.Liveness, c.LivenessProbe)
	}
	if p.Readiness != nil {
		c.ReadinessProbe = probe(p.Readiness)
		if started := startup(p.Readiness, c.ReadinessProbe); c.StartupProbe == nil {
			c.StartupProbe = started
		}
	}
}

func probe(c *solution.Check) *corev1.Probe {
	timeout, ok := milliseconds(c.Timeout)
	if !ok || timeout <= 0 {
		timeout = probeTimeout
	}
	return &corev1.Probe{ProbeHandler: handler(c.Protocol), PeriodSeconds: max(1, seconds(frequency(c))), TimeoutSeconds: max(1, seconds(timeout))}
}

// startup is the probe during the time to start; nil where the check is merely
// to begin later, which it then does.
func startup(c *solution.Check, main *corev1.Probe) *corev1.Probe {
	w := c.StartupGraceWindow
	if w == nil {
		return nil
	}
	n, _ := milliseconds(w.Duration)
	period := main.PeriodSeconds
	attempts := int32(min(n, 1<<31-1))
	if w.Unit != "attempts" {
		period = min(period, startupPeriod)
		attempts = (seconds(n) + period - 1) / period
	}
	if attempts <= 0 {
		return nil
	}
	if !w.Probe {
		main.InitialDelaySeconds = attempts * period
		if w.Unit != "attempts" {
			main.InitialDelaySeconds = seconds(n)
		}
		return nil
	}
	return &corev1.Probe{ProbeHandler: main.ProbeHandler, PeriodSeconds: period, TimeoutSeconds: main.TimeoutSeconds, FailureThreshold: attempts}
}

func handler(p solution.ProbeProtocol) (h corev1.ProbeHandler) {
	switch {
	case p.Exec != nil:
		h.Exec = &corev1.ExecAction{Command: literals(p.Exec.Command)} // the kubelet fills in variables here as well
	case p.HTTP != nil:
		h.HTTPGet = &corev1.HTTPGetAction{Path: "/" + strings.TrimPrefix(p.HTTP.Path, "/"), Port: intstr.FromInt(p.HTTP.Port)}
	case p.TCP != nil:
		h.TCPSocket = &corev1.TCPSocketAction{Port: intstr.FromInt(p.TCP.Port)}
	case p.GRPC != nil:
		h.GRPC = &corev1.GRPCAction{Port: int32(p.GRPC.Port)}
		if p.GRPC.Service != "" {
			h.GRPC.Service = &p.GRPC.Service
		}
	}
	return h
}

// frequency is the time between two checks, in milliseconds.
func frequency(c *solution.Check) int64 {
	switch f := c.Frequency.(type) {
	case string:
		if ms, ok := frequencies[f]; ok {
			return ms
		}
	case json.Number:
		if ms, ok := milliseconds(f); ok && ms > 0 {
			return ms
		}
	case float64:
		if ms, ok := milliseconds(json.Number(strconv.FormatFloat(f, 'f', -1, 64))); ok && ms > 0 {
			return ms
		}
	}
	return frequencies["medium"]
}

// milliseconds is a number, rounded up, that is not longer than some years.
func milliseconds(n json.Number) (int64, bool) {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok || r.Sign() < 0 {
		return 0, false
	}
	up := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	up.Quo(up, r.Denom())
	return up.Int64(), up.IsInt64() && up.Int64() < 1e12
}
