package solution

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
)

// A breach is a change of a good solution that breaks a rule, and all that
// Verify says of it.
type breach struct {
	name   string
	change func(s *Solution)
	want   []string
}

// verifyAll checks that Verify reports each breach, all under one code.
func verifyAll(t *testing.T, good string, breaches []breach) {
	t.Helper()
	data := solutions(t)[good]
	for _, b := range breaches {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := &Solution{}
			require.NoError(t, strict(data, s))
			b.change(s)
			var got []string
			for _, d := range Verify(s) {
				require.Equal(t, diag.Invariant, d.Code)
				require.Equal(t, diag.Error, d.Severity)
				got = append(got, d.Message)
			}
			if diff := cmp.Diff(b.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// solutions returns the solutions that cases show whole, by the name of the case and
// "/out" for ours, "/oracle" for the vendor's.
func solutions(t testing.TB) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	for name, kind := range map[string]string{"solution.json": "/out", "oracle.json": "/oracle"} {
		files, err := filepath.Glob("../testdata/cases/*/" + name)
		require.NoError(t, err)
		require.NotEmpty(t, files, name)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			found[filepath.Base(filepath.Dir(file))+kind] = data
		}
	}
	return found
}

func ptr[T any](x T) *T { return &x }

func TestVerifyGood(t *testing.T) {
	t.Parallel()
	for name, data := range solutions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Solution{}
			require.NoError(t, strict(data, s))
			require.Empty(t, Verify(s))
		})
	}
}

func TestVerifyNil(t *testing.T) {
	t.Parallel()
	problems := Verify(nil)
	require.Len(t, problems, 1)
	require.Equal(t, diag.Invariant, problems[0].Code)
	require.Equal(t, "there is no solution", problems[0].Message)
}

