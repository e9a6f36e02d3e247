package solution

import "testing"

func role(s *Solution, name string) *Role { return shop(s).Artifact.Description.Role[name] }

func component(s *Solution, name string) *Description { return &role(s, name).Artifact.Description }

// container is that of a component, which is called like its role.
func container(s *Solution, name string) *Container { return component(s, name).Code[name] }

func file(s *Solution) *File {
	return container(s, "db").Mapping.Filesystem["/docker-entrypoint-initdb.d/init.sql"]
}

func TestVerifyComponents(t *testing.T) {
	t.Parallel()
	verifyAll(t, "example-shop/out", []breach{
		{
			"role null",
			func(s *Solution) {
				shop(s).Artifact.Description.Role["cache"] = nil
				s.Layout = nil
			},
			[]string{"deployments.shop.artifact.description.role.cache: is null"},
		},
		{
			"role called self",
			func(s *Solution) {
				roles := shop(s).Artifact.Description.Role
				roles["self"] = roles["db"]
				s.Layout = nil
			},
			[]string{
				"deployments.shop.artifact.description.role.self: is no name for a role",
				`deployments.shop.artifact.description.role.self.name: is "db": it is the key, "self"`,
			},
		},
		{
			"role without a name",
			func(s *Solution) {
				roles := shop(s).Artifact.Description.Role
				roles[""] = &Role{Artifact: roles["db"].Artifact, Config: roles["db"].Config}
				s.Layout = nil
			},
			[]string{`deployments.shop.artifact.description.role."": is no name for a role`},
		},
		{
			"role named otherwise",
			func(s *Solution) { role(s, "web").Name = "shop" },
			[]string{`deployments.shop.artifact.description.role.web.name: is "shop": it is the key, "web"`},
		},
		{
			"role with a config of its own without resources",
			func(s *Solution) { role(s, "web").Config.Resource = nil },
			[]string{"deployments.shop.artifact.description.role.web.config.resource: is missing: write {} for none"},
		},
		{
			"role without hsize",
			func(s *Solution) { role(s, "web").Config.Scale.Hsize = nil },
			[]string{"deployments.shop.artifact.description.role.web.config.scale.hsize: is missing: it is the number of instances"},
		},
		{
			"role without an artifact",
			func(s *Solution) { role(s, "web").Artifact = nil },
			[]string{"deployments.shop.artifact.description.role.web.artifact: is missing"},
		},
		{
			"role of a service",
			func(s *Solution) {
				role(s, "web").Artifact.Ref.Kind = "service"
				s.Layout.Roles["web"].Artifact.Kind = "service"
			},
			[]string{`deployments.shop.artifact.description.role.web.artifact.ref.kind: is "service": what stands here is a component, as deployments are of services and builtins, and the roles of a service are components`},
		},
		{
			"role of a builtin",
			func(s *Solution) { component(s, "web").Builtin = true },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description: is of a builtin or a service: the roles of a flat service are components"},
		},
		{
			"role with roles",
			func(s *Solution) { component(s, "web").Role = map[string]*Role{} },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description: is of a builtin or a service: the roles of a flat service are components"},
		},
		{
			"component without containers",
			func(s *Solution) { component(s, "web").Code = nil },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.code: is empty: a component has a container"},
		},
		{
			"container null",
			func(s *Solution) { component(s, "web").Code["more"] = nil },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.code.more: is null"},
		},
		{
			"probes missing",
			func(s *Solution) { component(s, "api").Probe = nil },
			[]string{"deployments.shop.artifact.description.role.api.artifact.description.probe: is missing: write {} for none"},
		},
		{
			"probe null",
			func(s *Solution) { component(s, "web").Probe["more"] = nil },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.probe.more: is null"},
		},
		{
			"probe without a protocol",
			func(s *Solution) { component(s, "web").Probe["web"].Liveness.Protocol.HTTP = nil },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.probe.web.liveness.protocol: has 0 of exec, grpc, http, tcp: it has exactly one"},
		},
		{
			"probe with two protocols",
			func(s *Solution) { component(s, "web").Probe["web"].Readiness.Protocol.TCP = &PortProbe{Port: 80} },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.probe.web.readiness.protocol: has 2 of exec, grpc, http, tcp: it has exactly one"},
		},
		{
			"probe without a command",
			func(s *Solution) {
				component(s, "web").Probe["web"].Readiness.Protocol = ProbeProtocol{Exec: &ExecProbe{}}
			},
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.probe.web.readiness.protocol.exec.command: is empty: it is a program and its arguments"},
		},
		{
			"profile missing",
			func(s *Solution) { component(s, "web").Profile = nil },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.profile: is missing"},
		},
		{
			"size missing",
			func(s *Solution) { component(s, "web").Size = nil },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.size: is missing"},
		},
		{
			"size of wrong kinds",
			func(s *Solution) {
				size := component(s, "web").Size
				size.Bandwidth.Kind, size.Mincpu.Kind = size.Mincpu.Kind, size.Bandwidth.Kind
			},
			[]string{
				`deployments.shop.artifact.description.role.web.artifact.description.size.bandwidth.kind: is "cpu": it is "bandwidth"`,
				`deployments.shop.artifact.description.role.web.artifact.description.size.mincpu.kind: is "bandwidth": it is "cpu"`,
			},
		},
		{
			"units of other kinds",
			func(s *Solution) {
				size := component(s, "web").Size
				size.Bandwidth.Unit, size.Mincpu.Unit = size.Mincpu.Unit, "P"
			},
			[]string{
				`deployments.shop.artifact.description.role.web.artifact.description.size.bandwidth.unit: is "m": it is one of ["k" "M" "G" "T"]`,
				`deployments.shop.artifact.description.role.web.artifact.description.size.mincpu.unit: is "P": it is one of ["" "m"]`,
			},
		},
		{
			"sizes below zero",
			func(s *Solution) {
				size := component(s, "web").Size
				size.Bandwidth.Size, size.Mincpu.Size, size.Minbandwidth = "-1", "-2", "-3"
			},
			[]string{
				`deployments.shop.artifact.description.role.web.artifact.description.size.bandwidth.size: is "-1": it is a number, 0 or more, of 300 digits at most`,
				`deployments.shop.artifact.description.role.web.artifact.description.size.mincpu.size: is "-2": it is a number, 0 or more, of 300 digits at most`,
				`deployments.shop.artifact.description.role.web.artifact.description.size.minbandwidth: is "-3": it is a number, 0 or more, of 300 digits at most`,
			},
		},
		{
			"container without name and tag",
			func(s *Solution) {
				c := container(s, "web")
				c.Name, c.Image.Tag = "", ""
			},
			[]string{
				"deployments.shop.artifact.description.role.web.artifact.description.code.web.name: is missing",
				"deployments.shop.artifact.description.role.web.artifact.description.code.web.image.tag: is missing",
			},
		},
		{
			"container with a registry's unknown secret",
			func(s *Solution) { container(s, "api").Image.Hub.Secret = "dbPasword" },
			[]string{"deployments.shop.artifact.description.role.api.artifact.description.code.api.image.hub.secret: is dbPasword, which config.resource does not have; did you mean dbPassword?"},
		},
		{
			"container of wrong sizes",
			func(s *Solution) {
				size := &container(s, "web").Size
				size.CPU.Kind, size.Memory.Kind, size.Mincpu = "ram", "cpu", ""
			},
			[]string{
				`deployments.shop.artifact.description.role.web.artifact.description.code.web.size.cpu.kind: is "ram": it is "cpu"`,
				`deployments.shop.artifact.description.role.web.artifact.description.code.web.size.memory.kind: is "cpu": it is "ram"`,
				`deployments.shop.artifact.description.role.web.artifact.description.code.web.size.mincpu: is "": it is a number, 0 or more, of 300 digits at most`,
			},
		},
		{
			"container without mappings",
			func(s *Solution) {
				c := container(s, "web")
				c.Mapping = Mapping{}
			},
			[]string{
				"deployments.shop.artifact.description.role.web.artifact.description.code.web.mapping.env: is missing: write {} for none",
				"deployments.shop.artifact.description.role.web.artifact.description.code.web.mapping.filesystem: is missing: write {} for none",
			},
		},
		{
			"env null",
			func(s *Solution) { container(s, "web").Mapping.Env["X"] = nil },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.code.web.mapping.env.X: is null"},
		},
		{
			"env without a form",
			func(s *Solution) { container(s, "web").Mapping.Env["X"] = &Env{} },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.code.web.mapping.env.X: has 0 of value, secret, domain, port, certificate, ca: it has exactly one"},
		},
		{
			"env of two forms",
			func(s *Solution) { container(s, "api").Mapping.Env["X"] = &Env{Value: ptr(""), Secret: "dbPassword"} },
			[]string{"deployments.shop.artifact.description.role.api.artifact.description.code.api.mapping.env.X: has 2 of value, secret, domain, port, certificate, ca: it has exactly one"},
		},
		{
			"env of every kind of resource",
			func(s *Solution) {
				container(s, "db").Mapping.Env = map[string]*Env{"A": {Secret: "data"}, "B": {Domain: "password"}, "C": {Port: "none"}, "D": {Certificate: "password"}, "E": {CA: "group.ca"}}
			},
			[]string{
				"deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.env.A.secret: is data, which is a volume, not a secret",
				"deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.env.B.domain: is password, which is a secret, not a domain",
				"deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.env.C.port: is none, which config.resource does not have; it has data, password",
				"deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.env.D.certificate: is password, which is a secret, not a certificate",
				`deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.env.E.ca: is "group.ca", which config.resource does not have; it has data, password`,
			},
		},
		{
			"file null",
			func(s *Solution) { container(s, "web").Mapping.Filesystem["/x"] = nil },
			[]string{`deployments.shop.artifact.description.role.web.artifact.description.code.web.mapping.filesystem."/x": is null`},
		},
		{
			"file at another path",
			func(s *Solution) { container(s, "web").Mapping.Filesystem["/etc/shop/pages.json"].Path = "/x" },
			[]string{`deployments.shop.artifact.description.role.web.artifact.description.code.web.mapping.filesystem."/etc/shop/pages.json".path: is "/x": it is the key, "/etc/shop/pages.json"`},
		},
		{
			"file at no absolute path",
			func(s *Solution) { container(s, "web").Mapping.Filesystem["x"] = &File{Path: "x", Volume: "none"} },
			[]string{
				"deployments.shop.artifact.description.role.web.artifact.description.code.web.mapping.filesystem.x: is not an absolute path",
				"deployments.shop.artifact.description.role.web.artifact.description.code.web.mapping.filesystem.x.volume: is none, which config.resource does not have; it has none",
			},
		},
		{
			"file that is a volume, too",
			func(s *Solution) { file(s).Volume = "data" },
			[]string{`deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.filesystem."/docker-entrypoint-initdb.d/init.sql": has 2 of data, volume: it has exactly one`},
		},
		{
			"file that is nothing",
			func(s *Solution) { file(s).Data = nil },
			[]string{`deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.filesystem."/docker-entrypoint-initdb.d/init.sql": has 0 of data, volume: it has exactly one`},
		},
		{
			"file of another format",
			func(s *Solution) { file(s).Format = "toml" },
			[]string{`deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.filesystem."/docker-entrypoint-initdb.d/init.sql".format: is "toml": it is one of text, json, yaml`},
		},
		{
			"file of text that is none",
			func(s *Solution) { file(s).Data.Value = map[string]any{} },
			[]string{`deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.filesystem."/docker-entrypoint-initdb.d/init.sql".data.value: is no string, but the format is text`},
		},
		{
			"file without a mode",
			func(s *Solution) { file(s).Mode = nil },
			[]string{`deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.filesystem."/docker-entrypoint-initdb.d/init.sql".mode: is missing or out of range: it is 0 to 4095 (0o7777)`},
		},
		{
			"file with a mode out of range",
			func(s *Solution) { file(s).Mode = ptr(0o10000) },
			[]string{`deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.filesystem."/docker-entrypoint-initdb.d/init.sql".mode: is missing or out of range: it is 0 to 4095 (0o7777)`},
		},
		{
			"file without rebootOnUpdate",
			func(s *Solution) { file(s).RebootOnUpdate = nil },
			[]string{`deployments.shop.artifact.description.role.db.artifact.description.code.db.mapping.filesystem."/docker-entrypoint-initdb.d/init.sql".rebootOnUpdate: is missing`},
		},
	})
}
