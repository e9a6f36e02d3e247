package swarm_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/swarm"
)

// platform is the solution of the case that asks for most.
func platform(t testing.TB) *solution.Solution {
	t.Helper()
	data, err := os.ReadFile("../../testdata/cases/platform/solution.json")
	require.NoError(t, err)
	s, problems := solution.Read(data, "solution.json")
	require.Empty(t, problems)
	return s
}

func role(s *solution.Solution, name string) *solution.Role {
	return s.Deployments[s.Top].Artifact.Description.Role[name]
}

type problem struct {
	name   string
	change func(*solution.Solution)
	code   diag.Code
	text   string
}

// problems are changes of a solution, and what is then reported.
func problems() []problem {
	front := func(s *solution.Solution) *solution.Container {
		return role(s, "front").Artifact.Description.Code["web"]
	}
	zero := 0
	return []problem{
		{"long name", func(s *solution.Solution) { s.Ref.Name = strings.Repeat("a", 40) }, diag.TargetName, `the solution's name "aaaa`},
		{"large file", func(s *solution.Solution) {
			front(s).Mapping.Filesystem["/large"] = &solution.File{Path: "/large", Format: "text", Data: &solution.FileData{Value: strings.Repeat("x", 1<<20)}, Mode: &zero}
		}, diag.TargetFile, "file /large has 1048576 bytes: a config of Swarm has at most 1024000"},
		{"one place twice", func(s *solution.Solution) {
			front(s).Mapping.Filesystem["/etc/front//a.json"] = &solution.File{Path: "/etc/front//a.json", Format: "text", Data: &solution.FileData{Value: "x"}, Mode: &zero}
		}, diag.TargetFile, "service platform-front has two files or volumes at /etc/front/a.json"},
		{"unknown label", func(s *solution.Solution) {
			setMeta(s, "placement", []any{map[string]any{"label": "größe", "value": "1"}})
		}, diag.LostPlacement, `Swarm cannot ask nodes for a label "größe"`},
		{"value that is no value", func(s *solution.Solution) {
			setMeta(s, "placement", []any{map[string]any{"label": "a", "value": "a==b"}})
		}, diag.LostPlacement, `a constraint of Swarm cannot hold the value "a==b"`},
		{"spread over nodes", func(s *solution.Solution) { setMeta(s, "spread", "kubernetes.io/hostname") }, diag.LostPlacement, "Swarm spreads over labels of nodes only"},
		{"unknown hint", func(s *solution.Solution) { setMeta(s, "rollout", map[string]any{"delay": "1s"}) }, diag.LostMeta, `meta.rollout.delay of role front of platform is "1s", and left out: it takes milliseconds, a whole number such as 10000`},
		{"unknown restart", func(s *solution.Solution) { setMeta(s, "restart", "sometimes") }, diag.LostMeta, `meta.restart of role front of platform is "sometimes": it is one of always, on-failure, never`},
		{"udp", func(s *solution.Solution) { role(s, "storeA").Artifact.Description.Srv.Server["main"].Protocol = "udp" }, diag.LostChannel, "Swarm moves no datagrams to another port"},
		{"names in a circle", func(s *solution.Solution) {
			s.Deployments[s.Top].Artifact.Description.Connector["second"].Servers[0].Links[0] = solution.Endpoint{Role: "front", Channel: "web"}
		}, diag.LostChannel, "reach each other in a circle, all by channels of that name"},
		{"a port twice", func(s *solution.Solution) {
			s.Deployments["platform.admin"].Artifact.Description.Config.Resource["port"].Port = "80"
		}, diag.LostInbound, "port 80 is published by platform-admin and by platform-inbound-http"},
		{"a port's name", func(s *solution.Solution) {
			s.Deployments["platform.admin"].Artifact.Description.Config.Resource["port"].Port = "ssh"
		}, diag.LostInbound, `a stack publishes numbers, and "ssh", the port of platform.admin, is only a name`},
		{"same names of resources", func(s *solution.Solution) {
			role(s, "front").Config.Resource = map[string]*solution.Resource{"x": {Secret: "owner-password"}}
			front(s).Mapping.Env["X"] = &solution.Env{Secret: "x"}
		}, diag.TargetName, `would both be called owner-password there`},
	}
}

// TestProblems changes a solution, and looks for what is then reported.
func TestProblems(t *testing.T) {
	for _, test := range problems() {
		t.Run(test.name, func(t *testing.T) {
			s := platform(t)
			test.change(s)
			_, problems := swarm.Lower(s, targets.Options{})
			var found []string
			for _, d := range problems {
				found = append(found, fmt.Sprintf("%s [%s]", d.Message, d.Code))
				if d.Code == test.code && strings.Contains(d.Message, test.text) {
					return
				}
			}
			t.Errorf("%q [%s] is not among\n%s", test.text, test.code, strings.Join(found, "\n"))
		})
	}
}

func setMeta(s *solution.Solution, key string, value any) {
	role(s, "front").Meta.(map[string]any)[key] = value
}

