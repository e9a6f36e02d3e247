package swarm

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
)

// frequencies are how often containers are asked. Kumori's documents say what
// the words are, not how long they take.
var frequencies = map[string]time.Duration{"low": time.Minute, "medium": 15 * time.Second, "high": 5 * time.Second}

const (
	probeTimeout = time.Second // where a check says nothing
	retries      = 3           // failures in a row that count
)

// healthcheck is that of a container. Swarm knows one for each: what fails it is
// replaced, and is found by nobody until it has passed it once. That is liveness;
// readiness takes its place where there is no liveness, and no proxy asks for it.
func (r *roleOf) healthcheck(key string, c *solution.Container) *Healthcheck {
	probe := r.role.Artifact.Description.Probe[key]
	if probe == nil {
		return nil
	}
	kind, check := "liveness", probe.Liveness
	if check == nil {
		kind, check = "readiness", probe.Readiness
	}
	if check == nil || kind == "readiness" && r.askedByProxy(key, check) {
		return nil
	}
	path := []string{"probe", key, kind}
	test := command(check.Protocol, c)
	if kind == "readiness" && test != nil {
		r.lost(diag.LostProbe, r.at, path, "Swarm replaces what fails its health check: container %s of %v is not just left alone while it is not ready", key, r.at)
	}
	if second := probe.Readiness; kind == "liveness" && second != nil && !same(check, second) && !r.askedByProxy(key, second) {
		r.lost(diag.LostProbe, r.at, []string{"probe", key, "readiness"}, "Swarm knows one health check: container %s of %v gets requests as soon as it is alive", key, r.at)
	}
	if test == nil {
		r.lost(diag.LostProbe, r.at, path, "Swarm's health checks are commands, and image %s is not known to have one for this: container %s of %v is not asked whether it is in good health", c.Image.Tag, key, r.at)
		return nil
	}
	interval := frequency(check)
	h := &Healthcheck{Test: test, Interval: interval.String(), Timeout: timeout(check).String(), Retries: retries}
	if w := check.StartupGraceWindow; w != nil {
		h.StartPeriod = grace(w, interval).String()
	}
	return h
}

// same reports whether two checks ask the same.
func same(a, b *solution.Check) bool {
	x, errX := json.Marshal(a.Protocol)
	y, errY := json.Marshal(b.Protocol)
	return errX == nil && errY == nil && string(x) == string(y)
}

// command is what asks the container from inside, nil if it has nothing to ask
// with: only images on Alpine and BusyBox say by their name what they hold.
func command(p solution.ProbeProtocol, c *solution.Container) []string {
	small := strings.Contains(c.Image.Tag, "alpine") || strings.Contains(c.Image.Tag, "busybox")
	switch {
	case p.Exec != nil:
		return append([]string{"CMD"}, p.Exec.Command...)
	case p.HTTP != nil && small:
		return []string{"CMD", "wget", "-q", "-O", "/dev/null", fmt.Sprintf("http://127.0.0.1:%d/%s", p.HTTP.Port, strings.TrimPrefix(p.HTTP.Path, "/"))}
	case p.TCP != nil && small:
		return []string{"CMD", "nc", "-z", "127.0.0.1", strconv.Itoa(p.TCP.Port)}
	default:
		return nil
	}
}

func frequency(c *solution.Check) time.Duration {
	switch f := c.Frequency.(type) {
	case string:
		if d, ok := frequencies[f]; ok {
			return d
		}
	case json.Number:
		if ms, ok := whole(f); ok && ms > 0 {
			return milliseconds(ms)
		}
	case float64:
		if f >= 1 {
			return milliseconds(int64(f))
		}
	}
	return frequencies["medium"]
}

func timeout(c *solution.Check) time.Duration {
	if ms, ok := whole(c.Timeout); ok && ms > 0 {
		return milliseconds(ms)
	}
	return probeTimeout
}

func grace(w *solution.GraceWindow, interval time.Duration) time.Duration {
	n, _ := whole(w.Duration)
	if w.Unit == "attempts" {
		return time.Duration(n) * interval
	}
	return milliseconds(n)
}

// whole is a number that has no fraction and is not too large for a duration.
func whole(n json.Number) (int64, bool) {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok || !r.IsInt() || !r.Num().IsInt64() || r.Num().Int64() > int64(time.Hour)*24*365/1e6 {
		return 0, false
	}
	return r.Num().Int64(), true
}
