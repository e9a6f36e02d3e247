package solution

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"kumiki.dev/internal/diag"
	"kumiki.dev/spread"
)

// secretName is what environment variables that hold secrets are called, and
// notSecret what those are that only look like it.
var (
	secretName = regexp.MustCompile(`(?i)(passw|secret|token|api_?key|private_?key|credential)`)
	notSecret  = regexp.MustCompile(`(?i)(_FILE|_PATH|_DIR|_NAME|_ID|_TTL|_URL|_TYPE|_LENGTH|_ENABLED|_REQUIRED)$`)
	plainWord  = regexp.MustCompile(`(?i)^(|yes|no|true|false|on|off|none|/.*|[0-9]{1,6})$`)
)

// checkSecret warns of a secret's value in an artifact, where everybody who
// can read the artifact can read it.
func (c *componentOf) checkSecret(name string, value *spread.Data) {
	if !secretName.MatchString(name) || notSecret.MatchString(name) || plainWord.MatchString(value.Str()) {
		return
	}
	key := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	c.report(diag.Warn(diag.SecretInEnv, value.Pos, "environment variable %s of %s looks like a secret, and its value is written here: declare config: resource: %s: k.#Secret and write %s: secret: %q", name, c.what(), key, name, key).
		AtPath("env", name))
}

// checkPaths reports paths that are written in two ways but are the same.
func (c *componentOf) checkPaths(container string, filesystem *spread.Data) {
	seen := map[string]string{}
	for _, f := range filesystem.Each() {
		clean := path.Clean(f.Name)
		if other, ok := seen[clean]; ok {
			c.report(diag.New(diag.SamePath, f.Value.Pos, "paths %q and %q of container %s of %s are the same: only one thing can lie there", other, f.Name, container, c.what()).
				AtPath("code", container, "mapping", "filesystem", f.Name))
		}
		seen[clean] = f.Name
	}
}

// checkProtocols reports connectors that join udp with a protocol that is not
// carried by it. Protocols are labels otherwise: tcp is joined with http freely.
func (t *topology) checkProtocols(name string, c *spread.Data) {
	clients := t.protocols(c.Get("from"), func(f spread.Field) []string { return []string{f.Value.Str()} })
	servers := t.protocols(c.Get("to"), func(f spread.Field) []string { return names(f.Value) })
	for _, from := range clients {
		for _, to := range servers {
			if (from.protocol == "udp") != (to.protocol == "udp") {
				t.report(diag.New(diag.WrongProtocol, c.Pos, "connector %s joins channel %s of %s (%s) with channel %s of %s (%s): udp reaches only udp", name,
					from.channel, t.end(from.role), from.protocol, to.channel, t.end(to.role), to.protocol).AtPath(t.field("connect", name)...))
			}
		}
	}
}

// speaker is an end of a connector with what it speaks.
type speaker struct{ role, channel, protocol string }

func (t *topology) protocols(ends *spread.Data, channels func(spread.Field) []string) []speaker {
	var out []speaker
	for _, f := range ends.Each() {
		srv := t.srv(t.node)
		if r := t.roles[f.Name]; r != nil && r.Node != nil {
			srv = t.srv(r.Node)
		} else if f.Name != self {
			continue
		}
		for _, name := range channels(f) {
			for _, m := range []map[string]*Channel{srv.Client, srv.Server, srv.Duplex} {
				if ch := m[name]; ch != nil {
					out = append(out, speaker{f.Name, name, ch.Protocol})
				}
			}
		}
	}
	return slices.Compact(out)
}

// checkRoleName reports role names that could be taken for something else in
// the names of deployments and the ends of connectors.
func (e *extractor) checkRoleName(p placed, r *spread.Role) {
	if r.Name != "" && r.Name != self && !strings.ContainsAny(r.Name, "./") {
		return
	}
	e.report(diag.New(diag.Shape, r.Pos, "role %q of service %s has no name for a role: it is not empty, not self, and has no dot and no slash, which the names of deployments are made with", r.Name, p.node.Ref.Name).
		AtPath(append(slices.Clip(p.path), "role", r.Name)...))
}
