package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/secretlike"
	"kumiki.dev/internal/sorting"
)

// role is what a service becomes: a component, and its place in the whole.
type role struct {
	app  *application
	name string
	s    types.ServiceConfig

	image, user         string // user in CUE
	entrypoint, command []string
	servers             []server
	links               []link
	clients             []client
	parameters          []parameter
	env                 []variable
	resources           []resource
	mounts              []mount
	probe               []string // lines of CUE
	hsize               int
	cpu, memory, least  string
	meta                []string // fields in CUE
}

// server is a port that a role listens at; open tells where it is open to.
type server struct {
	channel, protocol string
	port              int
	open              string // "inbound", "service" or ""
}

// link is a way that a role asks another one; the port is 0 where nothing tells it.
type link struct {
	to   *role
	port int
	key  string // of the Compose file that tells it
	used bool   // whether a value names the other one, which is written by the channel then
}

// client is a client channel.
type client struct {
	channel string
	to      *role
	server  string
}

// parameter is a field of config. Its value is that of a variable.
type parameter struct{ key, variable, value, typ string }

// variable is one of the environment; exactly one of its values is given.
type variable struct{ name, value, parameter, secret string }

// resource is a field of config.resource: a secret or a volume with its id, or a volume
// that goes with the instance, by its size in CUE.
type resource struct{ key, kind, id, size string }

// mount is a file, or a volume by the key of its resource.
type mount struct {
	path, volume string
	data         string
	mode         uint32
}

// names are those by which others find the role.
func (r *role) names() []string {
	out := []string{r.s.Name}
	for _, name := range []string{r.s.ContainerName, r.s.Hostname} {
		if name != "" {
			out = append(out, name)
		}
	}
	for _, name := range sorting.Ordered(r.s.Networks) {
		if n := r.s.Networks[name]; n != nil {
			out = append(out, n.Aliases...)
		}
	}
	return out
}

func (r *role) note(key, text string, args ...any) { r.app.note(r.s.Name, key, text, args...) }

// container reads what runs.
func (r *role) container() {
	r.image = r.s.Image
	if r.s.Build != nil {
		r.image = cmp.Or(r.image, r.app.name+"/"+r.name+":latest")
		r.note("build", "build it, push it, and write its reference in %s, where %s is now", r.dir()+"/component.cue", unmarked(r.image))
	}
	r.entrypoint, r.command = r.s.Entrypoint, r.s.Command
	for key, words := range map[string][]string{"entrypoint": r.entrypoint, "command": r.command} {
		if filter.Any(words, func(w string) bool { return secretlike.Is("", w) }) {
			r.note(key, "has a secret in it, which everybody would read: give it in a variable")
			if key == "command" {
				r.command = nil
			} else {
				r.entrypoint = nil
			}
		}
	}
	if r.s.User == "" {
		return
	}
	user, group, _ := strings.Cut(r.s.User, ":")
	uid, err := strconv.ParseUint(user, 10, 32)
	gid, wrong := strconv.ParseUint(cmp.Or(group, user), 10, 32)
	if err != nil || wrong != nil {
		r.note("user", "%s is a name: write the numbers of the user and the group", unmarked(r.s.User))
		return
	}
	r.user = fmt.Sprintf("{userid: %d, groupid: %d}", uid, gid)
}

// scale reads how many instances there are, and how they are replaced.
func (r *role) scale() {
	r.hsize = r.s.GetScale()
	d := r.s.Deploy
	if d == nil {
		return
	}
	if d.Mode == "global" {
		r.meta = append(r.meta, `share: "node"`)
		r.hsize = 1
	}
	if u := d.UpdateConfig; u != nil {
		var fields []string
		if u.Parallelism != nil && *u.Parallelism > 0 {
			fields = append(fields, fmt.Sprintf("parallelism: %d", *u.Parallelism))
		}
		if u.Delay > 0 {
			fields = append(fields, fmt.Sprintf("delay: %d", milliseconds(u.Delay)))
		}
		if u.Order != "" {
			fields = append(fields, "order: "+quote(u.Order))
		}
		if len(fields) > 0 {
			r.meta = append(r.meta, "rollout: {"+strings.Join(fields, ", ")+"}")
		}
	}
}