func TestVerify(t *testing.T) {
	t.Parallel()
	verifyAll(t, "example-shop/out", []breach{
		{
			"no top",
			func(s *Solution) { s.Top = "shopp" },
			[]string{
				`ref.name: is "shop": it is the name of the top, "shopp"`,
				`top: is "shopp", which is no deployment; it has shop, shop.entry`,
				"deployments.shop.up: is null, which makes it a second top beside shopp: name the deployment that it belongs to",
				`layout.deployment: is "shop": the layout begins at the top, "shopp"`,
			},
		},
		{
			"top named otherwise",
			func(s *Solution) { s.Ref.Name = "other" },
			[]string{`ref.name: is "other": it is the name of the top, "shop"`},
		},
		{
			"another cspec",
			func(s *Solution) {
				s.Cspec = "2.0"
				s.Ref.Kind = "unread"
			},
			[]string{`cspec: is "2.0": only version "1.0" of the format is known`},
		},
		{
			"no cspec",
			func(s *Solution) { s.Cspec = "" },
			[]string{`cspec: is missing: it is the version of the format, "1.0"`},
		},
		{
			"another kind",
			func(s *Solution) { s.Ref.Kind = "service" },
			[]string{`ref.kind: is "service": it is "solution"`},
		},
		{
			"links missing",
			func(s *Solution) { s.Links = nil },
			[]string{
				"links: is missing: write [] for none",
				`deployments.shop.artifact.description.srv.server."entry.inbound": is inherited from another deployment, but no link says from which`,
			},
		},
		{
			"no deployments",
			func(s *Solution) { s.Deployments, s.Layout, s.Links = nil, nil, []Link{} },
			[]string{`top: is "shop", which is no deployment; it has none`},
		},
		{
			"modules missing",
			func(s *Solution) { s.Inputs.Modules = nil },
			[]string{"inputs.modules: is missing: write [] for none"},
		},
		{
			"module without a name",
			func(s *Solution) { s.Inputs.Modules[1].Module = "" },
			[]string{"inputs.modules.1.module: is empty"},
		},
		{
			"up to nowhere",
			func(s *Solution) { s.Deployments["shop.entry"].Up = ptr("shpo") },
			[]string{`deployments."shop.entry".up: is shpo, which is no deployment of the solution; did you mean shop?`},
		},
		{
			"second top",
			func(s *Solution) { s.Deployments["shop.entry"].Up = nil },
			[]string{`deployments."shop.entry".up: is null, which makes it a second top beside shop: name the deployment that it belongs to`},
		},
		{
			"up of the top leads back",
			func(s *Solution) { s.Deployments["shop"].Up = ptr("shop.entry") },
			[]string{"deployments.shop.up: goes in a circle: shop → shop.entry → shop"},
		},
		{
			"up to itself",
			func(s *Solution) { s.Deployments["shop.entry"].Up = ptr("shop.entry") },
			[]string{`deployments."shop.entry".up: goes in a circle: shop.entry → shop.entry`},
		},
		{
			"link twice",
			func(s *Solution) { s.Links = append(s.Links, s.Links[0]) },
			[]string{"links.1: is there twice: channel inbound of shop.entry already leads to channel entry.inbound of shop"},
		},
		{
			"link without meta",
			func(s *Solution) { s.Links[0].Meta.Meta = nil },
			[]string{"links.0.meta.meta: is missing: write {} for none"},
		},
		{
			"link from nowhere",
			func(s *Solution) { s.Links[0].Source = "shop.entri" },
			[]string{`links.0.s_d: is "shop.entri", which is no deployment of the solution; did you mean shop.entry?`},
		},
		{
			"link to nowhere",
			func(s *Solution) { s.Links[0].Target = "elsewhere" },
			[]string{
				"links.0.t_d: is elsewhere, which is no deployment of the solution; it has shop, shop.entry",
				`deployments.shop.artifact.description.srv.server."entry.inbound": is inherited from another deployment, but no link says from which`,
			},
		},
		{
			"link from no channel",
			func(s *Solution) { s.Links[0].SourceChannel = "inbuond" },
			[]string{"links.0.s_c: is inbuond, which is no client channel of shop.entry; did you mean inbound?"},
		},
		{
			"link to no channel",
			func(s *Solution) { s.Links[0].TargetChannel = "y" },
			[]string{
				"links.0.t_c: is y, which is no server channel of shop; it has entry.inbound",
				`deployments.shop.artifact.description.srv.server."entry.inbound": is inherited from another deployment, but no link says from which`,
			},
		},
		{
			"link the wrong way round",
			func(s *Solution) {
				l := &s.Links[0]
				l.Source, l.SourceChannel, l.Target, l.TargetChannel = l.Target, l.TargetChannel, l.Source, l.SourceChannel
			},
			[]string{
				`links.0.s_c: is "entry.inbound", which is no client channel of shop; it has none`,
				"links.0.t_c: is inbound, which is no server channel of shop.entry; it has none",
			},
		},
		{
			"inherited channel without a link",
			func(s *Solution) { s.Links = []Link{} },
			[]string{`deployments.shop.artifact.description.srv.server."entry.inbound": is inherited from another deployment, but no link says from which`},
		},
		{
			"layout begins elsewhere",
			func(s *Solution) { s.Layout.Deployment = "shop.entry" },
			[]string{
				`layout.deployment: is "shop.entry": the layout begins at the top, "shop"`,
				"layout.artifact: is service kumiki.example/shop/shop@2.0.0, but the deployments have service kumori.systems/builtins/inbound/inbound@1.1.0 there",
				"layout.roles.entry: leads to a place where another role already is",
				"deployments.shop: is not in the layout",
			},
		},
		{
			"layout begins at no deployment",
			func(s *Solution) { s.Layout.Deployment = "x" },
			[]string{
				`layout.deployment: is "x": the layout begins at the top, "shop"`,
				"layout.deployment: is x, which is no deployment of the solution; it has shop, shop.entry",
				"deployments.shop: is not in the layout",
				"deployments.shop.artifact.description.role.api: is not in the layout",
				"deployments.shop.artifact.description.role.db: is not in the layout",
				"deployments.shop.artifact.description.role.web: is not in the layout",
				`deployments."shop.entry": is not in the layout`,
			},
		},
		{
			"layout begins in a role of a service with more",
			func(s *Solution) {
				s.Layout.Role = "web"
				s.Layout.Roles = nil
			},
			[]string{
				"layout.artifact: is service kumiki.example/shop/shop@2.0.0, but the deployments have component kumiki.example/shop/web@2.0.0 there",
				"deployments.shop.artifact.description.role.api: is not in the layout",
				"deployments.shop.artifact.description.role.db: is not in the layout",
				`deployments."shop.entry": is not in the layout`,
			},
		},
		{
			"layout without a deployment",
			func(s *Solution) { delete(s.Layout.Roles, "entry") },
			[]string{`deployments."shop.entry": is not in the layout`},
		},
		{
			"layout without a role",
			func(s *Solution) { delete(s.Layout.Roles, "web") },
			[]string{"deployments.shop.artifact.description.role.web: is not in the layout"},
		},
		{
			"layout with a role twice",
			func(s *Solution) { s.Layout.Roles["web2"] = s.Layout.Roles["web"] },
			[]string{"layout.roles.web2: leads to a place where another role already is"},
		},
		{
			"layout of no deployment",
			func(s *Solution) { s.Layout.Roles["entry"].Deployment = "shop.inbound" },
			[]string{
				`layout.roles.entry.deployment: is "shop.inbound", which is no deployment of the solution; it has shop, shop.entry`,
				`deployments."shop.entry": is not in the layout`,
			},
		},
		{
			"layout of no role",
			func(s *Solution) { s.Layout.Roles["web"].Role = "wep" },
			[]string{
				"layout.roles.web.role: is wep, which is no role of shop; did you mean web?",
				"deployments.shop.artifact.description.role.web: is not in the layout",
			},
		},
		{
			"layout of another version",
			func(s *Solution) { s.Layout.Roles["web"].Artifact.Version = []int{2, 0, 1} },
			[]string{"layout.roles.web.artifact: is component kumiki.example/shop/web@2.0.1, but the deployments have component kumiki.example/shop/web@2.0.0 there"},
		},
		{
			"layout of another prerelease",
			func(s *Solution) {
				s.Layout.Roles["web"].Artifact.Prerelease = "rc1"
				s.Layout.Roles["web"].Artifact.BuildMetadata = "b2"
			},
			[]string{"layout.roles.web.artifact: is component kumiki.example/shop/web@2.0.0-rc1+b2, but the deployments have component kumiki.example/shop/web@2.0.0 there"},
		},
		{
			"layout with roles in a component",
			func(s *Solution) { s.Layout.Roles["web"].Roles = map[string]*Layout{"entry": s.Layout.Roles["entry"]} },
			[]string{
				"layout.roles.web.roles: is not empty: a component has no roles",
				"layout.roles.web.roles.entry: leads to a place where another role already is",
			},
		},
		{
			"layout with null",
			func(s *Solution) { s.Layout.Roles["none"] = nil },
			[]string{"layout.roles.none: is null"},
		},
		{
			"contents that are no JSON",
			func(s *Solution) { s.Deployments["shop"].Meta = func() {} },
			[]string{"solution shop: json: unsupported type: func()"},
		},
	})
}

