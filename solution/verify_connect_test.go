package solution

import "testing"

func connector(s *Solution, name string) *Connector {
	return shop(s).Artifact.Description.Connector[name]
}

func TestVerifyConnectors(t *testing.T) {
	t.Parallel()
	verifyAll(t, "example-shop/out", []breach{
		{
			"connector null",
			func(s *Solution) { shop(s).Artifact.Description.Connector["none"] = nil },
			[]string{"deployments.shop.artifact.description.connector.none: is null"},
		},
		{
			"connector of another kind",
			func(s *Solution) { connector(s, "db").Kind = "LB" },
			[]string{`deployments.shop.artifact.description.connector.db.kind: is "LB": it is lb or full`},
		},
		{
			"connector without clients",
			func(s *Solution) { connector(s, "db").Clients = nil },
			[]string{"deployments.shop.artifact.description.connector.db.clients: is empty: a connector comes from somewhere"},
		},
		{
			"connector without servers",
			func(s *Solution) { connector(s, "db").Servers = nil },
			[]string{"deployments.shop.artifact.description.connector.db.servers: is empty: a connector leads somewhere"},
		},
		{
			"client that starts two connectors",
			func(s *Solution) {
				connector(s, "db").Clients = append(connector(s, "db").Clients, Endpoint{Role: "web", Channel: "api"})
			},
			[]string{"deployments.shop.artifact.description.connector.db.clients.1: channel api of web starts connector api already: a channel starts one connector"},
		},
		{
			"group without links",
			func(s *Solution) { connector(s, "db").Servers[0] = ServerGroup{} },
			[]string{"deployments.shop.artifact.description.connector.db.servers.0.links: is empty"},
		},
		{
			"group with too few entries of meta",
			func(s *Solution) { connector(s, "db").Servers[0].Meta = nil },
			[]string{"deployments.shop.artifact.description.connector.db.servers.0.meta: has 0 entries: it has one for each of the 1 links"},
		},
		{
			"group without meta of the user",
			func(s *Solution) { connector(s, "db").Servers[0].Meta[0].User = nil },
			[]string{"deployments.shop.artifact.description.connector.db.servers.0.meta.0.user: is missing: write {} for none"},
		},
		{
			"group with a server of no version",
			func(s *Solution) { connector(s, "db").Servers[0].Meta[0].Auto.CompRef.Version = nil },
			[]string{"deployments.shop.artifact.description.connector.db.servers.0.meta.0.auto.compRef.version: is []: it has three whole numbers, such as [1, 0, 0]"},
		},
		{
			"client of no role",
			func(s *Solution) { connector(s, "db").Clients[0].Role = "apis" },
			[]string{"deployments.shop.artifact.description.connector.db.clients.0.role: is apis, which the service does not have; did you mean api?"},
		},
		{
			"client that is a server",
			func(s *Solution) { connector(s, "db").Clients[0].Channel = "rest" },
			[]string{"deployments.shop.artifact.description.connector.db.clients.0.channel: is rest, which is no client channel of api; it has db, peers"},
		},
		{
			"server that is a client",
			func(s *Solution) { connector(s, "db").Servers[0].Links[0] = Endpoint{Role: "api", Channel: "db"} },
			[]string{"deployments.shop.artifact.description.connector.db.servers.0.links.0.channel: is db, which is no server channel of api; it has rest, peers"},
		},
		{
			"server of no role",
			func(s *Solution) { connector(s, "db").Servers[0].Links[0].Role = "x" },
			[]string{"deployments.shop.artifact.description.connector.db.servers.0.links.0.role: is x, which the service does not have; it has api, db, web, self"},
		},
		{
			"entry that the service does not have",
			func(s *Solution) { connector(s, "entry").Clients[0].Channel = "entry" },
			[]string{"deployments.shop.artifact.description.connector.entry.clients.0.channel: is entry, which is no server channel of self; did you mean entry.inbound?"},
		},
		{
			"exit that the service does not have",
			func(s *Solution) {
				connector(s, "db").Servers[0].Links[0] = Endpoint{Role: "self", Channel: "entry.inbound"}
			},
			[]string{`deployments.shop.artifact.description.connector.db.servers.0.links.0.channel: is "entry.inbound", which is no client channel of self; it has none`},
		},
	})
}