// size reads what an instance may take. Compose sets no limit where nothing is said; the
// model needs one.
func (r *role) size() {
	cpus, memory, least := float64(r.s.CPUS), r.s.MemLimit, 0.0
	if d := r.s.Deploy; d != nil {
		if l := d.Resources.Limits; l != nil {
			cpus, memory = cmp.Or(float64(l.NanoCPUs), cpus), cmp.Or(l.MemoryBytes, memory)
		}
		if l := d.Resources.Reservations; l != nil {
			least = float64(l.NanoCPUs)
			memory = cmp.Or(memory, l.MemoryBytes)
		}
	}
	thousandths := func(n float64) int { return max(1, int(n*1000+0.5)) }
	r.cpu, r.memory = "{size: 500, unit: \"m\"}", "{size: 512, unit: \"M\"}"
	if cpus > 0 || least > 0.5 {
		r.cpu = fmt.Sprintf("{size: %d, unit: \"m\"}", thousandths(max(cpus, least)))
	}
	if memory > 0 {
		r.memory = amount(int64(memory))
	}
	if least > 0 {
		r.least = strconv.Itoa(thousandths(least))
	}
	if cpus == 0 && memory == 0 {
		r.app.unlimited = append(r.app.unlimited, r.s.Name)
	}
}

// amount is a number of bytes, in CUE.
func amount(n int64) string {
	switch {
	case n%(1<<30) == 0:
		return fmt.Sprintf("{size: %d, unit: \"Gi\"}", n>>30)
	case n%(1<<20) == 0:
		return fmt.Sprintf("{size: %d, unit: \"Mi\"}", n>>20)
	default:
		return fmt.Sprintf("{size: %d, unit: \"Ki\"}", (n+1023)>>10)
	}
}

func milliseconds(d types.Duration) int64 { return int64(d) / 1e6 }

// hints reads what the model says in meta.
func (r *role) hints() {
	if r.s.Init != nil && *r.s.Init {
		r.meta = append(r.meta, "init: true")
	}
	if r.s.StopGracePeriod != nil {
		r.meta = append(r.meta, fmt.Sprintf("stopGrace: %d", milliseconds(*r.s.StopGracePeriod)))
	}
	if r.s.ReadOnly {
		r.meta = append(r.meta, "readOnlyRoot: true")
	}
}

// resource adds a field of config.resource, once.
func (r *role) resource(field resource) {
	if !filter.Contains(r.resources, field) {
		r.resources = append(r.resources, field)
	}
}

// parameter is the key of the parameter that a variable becomes. A value that is "" is
// one that the deployment has to give, unless the type is said.
func (r *role) parameter(name, value, typ string) string {
	key := camel(name)
	for i := 2; ; i++ {
		at := slices.IndexFunc(r.parameters, func(p parameter) bool { return p.key == key })
		if at < 0 {
			break
		}
		if r.parameters[at].variable == name {
			return key
		}
		key = camel(name) + strconv.Itoa(i)
	}
	r.parameters = append(r.parameters, parameter{key, name, value, typ})
	return key
}

// text is a text of the Compose file in CUE; the variables in it become parameters.
func (r *role) text(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	last := 0
	for _, at := range hole.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(inner(text[last:at[0]]))
		if name := text[at[2]:at[3]]; secretlike.Is(name, "Tr0ub4dor&3") {
			out.WriteString(inner("${" + name + "}")) // for a shell, which finds it in its environment
			r.note(name, "is a secret in a text, where only a shell would find it: give it in a variable")
		} else {
			out.WriteString(`\(config.parameter.` + label(r.parameter(name, "", "string")) + ")")
		}
		last = at[1]
	}
	out.WriteString(inner(text[last:]) + `"`)
	return out.String()
}
