package solution

import (
	"encoding/json"
	"strings"
	"testing"
)

func shop(s *Solution) *Deployment { return s.Deployments["shop"] }

// version changes the layout as well, which would not fit otherwise.
func version(s *Solution, numbers ...int) {
	shop(s).Artifact.Ref.Version, s.Layout.Artifact.Version = numbers, numbers
}

func TestVerifyArtifacts(t *testing.T) {
	t.Parallel()
	verifyAll(t, "example-shop/out", []breach{
		{
			"deployment null",
			func(s *Solution) { s.Deployments["shop.entry"] = nil },
			[]string{`deployments."shop.entry": is null`},
		},
		{
			"deployment without a name",
			func(s *Solution) {
				d := s.Deployments["shop.entry"]
				delete(s.Deployments, "shop.entry")
				d.Name = ""
				s.Deployments[""] = d
				s.Links[0].Source = ""
				s.Layout.Roles["entry"].Deployment = ""
			},
			[]string{`deployments."": has no name`},
		},
		{
			"deployment named otherwise",
			func(s *Solution) { shop(s).Name = "shap" },
			[]string{`deployments.shop.name: is "shap": it is the key, "shop"`},
		},
		{
			"deployment without meta",
			func(s *Solution) { shop(s).Meta = nil },
			[]string{"deployments.shop.meta: is missing: write {} for none"},
		},
		{
			"deployment without an artifact",
			func(s *Solution) { s.Deployments["shop.entry"].Artifact = nil },
			[]string{`deployments."shop.entry".artifact: is missing`},
		},
		{
			"deployment of a component",
			func(s *Solution) {
				shop(s).Artifact.Ref.Kind = "component"
				s.Layout.Artifact.Kind = "component"
			},
			[]string{`deployments.shop.artifact.ref.kind: is "component": what stands here is a service, as deployments are of services and builtins, and the roles of a service are components`},
		},
		{
			"version of two numbers",
			func(s *Solution) { version(s, 2, 0) },
			[]string{"deployments.shop.artifact.ref.version: is [2, 0]: it has three whole numbers, such as [1, 0, 0]"},
		},
		{
			"version below zero",
			func(s *Solution) { version(s, 2, 0, -1) },
			[]string{"deployments.shop.artifact.ref.version: is [2, 0, -1]: it has three whole numbers, such as [1, 0, 0]"},
		},
		{
			"spec unknown",
			func(s *Solution) { shop(s).Artifact.Spec = []int{2} },
			[]string{"deployments.shop.artifact.spec: is [2]: only version 1 of the model is known"},
		},
		{
			"spec missing",
			func(s *Solution) { shop(s).Artifact.Spec = nil },
			[]string{"deployments.shop.artifact.spec: is []: only version 1 of the model is known"},
		},
		{
			"service with code",
			func(s *Solution) { shop(s).Artifact.Description.Code = component(s, "db").Code },
			[]string{"deployments.shop.artifact.description: has code, size, profile or probe, which only components have"},
		},
		{
			"builtin with roles",
			func(s *Solution) { s.Deployments["shop.entry"].Artifact.Description.Role = map[string]*Role{} },
			[]string{`deployments."shop.entry".artifact.description: has roles or connectors, which no builtin has`},
		},
		{
			"service without roles",
			func(s *Solution) {
				shop(s).Artifact.Description.Role, s.Layout, shop(s).Artifact.Description.Connector = nil, nil, map[string]*Connector{}
			},
			[]string{"deployments.shop.artifact.description.role: is missing: write {} for none"},
		},
		{
			"service without connectors",
			func(s *Solution) { shop(s).Artifact.Description.Connector = nil },
			[]string{"deployments.shop.artifact.description.connector: is missing: write {} for none"},
		},
		{
			"config without parameters",
			func(s *Solution) { shop(s).Config.Parameter = nil },
			[]string{"deployments.shop.config.parameter: is missing: write {} for none"},
		},
		{
			"config without resources",
			func(s *Solution) { shop(s).Config.Resource = nil },
			[]string{"deployments.shop.config.resource: is missing: write {} for none"},
		},
		{
			"resilience below zero",
			func(s *Solution) { shop(s).Config.Resilience = "-1" },
			[]string{`deployments.shop.config.resilience: is "-1": it is a number, 0 or more, of 300 digits at most`},
		},
		{
			"resilience missing",
			func(s *Solution) { shop(s).Config.Resilience = "" },
			[]string{`deployments.shop.config.resilience: is "": it is a number, 0 or more, of 300 digits at most`},
		},
		{
			"resilience no number",
			func(s *Solution) { shop(s).Config.Resilience = "1/2" },
			[]string{`deployments.shop.config.resilience: is "1/2": it is a number, 0 or more, of 300 digits at most`},
		},
		{
			"resilience beyond reason",
			func(s *Solution) { shop(s).Config.Resilience = "1e301" },
			[]string{`deployments.shop.config.resilience: is "1e301": it is a number, 0 or more, of 300 digits at most`},
		},
		{
			"resilience too fine",
			func(s *Solution) { shop(s).Config.Resilience = "1e-999999999999999999999" },
			[]string{`deployments.shop.config.resilience: is "1e-999999999999999999999": it is a number, 0 or more, of 300 digits at most`},
		},
		{
			"resilience too long",
			func(s *Solution) { shop(s).Config.Resilience = json.Number(strings.Repeat("9", 301)) },
			[]string{`deployments.shop.config.resilience: is "9999999999999999999999999999999999999999": it is a number, 0 or more, of 300 digits at most`},
		},
		{
			"hsize below zero",
			func(s *Solution) { shop(s).Config.Scale.Hsize = ptr(-1) },
			[]string{"deployments.shop.config.scale.hsize: is negative: it is the number of instances"},
		},
		{
			"hsize below zero in detail",
			func(s *Solution) { shop(s).Config.Scale.Detail["web"].Hsize = ptr(-1) },
			[]string{"deployments.shop.config.scale.detail.web.hsize: is negative: it is the number of instances"},
		},
		{
			"scale null",
			func(s *Solution) { shop(s).Config.Scale.Detail["web"] = nil },
			[]string{"deployments.shop.config.scale.detail.web: is null"},
		},
		{
			"resource null",
			func(s *Solution) { shop(s).Config.Resource["domain"] = nil },
			[]string{"deployments.shop.config.resource.domain: is null"},
		},
		{
			"resource null in a group",
			func(s *Solution) { shop(s).Config.Resource["group"] = &Resource{Group: map[string]*Resource{"x": nil}} },
			[]string{"deployments.shop.config.resource.group.x: is null"},
		},
		{
			"resource of two kinds",
			func(s *Solution) { shop(s).Config.Resource["domain"].Secret = "s" },
			[]string{"deployments.shop.config.resource.domain: is of 2 kinds: it is of exactly one"},
		},
		{
			"resource and group",
			func(s *Solution) { shop(s).Config.Resource["domain"].Group = map[string]*Resource{} },
			[]string{"deployments.shop.config.resource.domain: is of 2 kinds: it is of exactly one"},
		},
		{
			"volume and secret",
			func(s *Solution) { shop(s).Config.Resource["dbData"].Secret = "s" },
			[]string{"deployments.shop.config.resource.dbData: is of 2 kinds: it is of exactly one"},
		},
		{
			"volume without id and size",
			func(s *Solution) { shop(s).Config.Resource["dbData"].Volume.ID = "" },
			[]string{"deployments.shop.config.resource.dbData.volume: has 0 of id, size: it has exactly one"},
		},
		{
			"volume with id and size",
			func(s *Solution) {
				shop(s).Config.Resource["dbData"].Volume.Size = &Amount{Kind: "storage", Size: "1", Unit: "G"}
			},
			[]string{"deployments.shop.config.resource.dbData.volume: has 2 of id, size: it has exactly one"},
		},
		{
			"volume of another kind",
			func(s *Solution) { component(s, "api").Config.Resource["spool"].Volume.Size.Kind = "ram" },
			[]string{`deployments.shop.artifact.description.role.api.artifact.description.config.resource.spool.volume.kind: is "ram": it is "storage"`},
		},
		{
			"volume below zero",
			func(s *Solution) { component(s, "api").Config.Resource["spool"].Volume.Size.Size = "-0.5" },
			[]string{`deployments.shop.artifact.description.role.api.artifact.description.config.resource.spool.volume.size: is "-0.5": it is a number, 0 or more, of 300 digits at most`},
		},
		{
			"channels missing",
			func(s *Solution) {
				d := &s.Deployments["shop.entry"].Artifact.Description
				d.Srv.Duplex = nil
			},
			[]string{`deployments."shop.entry".artifact.description.srv.duplex: is missing: write {} for none`},
		},
		{
			"channel null",
			func(s *Solution) { component(s, "web").Srv.Server["admin"] = nil },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.srv.server.admin: is null"},
		},
		{
			"channel without a name",
			func(s *Solution) { component(s, "web").Srv.Client[""] = &Channel{Protocol: "tcp"} },
			[]string{`deployments.shop.artifact.description.role.web.artifact.description.srv.client."": has no name`},
		},
		{
			"protocol unknown",
			func(s *Solution) { component(s, "web").Srv.Server["entry"].Protocol = "https" },
			[]string{`deployments.shop.artifact.description.role.web.artifact.description.srv.server.entry.protocol: is "https": it is one of http, tcp, udp, grpc`},
		},
		{
			"port missing",
			func(s *Solution) { component(s, "web").Srv.Server["entry"].Port = 0 },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.srv.server.entry.port: is 0: it is 1 to 65535"},
		},
		{
			"port too large",
			func(s *Solution) { component(s, "api").Srv.Duplex["peers"].Port = 65536 },
			[]string{"deployments.shop.artifact.description.role.api.artifact.description.srv.duplex.peers.port: is 65536: it is 1 to 65535"},
		},
		{
			"portnum missing",
			func(s *Solution) { component(s, "web").Srv.Server["entry"].Portnum = 0 },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.srv.server.entry.portnum: is 0: it is 1 or more"},
		},
		{
			"port of a client",
			func(s *Solution) { component(s, "web").Srv.Client["api"].Port = 80 },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.srv.client.api: has a port, although nothing listens there"},
		},
		{
			"port of an inherited channel",
			func(s *Solution) { shop(s).Artifact.Description.Srv.Server["entry.inbound"].Portnum = 1 },
			[]string{`deployments.shop.artifact.description.srv.server."entry.inbound": has a port, although nothing listens there`},
		},
		{
			"component inherits a server channel",
			func(s *Solution) {
				c := component(s, "web").Srv.Server["entry"]
				*c = Channel{Inherited: true, Protocol: "http"}
			},
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.srv.server.entry: is inherited, but a component has nothing to inherit from"},
		},
		{
			"component inherits a client channel",
			func(s *Solution) { component(s, "web").Srv.Client["api"].Inherited = true },
			[]string{"deployments.shop.artifact.description.role.web.artifact.description.srv.client.api: is inherited, but a component has nothing to inherit from"},
		},
		{
			"component inherits a duplex channel",
			func(s *Solution) {
				c := component(s, "api").Srv.Duplex["peers"]
				*c = Channel{Inherited: true, Protocol: "tcp"}
			},
			[]string{"deployments.shop.artifact.description.role.api.artifact.description.srv.duplex.peers: is inherited, but a component has nothing to inherit from"},
		},
	})
}
