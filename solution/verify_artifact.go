package solution

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/internal/filter"
)

var (
	protocols   = []string{"http", "tcp", "udp", "grpc"}
	fileFormats = []string{"text", "json", "yaml"}
)

func itoa(i int) string { return strconv.Itoa(i) }

// numbers writes a list as JSON has it: [1, 0].
func numbers(list []int) string { return strings.ReplaceAll(fmt.Sprint(list), " ", ", ") }

// count is how many of the conditions hold.
func count(conditions ...bool) int {
	n := 0
	for _, holds := range conditions {
		if holds {
			n++
		}
	}
	return n
}

// deployment checks one deployment by itself.
func (v *verifier) deployment(p *at, name string, d *Deployment) {
	if !v.needs(d != nil, p, "is null") {
		return
	}
	v.needs(name != "", p, "has no name")
	v.needs(d.Name == name, p.in("name"), "is %q: it is the key, %q", d.Name, name)
	v.needs(d.Meta != nil, p.in("meta"), "is missing: write {} for none")
	v.config(p.in("config"), d.Config, true)
	if !v.needs(d.Artifact != nil, p.in("artifact"), "is missing") || v.looked[d.Artifact] {
		return
	}
	v.looked[d.Artifact] = true
	q := p.in("artifact")
	v.artifact(q, d.Artifact, "service")
	q = q.in("description")
	desc := d.Artifact.Description
	v.needs(len(desc.Code) == 0 && desc.Size == nil && desc.Profile == nil && desc.Probe == nil, q, "has code, size, profile or probe, which only components have")
	if desc.Builtin {
		v.needs(desc.Role == nil && desc.Connector == nil, q, "has roles or connectors, which no builtin has")
		return
	}
	v.needs(desc.Role != nil, q.in("role"), "is missing: write {} for none")
	v.needs(desc.Connector != nil, q.in("connector"), "is missing: write {} for none")
	for name, r := range each(v, desc.Role) {
		v.role(q.in("role").in(name), name, r)
	}
	from := map[Endpoint]string{}
	for name, c := range each(v, desc.Connector) {
		v.connector(q.in("connector").in(name), name, c, desc, from)
	}
}

// artifact checks what artifacts of every kind have.
func (v *verifier) artifact(p *at, a *Artifact, kind string) {
	ref := p.in("ref")
	v.needs(a.Ref.Kind == kind, ref.in("kind"), "is %q: what stands here is a %s, as deployments are of services and builtins, and the roles of a service are components", a.Ref.Kind, kind)
	v.version(ref.in("version"), a.Ref.Version)
	v.needs(len(a.Spec) > 0 && a.Spec[0] == 1, p.in("spec"), "is %s: only version 1 of the model is known", later(func() string { return numbers(a.Spec) }))
	d := p.in("description")
	v.config(d.in("config"), a.Description.Config, true)
	for _, side := range a.Description.Srv.sides() {
		v.channels(d.in("srv").in(side.name), side.channels, side.name != "client")
	}
}

type channelMap = map[string]*Channel

// side is one of the three kinds of channels.
type side struct {
	name     string
	channels channelMap
}

func (s Srv) sides() []side {
	return []side{{"client", s.Client}, {"duplex", s.Duplex}, {"server", s.Server}}
}

func (v *verifier) version(p *at, version []int) {
	v.needs(len(version) == 3 && slices.Min(version) >= 0, p, "is %s: it has three whole numbers, such as [1, 0, 0]", later(func() string { return numbers(version) }))
}

func (v *verifier) channels(p *at, channels channelMap, listens bool) {
	v.needs(channels != nil, p, "is missing: write {} for none")
	for name, c := range each(v, channels) {
		p := p.in(name)
		if !v.needs(c != nil, p, "is null") {
			continue
		}
		v.needs(name != "", p, "has no name")
		v.needs(filter.Contains(protocols, c.Protocol), p.in("protocol"), "is %q: it is one of %s", c.Protocol, strings.Join(protocols, ", "))
		if listens && !c.Inherited {
			v.needs(c.Port >= 1 && c.Port <= 65535, p.in("port"), "is %d: it is 1 to 65535", c.Port)
			v.needs(c.Portnum >= 1, p.in("portnum"), "is %d: it is 1 or more", c.Portnum)
			continue
		}
		v.needs(c.Port == 0 && c.Portnum == 0, p, "has a port, although nothing listens there")
	}
}

