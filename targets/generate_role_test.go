package targets_test

import (
	"strings"

	"pgregory.net/rapid"

	"kumiki.dev/solution"
)

// id is that of a registered resource.
func id() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom([]string{"a-b", "a.b", "日本", "kumiki-data", "db"}), name(), rapid.Custom(func(t *rapid.T) string { return name().Draw(t, "owner") + "/" + name().Draw(t, "id") }))
}

// alike are some of the names, and any others: those can come out the same.
func alike(some ...string) *rapid.Generator[[]string] {
	return rapid.SliceOfNDistinct(rapid.OneOf(rapid.SampledFrom(some), rapid.SampledFrom(some), name()), 3, 5, rapid.ID)
}

// role is one of a component.
func (g *generator) role(name string) *solution.Role {
	hsize := rapid.IntRange(0, 3).Draw(g.t, "hsize")
	desc := solution.Description{
		Code: map[string]*solution.Container{}, Probe: map[string]*solution.Probe{}, Profile: &solution.Profile{}, Config: config(),
		Size: &solution.Size{Bandwidth: amount("bandwidth", "M"), Minbandwidth: "0", Mincpu: amount("cpu", "m")},
		Srv:  solution.Srv{Client: map[string]*solution.Channel{}, Duplex: map[string]*solution.Channel{}, Server: map[string]*solution.Channel{}},
	}
	desc.Config.Parameter = map[string]any{}
	volumes := g.resources(&desc.Config)
	for i, channel := range alike("lb", "set", "a-b", "a.b").Draw(g.t, "channels") {
		if i%2 == 0 {
			desc.Srv.Server[channel] = &solution.Channel{Protocol: "tcp", Port: 8000 + i, Portnum: rapid.SampledFrom([]int{1, 2, 100}).Draw(g.t, "ports")}
			continue
		}
		desc.Srv.Client[channel] = &solution.Channel{Protocol: "tcp"}
	}
	for _, container := range alike("a-b", "a.b", "resolver", "日本").Draw(g.t, "containers") {
		desc.Code[container] = g.container(container, volumes)
	}
	r := &solution.Role{Name: name, Config: config(), Artifact: &solution.Artifact{Ref: g.ref("component"), Spec: []int{1, 0}, Description: desc}}
	r.Config.Scale.Hsize = &hsize
	meta := map[string]any{"names": rapid.Bool().Draw(g.t, "names")}
	if rapid.IntRange(0, 9).Draw(g.t, "share") == 0 {
		meta["share"] = "node"
	}
	r.Meta = meta
	return r
}

func amount(kind, unit string) solution.Amount {
	return solution.Amount{Kind: kind, Size: "100", Unit: unit}
}

// resources adds some to a config, and returns the keys of the volumes.
func (g *generator) resources(c *solution.Config) []string {
	keys := alike("a-b", "a.b", "日本", "kumiki-files", "kumiki-data", "db").Draw(g.t, "keys")
	var volumes []string
	for i, key := range keys {
		switch i {
		case 0:
			c.Resource[key] = &solution.Resource{Secret: id().Draw(g.t, "id")}
			continue
		case 1:
			size := amount("storage", "M")
			c.Resource[key] = &solution.Resource{Volume: &solution.Volume{Size: &size}}
		default:
			c.Resource[key] = &solution.Resource{Volume: &solution.Volume{ID: id().Draw(g.t, "id")}}
		}
		volumes = append(volumes, key)
	}
	return volumes
}

// container has a variable, a file and volumes.
func (g *generator) container(name string, volumes []string) *solution.Container {
	text, mode, yes := "x", 0o644, rapid.Bool().Draw(g.t, "reboot")
	c := &solution.Container{
		Name: name, Image: solution.Image{Tag: "x:1"},
		Size:    solution.ContainerSize{CPU: amount("cpu", "m"), Memory: amount("ram", "M"), Mincpu: "0"},
		Mapping: solution.Mapping{Env: map[string]*solution.Env{}, Filesystem: map[string]*solution.File{}},
	}
	for _, variable := range names(0, 2, isVariable).Draw(g.t, "variables") {
		c.Mapping.Env[variable] = &solution.Env{Value: &text}
	}
	for i, v := range volumes {
		at := "/volumes/" + string(rune('a'+i))
		c.Mapping.Filesystem[at] = &solution.File{Path: at, Volume: v}
	}
	for _, file := range names(0, 2, whatever).Draw(g.t, "files") {
		if strings.ContainsAny(file, ":/\x00") || strings.Trim(file, ".") == "" {
			continue
		}
		at := "/files/" + file
		c.Mapping.Filesystem[at] = &solution.File{Path: at, Data: &solution.FileData{Value: text}, Format: "text", Mode: &mode, RebootOnUpdate: &yes}
	}
	return c
}