// TestOptions gives the hosts and numbers that are not the ids of domains and
// ports.
func TestOptions(t *testing.T) {
	s := platform(t)
	objects, _ := swarm.Lower(s, targets.Options{Domains: map[string]string{"back-office": "office.example.com"}, Ports: map[string]int32{"30022": 22}})
	stack := swarm.New(objects)
	require.Contains(t, stack.Services["platform-inbound-http"].Environment["HAPROXY_CONFIG"], "-m str office.example.com\n")
	require.NotContains(t, stack.Configs, "back-office.domain")
	require.Equal(t, 22, stack.Services["platform-admin"].Ports[0].Published)
	require.Equal(t, "22", stack.Services["platform-middle"].Environment["PORT"])
}

// TestPure shows that the solution stays as it was, and that the same solution
// gives the same stack.
func TestPure(t *testing.T) {
	s := platform(t)
	before, err := json.Marshal(s)
	require.NoError(t, err)
	first, _ := swarm.Lower(s, targets.Options{})
	second, _ := swarm.Lower(s, targets.Options{})
	after, err := json.Marshal(s)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	require.Equal(t, first, second)
}

// TestContentNames shows that a config's name follows its content, and only
// that of the file that has changed.
func TestContentNames(t *testing.T) {
	s := platform(t)
	before, _ := swarm.Lower(s, targets.Options{})
	role(s, "middle").Artifact.Description.Code["main"].Mapping.Filesystem["/start.sh"].Data.Value = "exit 1\n"
	after, _ := swarm.Lower(s, targets.Options{})
	x, y := swarm.Names("st", before), swarm.Names("st", after)
	require.Len(t, y.Configs, len(x.Configs))
	changed := 0
	for i := range x.Configs {
		if x.Configs[i] != y.Configs[i] {
			changed++
			require.True(t, strings.HasPrefix(y.Configs[i], "st_platform-middle-start.sh-"), y.Configs[i])
		}
	}
	require.Equal(t, 1, changed)
	require.Equal(t, []string{"back-office.domain"}, x.ExternalConfigs)
	require.Equal(t, []string{"back-office.pem", "owner-password", "staff.ca.pem"}, x.ExternalSecrets)
}

// large is a solution of n roles, each a client of the next, and all with the
// same channel name: the worst for names.
func large(tb testing.TB, n int) *solution.Solution {
	tb.Helper()
	s := platform(tb)
	d := s.Deployments[s.Top]
	front, err := json.Marshal(role(s, "front"))
	require.NoError(tb, err)
	d.Artifact.Description.Role = map[string]*solution.Role{}
	d.Artifact.Description.Connector = map[string]*solution.Connector{}
	for name := range s.Deployments {
		if name != s.Top {
			delete(s.Deployments, name)
		}
	}
	s.Links = nil
	for i := range n {
		r := new(solution.Role)
		require.NoError(tb, json.Unmarshal(front, r))
		r.Name = fmt.Sprintf("role%04d", i)
		r.Artifact.Description.Srv.Server["web"].Port = 8080
		d.Artifact.Description.Role[r.Name] = r
		if i > 0 {
			before := fmt.Sprintf("role%04d", i-1)
			channel := []string{"next", "stores"}[i%2]
			d.Artifact.Description.Connector[r.Name] = &solution.Connector{
				Kind: "lb", Clients: []solution.Endpoint{{Role: before, Channel: channel}},
				Servers: []solution.ServerGroup{{Links: []solution.Endpoint{{Role: r.Name, Channel: "web"}}, Meta: make([]solution.LinkMeta, 1)}},
			}
		}
	}
	return s
}

func BenchmarkLower(b *testing.B) {
	for _, n := range []int{100, 1000} {
		s := large(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				objects, problems := swarm.Lower(s, targets.Options{})
				if problems.HasErrors() || len(objects) < n {
					b.Fatal(problems)
				}
			}
		})
		objects, _ := swarm.Lower(s, targets.Options{})
		b.Run(fmt.Sprint(n, "/encode"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := swarm.Encode(io.Discard, objects); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestChannelData shows that what a connector says of its servers reaches the code
// of their clients, in the file that Kumori's platform has for it.
func TestChannelData(t *testing.T) {
	s := platform(t)
	s.Deployments[s.Top].Artifact.Description.Connector["second"].Servers[0].Meta[0].User = map[string]any{"share": "10%"}
	objects, _ := swarm.Lower(s, targets.Options{})
	stack := swarm.New(objects)
	found := ""
	for _, o := range objects {
		if f, ok := o.Value.(*swarm.File); ok && strings.Contains(string(f.Content), `"share": "10%"`) {
			found = o.Name
			require.Contains(t, string(f.Content), `"host": "0.`)
		}
	}
	require.NotEmpty(t, found)
	n := 0
	for _, service := range stack.Services {
		for _, c := range service.Configs {
			if c.Source == found {
				require.Equal(t, "/kumori/config.json", c.Target)
				n++
			}
		}
	}
	require.Equal(t, 1, n)
}
