package solution

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// role makes a role that a component fills.
func (e *extractor) role(r *value.Role, name string) *Role {
	a, ok := e.components[r.Node]
	if !ok {
		a = e.component(r.Node)
		e.components[r.Node] = a
	}
	config := a.Description.Config
	config.Parameter = nil // a role's config has none in the format
	out := &Role{Artifact: a, Config: config, Name: name}
	if len(r.Meta.Each()) > 0 {
		out.Meta = object(r.Meta)
	}
	return out
}

// component makes the artifact of a component, derived values included.
func (e *extractor) component(n *value.Node) *Artifact {
	a := e.artifact(n)
	d := &a.Description
	c := &componentOf{extractor: e, node: n}
	d.Code = map[string]*Container{}
	for _, f := range n.Description.Get("code").Each() {
		d.Code[f.Name] = c.container(f.Name, f.Value)
	}
	if len(d.Code) == 0 {
		c.report(diag.New(diag.NoContainer, n.Pos, "%s has no container: write code: NAME: {image: tag: …, size: …}", c.what()).AtPath("code"))
	}
	d.Probe = map[string]*Probe{}
	for _, f := range n.Description.Get("probe").Each() {
		d.Probe[f.Name] = c.probe(f.Name, f.Value, d.Code)
	}
	d.Profile = c.profile()
	d.Size = c.size(d.Code)
	return a
}

func (c *componentOf) profile() *Profile {
	given := c.node.Description.Get("profile")
	out := again[Profile](c, given, "profile")
	if given.Get("threadability") == nil {
		out.Threadability = "*"
	}
	return out
}

// componentOf is a component that is being made.
type componentOf struct {
	*extractor
	node *value.Node
	code string // the container that is being made
}

// report keeps a problem with the component, whose path is that from its
// description.
func (c *componentOf) report(d *diag.Diagnostic) {
	c.extractor.report(d.In(c.node.Package.ImportPath(), d.At...))
}

// at is the path of something in the container that is being made.
func (c *componentOf) at(path ...string) []string { return append([]string{"code", c.code}, path...) }

func (c *componentOf) what() string { return "component " + c.node.Called() }

func (c *componentOf) container(key string, d *value.Data) *Container {
	c.code = key
	out, mapping := again[Container](c, d.Set("mapping", nil), "code", key), d.Get("mapping")
	out.Mapping = Mapping{Env: map[string]*Env{}, Filesystem: map[string]*File{}}
	if d.Get("name") == nil {
		out.Name = key
	}
	if out.Name != key {
		c.report(diag.Warn(diag.ContainerName, d.Get("name").Pos, "container %s of %s is called %q: its name is the one it is listed under, write code: %s: name: %q or leave it out", key, c.what(), out.Name, key, key).
			AtPath("code", key, "name"))
	}
	if key == "" || out.Image.Tag == "" && d.Get("image", "tag") != nil {
		c.report(diag.New(diag.Shape, d.Pos, "container %q of %s has an empty name or image: write code: NAME: image: tag: \"…\"", key, c.what()).
			AtPath("code", key, "image", "tag"))
	}
	c.checkImage(key, d.Get("image"), out.Image)
	c.checkWords("entrypoint", d.Get("entrypoint"))
	c.checkWords("cmd", d.Get("cmd"))
	c.containerSize(key, d, &out.Size)
	for _, f := range mapping.Get("env").Each() {
		c.checkEnvName(f)
		out.Mapping.Env[f.Name] = c.env(f.Name, f.Value)
	}
	c.checkPaths(key, mapping.Get("filesystem"))
	for _, f := range mapping.Get("filesystem").Each() {
		out.Mapping.Filesystem[f.Name] = c.file(f.Name, f.Value)
	}
	if secret := out.Image.Hub.Secret; secret != "" {
		c.resource("code."+key+".image.hub.secret", d.Get("image", "hub", "secret"), "secret", "image", "hub", "secret")
	}
	return out
}

func (c *componentOf) containerSize(key string, d *value.Data, size *ContainerSize) {
	size.CPU.Kind, size.Memory.Kind = "cpu", "ram"
	if size.Mincpu == "" {
		size.Mincpu = size.CPU.Size
	}
	minimum, most := rat(size.Mincpu), rat(size.CPU.Size)
	if minimum.Cmp(most) > 0 && !d.Get("size").HasStandIn() {
		c.report(diag.New(diag.Size, d.Get("size", "mincpu").Pos, "container %s of %s is guaranteed more cpu (mincpu %s) than it may use (cpu %s%s): mincpu is at most cpu.size, and in its unit", key, c.what(), size.Mincpu, size.CPU.Size, size.CPU.Unit).
			AtPath("code", key, "size", "mincpu"))
	}
}

