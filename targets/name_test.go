package targets

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestName(t *testing.T) {
	tests := []struct {
		name string
		max  int
		path []string
		want string
	}{
		{"role", MaxName, []string{"shop", "front"}, "shop-front"},
		{"role of a promoted service", MaxName, []string{"world.eu.stack", "server"}, "world-eu-stack-server"},
		{"hyphen in the solution's name", MaxName, []string{"my-shop", "front"}, "my-shop-front"},
		{"hyphen in a role", MaxName, []string{"my", "shop-front"}, "my-shop--front"},
		{"capitals", MaxName, []string{"shop", "cartApi"}, "shop-cartapi-ca9fd5f5"},
		{"other characters", MaxName, []string{"shop", "größe_1"}, "shop-gr----e--1-1eb32280"},
		{"nothing left", MaxName, []string{"shop", "_"}, "shop-a58afb4a"},
		{"too long", 20, []string{"shop", "a-very-long-role-indeed"}, "shop-a--ver-4b0cace7"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, Name(test.max, test.path...))
		})
	}
}

// TestNameLaws shows that names of different paths of one solution differ and
// are DNS labels.
func TestNameLaws(t *testing.T) {
	dns := regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)
	part := rapid.StringMatching(`[a-zA-Z0-9_-]{1,30}|[a-b-]{1,4}`)
	path := rapid.SliceOfN(part, 1, 3)
	rapid.Check(t, func(t *rapid.T) {
		p, q := path.Draw(t, "p"), path.Draw(t, "q")
		p[0], q[0] = "my-solution."+p[0], "my-solution."+q[0]
		a, b := Name(MaxName, p...), Name(MaxName, q...)
		for _, name := range []string{a, b} {
			if len(name) > MaxName || !dns.MatchString(name) {
				t.Fatalf("%v: %s is no DNS label", p, name)
			}
		}
		same := strings.ReplaceAll(strings.Join(p, "."), "\x00", "") == strings.Join(q, ".")
		if (a == b) != same {
			t.Fatalf("%v is %s, %v is %s", p, a, q, b)
		}
	})
}