func (v *verifier) config(p *at, c Config, parameter bool) {
	v.needs(c.Parameter != nil || !parameter, p.in("parameter"), "is missing: write {} for none")
	v.amount(p.in("resilience"), c.Resilience)
	v.needs(c.Resource != nil, p.in("resource"), "is missing: write {} for none")
	for name, r := range each(v, c.Resource) {
		v.resource(p.in("resource").in(name), r)
	}
	v.scale(p.in("scale"), &c.Scale)
}

func (v *verifier) scale(p *at, s *Scale) {
	if s == nil {
		v.report(p, "is null")
		return
	}
	v.needs(s.Hsize == nil || *s.Hsize >= 0, p.in("hsize"), "is negative: it is the number of instances")
	for name, inner := range each(v, s.Detail) {
		v.scale(p.in("detail").in(name), inner)
	}
}

func (v *verifier) resource(p *at, r *Resource) {
	if !v.needs(r != nil, p, "is null") {
		return
	}
	kinds := count(r.Volume != nil, r.Secret != "", r.Port != "", r.Domain != "", r.Certificate != "", r.CA != "", r.Group != nil)
	v.needs(kinds <= 1, p, "is of %d kinds: it is of exactly one", kinds)
	if r.Volume != nil {
		forms := count(r.Volume.ID != "", r.Volume.Size != nil)
		v.needs(forms == 1, p.in("volume"), "has %d of id, size: it has exactly one", forms)
		if r.Volume.Size != nil {
			v.sized(p.in("volume"), *r.Volume.Size, "storage")
		}
	}
	for name, member := range each(v, r.Group) {
		v.resource(p.in(name), member)
	}
}

func (v *verifier) role(p *at, name string, r *Role) {
	if !v.needs(r != nil, p, "is null") {
		return
	}
	v.needs(name != "" && name != self, p, "is no name for a role")
	v.needs(r.Name == name, p.in("name"), "is %q: it is the key, %q", r.Name, name)
	v.config(p.in("config"), r.Config, false)
	v.needs(r.Config.Scale.Hsize != nil, p.in("config").in("scale").in("hsize"), "is missing: it is the number of instances")
	if v.needs(r.Artifact != nil, p.in("artifact"), "is missing") && !v.looked[r.Artifact] {
		v.looked[r.Artifact] = true
		v.component(p.in("artifact"), r.Artifact)
	}
}

func (v *verifier) sized(p *at, a Amount, kind string) {
	v.needs(a.Kind == kind, p.in("kind"), "is %q: it is %q", a.Kind, kind)
	v.needs(filter.Contains(units[kind], a.Unit), p.in("unit"), "is %q: it is one of %q", a.Unit, units[kind])
	v.amount(p.in("size"), a.Size)
}

// units are those of amounts, by kind, as the schema has them.
var units = map[string][]string{
	"cpu":       {"", "m"},
	"bandwidth": {"k", "M", "G", "T"},
	"ram":       {"k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"},
	"storage":   {"k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"},
}

func (v *verifier) amount(p *at, n json.Number) {
	v.needs(isAmount(n), p, "%s", later(func() string { return notAmount(n) }))
}

// maxDigits is how many digits an amount may have: far more than any that
// means something, and few enough to be computed with at once.
const maxDigits = 300

// isAmount reports whether n is a number, not negative, and of a size that can
// be computed with.
func isAmount(n json.Number) bool {
	if n != "" && len(n) <= maxDigits && isNumber(string(n)) {
		return true
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	power, err := strconv.Atoi(exponent)
	if len(mantissa) > maxDigits || exponent != "" && (err != nil || max(power, -power) > maxDigits) || !json.Valid([]byte(n)) {
		return false
	}
	r, ok := new(big.Rat).SetString(n.String())
	return ok && r.Sign() >= 0
}

func notAmount(n json.Number) string {
	return fmt.Sprintf("is %.40q: it is a number, 0 or more, of %d digits at most", n, maxDigits)
}