// size is the size of an instance: bandwidth as given, mincpu as the sum over
// the containers, in thousandths of a core.
func (c *componentOf) size(code map[string]*Container) *Size {
	given := c.node.Description.Get("size")
	out := again[Size](c, given.Set("mincpu", nil), "size")
	if given.Get("bandwidth") == nil {
		c.report(diag.New(diag.NoSize, c.node.Pos, "%s does not say what bandwidth an instance needs: write size: bandwidth: {size: 100, unit: \"M\"}", c.what()).
			AtPath("size", "bandwidth"))
	}
	out.Bandwidth.Kind = "bandwidth"
	if out.Minbandwidth == "" {
		out.Minbandwidth = out.Bandwidth.Size
	}
	if least, most := rat(out.Minbandwidth), rat(out.Bandwidth.Size); least.Cmp(most) > 0 && !given.HasStandIn() {
		c.report(diag.New(diag.Size, given.Get("minbandwidth").Pos, "%s is guaranteed more bandwidth (minbandwidth %s) than it may use (bandwidth %s%s): minbandwidth is at most bandwidth.size, and in its unit", c.what(), out.Minbandwidth, out.Bandwidth.Size, out.Bandwidth.Unit).
			AtPath("size", "minbandwidth"))
	}
	sum := new(big.Rat)
	for _, container := range code {
		part := rat(container.Size.Mincpu)
		if container.Size.CPU.Unit == "" {
			part.Mul(part, big.NewRat(1000, 1))
		}
		sum.Add(sum, part)
	}
	out.Mincpu = Amount{Kind: "cpu", Size: json.Number(decimal(sum)), Unit: "m"}
	return out
}

// file makes what lies at a path: a file or a volume.
func (c *componentOf) file(path string, d *value.Data) *File {
	out := &File{Path: path}
	volume, data := d.Get("volume"), d.Get("data")
	if (volume == nil) == (data == nil) {
		found := "neither data nor a volume"
		if volume != nil {
			found = "both data and a volume"
		}
		c.report(diag.New(diag.FileForm, d.Pos, "path %s of %s has %s: write either volume: KEY or data: value: …", path, c.what(), found).AtPath(c.at("mapping", "filesystem", path)...))
		return out
	}
	if !strings.HasPrefix(path, "/") {
		c.report(diag.New(diag.FileForm, d.Pos, "path %q of %s is not absolute: it starts with /", path, c.what()).AtPath(c.at("mapping", "filesystem", path)...))
	}
	if volume != nil {
		c.resource("path "+path, volume, "volume", "mapping", "filesystem", path, "volume")
		out.Volume = volume.Str()
		return out
	}
	format, mode, reboot := "text", 0o644, false
	out = c.written(path, d, data)
	if out.Path == "" {
		out.Path = path
	}
	if out.Format == "" {
		out.Format = format
	}
	if out.Mode == nil {
		out.Mode = &mode
	}
	if out.RebootOnUpdate == nil {
		out.RebootOnUpdate = &reboot
	}
	if text := data.Get("value"); out.Format == "text" && (text == nil || text.Kind != value.String) {
		c.report(diag.New(diag.FileForm, data.Pos, "file %s of %s has format text, but its contents are not a string: write format: \"json\" or \"yaml\"", path, c.what()).AtPath(c.at("mapping", "filesystem", path)...))
	}
	return out
}

// written decodes a file. The files of components often differ in their contents only, so all the rest
// is decoded once.
func (c *componentOf) written(path string, d, data *value.Data) *File {
	text := data.Get("value")
	if text == nil || len(data.Fields) > 1 {
		return decoded[File](c, d, "filesystem", path)
	}
	out := again[File](c, d.Set("data", nil), "filesystem", path)
	out.Data = &FileData{Value: text.Any()}
	return out
}

func (c *componentOf) probe(key string, d *value.Data, code map[string]*Container) *Probe {
	out := again[Probe](c, d, "probe", key)
	if code[key] == nil {
		var containers []string
		for name := range code {
			containers = append(containers, name)
		}
		slices.Sort(containers)
		c.report(diag.Warn(diag.UnknownContainer, d.Pos, "%s has a probe for container %s, which it does not have%s: the probe does nothing", c.what(), key, hint(key, containers)).
			AtPath("probe", key))
	}
	for _, name := range []string{"liveness", "readiness"} {
		check := d.Get(name)
		if check == nil {
			continue
		}
		if ways := names(check.Get("protocol")); len(ways) != 1 {
			c.report(diag.New(diag.ProbeForm, check.Pos, "%s probe of container %s of %s has %d protocols: give it exactly one of http, tcp, exec, grpc", name, key, c.what(), len(ways)).
				AtPath("probe", key, name, "protocol"))
		}
	}
	return out
}

// reading is JSON that was read as a value of some type.
type reading struct {
	as   reflect.Type
	json string
}

// again is [decoded] for what many components have in common: what is read once is
// copied. Solutions are not changed, so that the copies may share what is in them.
func again[T any](c *componentOf, d *value.Data, path ...string) *T {
	key := reading{reflect.TypeFor[T](), d.JSON()}
	known, ok := c.read[key].(*T)
	if !ok {
		before := len(c.problems)
		known = decoded[T](c, d, path...)
		if len(c.problems) == before {
			c.read[key] = known
		}
	}
	out := *known
	return &out
}

// decoded reads finished data into a typed value. The schema has checked types already; what it leaves open is reported here.
func decoded[T any](c *componentOf, d *value.Data, path ...string) *T {
	out := new(T)
	if d == nil {
		return out
	}
	if err := strict(d.AppendJSON(nil), out); err != nil && !d.HasStandIn() {
		c.report(diag.New(diag.Shape, d.Pos, "%s of %s does not have the model's shape: %v", strings.Join(path, "."), c.what(), err).AtPath(path...))
	}
	return out
}

func names(d *value.Data) []string {
	var out []string
	for _, f := range d.Each() {
		out = append(out, f.Name)
	}
	return out
}

// rat is the exact value of a number; 0 for what is none, which the schema
// rules out.
func rat(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return new(big.Rat)
	}
	return r
}

// decimal writes a number with as many digits as it needs, six at most.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(strings.TrimRight(r.FloatString(6), "0"), ".")
}
