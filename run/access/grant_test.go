package access

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"
)

// TestParseGrant: groups may have = and : in their names, as those of directories do.
func TestParseGrant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"platform=admin":                            "platform admin ",
		"shop=deployer:team=shop":                   "shop deployer team=shop",
		"cn=shop,ou=groups=viewer:team in (a,b)":    "cn=shop,ou=groups viewer team in (a,b)",
		"urn:example:group:ops=operator":            "urn:example:group:ops operator ",
		"urn:example:group:ops=operator:stage!=dev": "urn:example:group:ops operator stage!=dev",
	} {
		g, err := ParseGrant(text)
		require.NoError(t, err, text)
		selector := ""
		if g.Selector != nil {
			selector = g.Selector.String()
		}
		require.Equal(t, want, g.Group+" "+string(g.Role)+" "+selector)
	}
	for _, text := range []string{"", "admin", "=admin", "platform=root", "platform:admin", "shop=viewer:", "shop=viewer:team in a", "shop=viewer: "} {
		_, err := ParseGrant(text)
		require.Error(t, err, text)
	}
}

// TestFor: who has several grants may do with a deployment what one of them allows, and no more.
func TestFor(t *testing.T) {
	t.Parallel()
	var grants []Grant
	for _, text := range []string{"a=viewer", "b=deployer:team=b", "c=deployer:team=c", "d=operator:team=d"} {
		g, err := ParseGrant(text)
		require.NoError(t, err)
		grants = append(grants, g)
	}
	i := strongest("oidc:x", grants)
	require.Equal(t, Operator, i.Role)
	for needs, sees := range map[Role]string{Viewer: "abcd", Deployer: "bcd", Operator: "d"} {
		of, may := i.For(needs)
		require.True(t, may)
		for _, team := range []string{"a", "b", "c", "d"} {
			require.Equal(t, strings.Contains(sees, team), of.Sees(labels.Set{"team": team}), "%s %s", needs, team)
		}
	}
	_, may := i.For(Admin)
	require.False(t, may)
	_, may = strongest("oidc:y", grants[1:3]).For(Operator)
	require.False(t, may)
}
