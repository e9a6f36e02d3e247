package compose

import (
	"fmt"
	"strconv"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/internal/secretlike"
)

var (
	// byHTTP is a command that asks a container's own web server.
	byHTTP = lazyregexp.New(`^\s*(?:curl|wget)\s[^|;&]*?['"]?\bhttp://(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::([0-9]{1,5}))?(/[^\s'"|;&]*)?['"]?(?:\s+-[^|;&]*)?\s*(?:>\s*\S+)?\s*(?:2>&1)?\s*(?:\|\|\s*(?:exit\s+1|false)\s*)?$`)
	// byTCP is one that opens a connection.
	byTCP = lazyregexp.New(`^\s*nc\s+-\w*z\w*\s+(?:-\w+\s+)*(?:localhost|127\.0\.0\.1)\s+([0-9]{1,5})\s*(?:\|\|\s*exit\s+1\s*)?$`)
)

// healthcheck makes probes. Compose asks one thing; whoever does not answer is neither
// ready nor, after a while, alive.
func (r *role) healthcheck() {
	h := r.s.HealthCheck
	if h == nil || h.Disable || len(h.Test) == 0 || h.Test[0] == "NONE" {
		return
	}
	protocol := r.asked(h.Test)
	if protocol == "" {
		return
	}
	interval, retries, timeout := int64(30000), uint64(3), int64(30000)
	if h.Interval != nil && *h.Interval > 0 {
		interval = milliseconds(*h.Interval)
	}
	if h.Retries != nil && *h.Retries > 0 {
		retries = *h.Retries
	}
	if h.Timeout != nil && *h.Timeout > 0 {
		timeout = milliseconds(*h.Timeout)
	}
	start := interval * int64(min(retries, 1000))
	if h.StartPeriod != nil && *h.StartPeriod > 0 {
		start = milliseconds(*h.StartPeriod)
	}
	if h.StartInterval != nil {
		r.note("healthcheck.start_interval", "the health is asked at one pace, before and after it is there")
	}
	common := fmt.Sprintf("protocol: %s\nfrequency: %d\ntimeout: %d\n", protocol, interval, timeout)
	r.probe = []string{
		"liveness: {\n" + common + fmt.Sprintf("startupGraceWindow: {unit: \"ms\", duration: %d, probe: true}\n}", start),
		"readiness: {\n" + common + "}",
	}
}

// asked is how a command asks, in CUE: by HTTP or TCP where that is what it does.
func (r *role) asked(test []string) string {
	command := test[1:]
	text := strings.Join(command, " ")
	if secretlike.Is("", text) || filter.Any(command, func(word string) bool { return r.isSecret(word) }) {
		r.note("healthcheck.test", "has a secret in it, which everybody would read: no probe is made of it")
		return ""
	}
	if m := byHTTP().FindStringSubmatch(text); m != nil {
		path := m[2]
		if path == "" {
			path = "/"
		}
		return fmt.Sprintf("http: {port: %s, path: %s}", r.portOf(m[1], 80), r.text(path))
	}
	if m := byTCP().FindStringSubmatch(text); m != nil {
		return "tcp: port: " + r.portOf(m[1], 80)
	}
	words := []string{}
	if test[0] == "CMD-SHELL" {
		words = append(words, `"sh"`, `"-c"`)
	}
	for _, word := range command {
		words = append(words, r.text(word))
	}
	return "exec: command: [" + strings.Join(words, ", ") + "]"
}

// isSecret reports whether a word of a command has the value of a secret in it, be it in
// clear (-psecret) or as an option.
func (r *role) isSecret(word string) bool {
	for value := range r.app.ids {
		if value, ok := strings.CutPrefix(value, "value "); ok && !strings.ContainsRune(value, open) && len(value) >= 4 && strings.Contains(word, value) {
			return true
		}
	}
	return false
}

// portOf is a port in CUE: that of a channel where there is one.
func (r *role) portOf(text string, otherwise int) string {
	n, _ := strconv.Atoi(text)
	if n == 0 {
		n = otherwise
	}
	for _, s := range r.servers {
		if s.port == n && s.protocol != "udp" {
			return "srv.server." + label(s.channel) + ".port"
		}
	}
	return strconv.Itoa(n)
}