// TestVerifyDigest changes what keeps every other rule.
func TestVerifyDigest(t *testing.T) {
	t.Parallel()
	s := &Solution{}
	require.NoError(t, strict(solutions(t)["example-shop/out"], s))
	before := s.Digest
	s.Comment = "changed"
	after, err := s.ContentDigest()
	require.NoError(t, err)
	problems := Verify(s)
	require.Len(t, problems, 1)
	require.Equal(t, diag.Invariant, problems[0].Code)
	require.Equal(t, "digest: is "+before+", but the contents have "+after+": the solution was changed after it was made; compile it again", problems[0].Message)
	s.Digest = after
	require.Empty(t, Verify(s))
}

// TestVerifyMany gives up on files that are wrong everywhere, and soon: the
// hints of all problems would take minutes.
func TestVerifyMany(t *testing.T) {
	t.Parallel()
	s := &Solution{}
	require.NoError(t, strict(solutions(t)["example-shop/out"], s))
	for i := range 2000 {
		name := fmt.Sprint("entry", i)
		other := *s.Deployments["shop.entry"]
		other.Name, other.Up = name, ptr(fmt.Sprint("entry", i+1))
		s.Deployments[name] = &other
		s.Links = append(s.Links, Link{Source: "x" + name, Target: "y" + name})
	}
	start := time.Now()
	require.Len(t, Verify(s), maxProblems)
	require.Less(t, time.Since(start), time.Minute)
}
