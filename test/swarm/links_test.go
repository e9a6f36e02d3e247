package swarm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
)

// linkedApps is how many applications there are, each of which links to the next: a circle.
const linkedApps = 10

const linkedNode = `package component

#Artifact: {
	ref: name: "node"
	description: {
		srv: {
			client: next: _
			server: {entry: port: 8080, admin: port: 8081}
		}
		config: {
			parameter: {
				who: string
				peer: *"" | string
			}
			scale: hsize: *1 | uint
		}
		code: node: {
			image: tag: "kumiki-app:1"
			mapping: env: {WHO: parameter: "who", PEER: parameter: "peer", PORT: value: "8080"}
			size: {cpu: {size: 100, unit: "m"}, memory: {size: 32, unit: "M"}, mincpu: 1}
		}
		size: bandwidth: {size: 0, unit: "M"}
	}
}
`

// linkedStacks are the stacks of the applications, by the numbers of these.
func linkedStacks(t *testing.T) [][]targets.Object {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	write("cue.mod/module.cue", "module: \"links.example/apps@v0\"\nlanguage: version: \"v0.12.0\"\n")
	write("node/node.cue", linkedNode)
	name := func(i int) string { return "a" + strconv.Itoa((i+linkedApps)%linkedApps) }
	for i := range linkedApps {
		peer := ""
		if i%2 == 0 { // values are taken in no circle
			peer = fmt.Sprintf("\n\tconfig: parameter: peer: {$from: %q, field: \"channel.entry.address\"}", name(i+1))
		}
		write(filepath.Join("apps", name(i), "deployment.cue"), fmt.Sprintf(`package deployment

import n "links.example/apps/node:component"

#Deployment: {
	name:     %q
	artifact: n.#Artifact
	config: parameter: who: %q
	links: next: to: {deployment: %q, channel: "entry"}
	accepts: entry: [{deployment: %q}]%s
}
`, name(i), name(i), name(i+1), name(i-1), peer))
	}
	var stacks [][]targets.Object
	for i := range linkedApps {
		in := compiler.Input{With: compiler.NewOthers([]string{filepath.Join(dir, "apps")})}
		in.Dir = filepath.Join(dir, "apps", name(i))
		s, problems := compiler.Compile(context.Background(), in)
		require.False(t, problems.HasErrors(), "%v", problems)
		objects, losses := target.Lower(s, targets.Options{})
		require.False(t, losses.HasErrors(), "%v", losses)
		stacks = append(stacks, quick(objects))
	}
	return stacks
}

// TestEngineLinks deploys ten stacks that link to each other in a circle: a request by a
// link arrives, at the names that a client has inside a solution too and at the address that
// it is given as a value, and nobody reaches anybody else.
func TestEngineLinks(t *testing.T) {
	t.Parallel()
	l := engine(t)
	for i, objects := range linkedStacks(t) {
		l.deploy("a"+strconv.Itoa(i), objects)
	}
	service := func(i int) string { return fmt.Sprintf("a%d_a%d-node", i, i) }
	for i := range linkedApps {
		next := regexp.MustCompile(fmt.Sprintf(`^200 a%d\b`, (i+1)%linkedApps))
		urls := []string{"http://0.next/", "http://next/", "http://set.0.next:8080/"}
		if i > 0 {
			urls = urls[:1] // the names are made in the same way everywhere
		}
		if i%2 == 0 {
			peer := strings.TrimPrefix(strings.TrimSpace(l.docker("exec", l.task(service(i)), "/app", "env", "PEER")), "PEER=")
			require.Equal(t, service((i+1)%linkedApps)+":8080", peer)
			urls = append(urls, "http://"+peer+"/")
		}
		for _, url := range urls {
			var got string
			require.Eventually(t, func() bool {
				got, _ = l.Docker(context.Background(), "", "exec", l.task(service(i)), "/app", "get", url)
				return next.MatchString(got)
			}, 90*time.Second, 300*time.Millisecond, "%s of a%d: %s", url, i, later(func() string { return got }))
		}
		require.Equal(t, "KUMIKI_CHANNEL_NEXT=0.next:80\n", l.docker("exec", l.task(service(i)), "/app", "env", "KUMIKI_CHANNEL_NEXT"))
	}
	var all []string
	own := map[int][]string{}
	for i := range linkedApps {
		for _, address := range strings.Fields(l.docker("inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}", l.task(service(i)))) {
			own[i] = append(own[i], address+":8080")
		}
		require.Len(t, own[i], 2, "the network of its channel, and that of the link to it")
		all = append(all, own[i]...)
	}
	for i := range linkedApps {
		out := l.docker(append([]string{"exec", l.task(service(i)), "/app", "reach"}, all...)...)
		require.Len(t, strings.Fields(out), len(all))
		for j, state := range strings.Fields(out) {
			require.Equal(t, j/2 == i, state == "open", "a%d reaches %s of a%d", i, all[j], j/2)
		}
	}
}
