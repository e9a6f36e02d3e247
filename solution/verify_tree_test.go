package solution

import "testing"

// TestVerifyTree breaks a solution whose deployments are nested twice.
func TestVerifyTree(t *testing.T) {
	t.Parallel()
	verifyAll(t, "example-regions/out", []breach{
		{
			"circle below the top",
			func(s *Solution) { s.Deployments["world.eu"].Up = ptr("world.eu.stack") },
			[]string{`deployments."world.eu".up: goes in a circle: world.eu → world.eu.stack → world.eu`},
		},
		{
			"two circles",
			func(s *Solution) {
				s.Deployments["world.eu"].Up = ptr("world.eu.stack")
				s.Deployments["world.us.door"].Up = ptr("world.us.door")
			},
			[]string{
				`deployments."world.eu".up: goes in a circle: world.eu → world.eu.stack → world.eu`,
				`deployments."world.us.door".up: goes in a circle: world.us.door → world.us.door`,
			},
		},
		{
			"second tree",
			func(s *Solution) { s.Deployments["world.eu"].Up = nil },
			[]string{`deployments."world.eu".up: is null, which makes it a second top beside world: name the deployment that it belongs to`},
		},
		{
			"links to the service they come from",
			func(s *Solution) {
				s.Links[0].Target = "world.eu"
				s.Links[2].Target = "world.us"
			},
			[]string{
				"links.0.t_c: is entry, which is no server channel of world.eu; it has door.inbound",
				"links.2.t_c: is entry, which is no server channel of world.us; it has door.inbound",
			},
		},
		{
			"inherited client channel without a link",
			func(s *Solution) { s.Links = s.Links[1:] },
			[]string{`deployments."world.eu".artifact.description.srv.client."stack.entry": is inherited from another deployment, but no link says from which`},
		},
		{
			"places exchanged",
			func(s *Solution) {
				eu, us := s.Layout.Roles["eu"].Roles, s.Layout.Roles["us"].Roles
				eu["door"], us["door"], eu["stack"].Deployment = us["door"], eu["door"], "world.us.stack"
			},
			[]string{
				"layout.roles.us.roles.stack: leads to a place where another role already is",
				`deployments."world.eu.stack": is not in the layout`,
			},
		},
		{
			"role of another deployment",
			func(s *Solution) { s.Layout.Roles["eu"].Roles["stack"].Roles["cache"].Deployment = "world.us.stack" },
			[]string{
				"layout.roles.us.roles.stack.roles.cache: leads to a place where another role already is",
				`deployments."world.eu.stack".artifact.description.role.cache: is not in the layout`,
			},
		},
		{
			"end in the wrong deployment",
			func(s *Solution) {
				s.Deployments["world.eu"].Artifact.Description.Connector["door"].Servers[0].Links[0].Role = "stack"
			},
			[]string{`deployments."world.eu".artifact.description.connector.door.servers.0.links.0.role: is stack, which the service does not have; it has self`},
		},
	})
}
