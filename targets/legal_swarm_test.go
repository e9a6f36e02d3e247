package targets_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/swarm"
)

// What the manager takes as names of services and networks, and of configs and
// secrets, what Docker takes as those of volumes, and what the schema of stack
// files takes as keys.
var (
	serviceNames = regexp.MustCompile(`^[a-zA-Z0-9](?:[-_]*[A-Za-z0-9]+)*$`)
	fileNames    = regexp.MustCompile(`^[a-zA-Z0-9]+(?:[a-zA-Z0-9-_.]*[a-zA-Z0-9])?$`)
	volumeNames  = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]+$`)
	keys         = regexp.MustCompile(`^[a-zA-Z0-9._-]+$`)
)

// TestLegalSwarm is [TestLegalKubernetes] for Swarm.
func TestLegalSwarm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := solutions(t)
		require.Empty(t, solution.Verify(s))
		objects, problems := swarm.Lower(s, targets.Options{})
		problems = slices.DeleteFunc(problems, func(d *diag.Diagnostic) bool { return d.Code == diag.LostInbound })
		onlyIDs(t, problems)
		l := legal{t: t}
		stack := swarm.StackName(s.Ref.Name)
		require.Equal(t, stack != s.Ref.Name, slices.ContainsFunc(problems, func(d *diag.Diagnostic) bool {
			return strings.HasSuffix(d.Message, "deploy this one under the name "+stack)
		}))
		for _, o := range objects {
			l.at = o.Kind + "/" + o.Name
			l.part(stack, o)
		}
	})
}

func like(r *regexp.Regexp, max int) func(string) []string {
	return func(s string) []string {
		if len(s) > max || !r.MatchString(s) {
			return []string{"Swarm takes no such name"}
		}
		return nil
	}
}

func (l *legal) part(stack string, o targets.Object) {
	l.takes(like(keys, 1000), "key", o.Name)
	switch v := o.Value.(type) {
	case *swarm.Service:
		l.takes(like(serviceNames, 63), "name", stack+"_"+o.Name)
		var targets []string
		for _, f := range append(slices.Clone(v.Configs), v.Secrets...) {
			targets = append(targets, f.Target)
		}
		l.different("files", targets)
	case *swarm.Network:
		l.takes(like(serviceNames, 63), "name", stack+"_"+o.Name)
	case *swarm.Volume:
		name, _, _ := strings.Cut(v.Name, "{{")
		l.takes(like(volumeNames, 64), "name", name)
	case *swarm.File:
		name := v.Name
		if !v.External {
			name = stack + "_" + o.Name
		}
		l.takes(like(fileNames, 64), "name", name)
	}
}
