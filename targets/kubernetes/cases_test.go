package kubernetes_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"kumiki.dev/diag"
	"kumiki.dev/internal/cases"
	"kumiki.dev/internal/golden"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
)

// TestCases compares the objects of every case's solution, and what is lost on
// the way to them, with the case, and shows what holds for all of them.
func TestCases(t *testing.T) {
	golden.Each(t, "../../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		s := cases.Solution(t, c)
		before, err := s.Bytes()
		require.NoError(t, err)
		objects, losses := kubernetes.Lower(s, targets.Options{})
		stream := encode(t, objects)
		if losses.HasErrors() {
			stream = nil
		}
		c.Check(t, "out/kubernetes.yaml", stream)
		c.Check(t, "out/kubernetes.losses.txt", lines(losses))
		after, err := s.Bytes()
		require.NoError(t, err)
		require.Equal(t, string(before), string(after), "lowering changes the solution")
		for _, o := range []targets.Options{{}, {Ingress: "gateway", Namespace: "here"}, {VolatileClass: "fast"}} {
			laws(t, s, o)
		}
	})
}

func encode(t *testing.T, objects []targets.Object) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, kubernetes.Encode(&b, objects))
	return b.Bytes()
}

func lines(problems diag.List) []byte {
	var b bytes.Buffer
	for _, d := range problems.Sorted() {
		fmt.Fprintf(&b, "%s %s [%s]\n", d.Severity, d.Message, d.Code)
	}
	return b.Bytes()
}

// laws hold for the objects of every solution.
func laws(t *testing.T, s *solution.Solution, o targets.Options) {
	t.Helper()
	objects, losses := kubernetes.Lower(s, o)
	again, lossesAgain := kubernetes.Lower(s, o)
	require.Equal(t, objects, again, "the same input gives different objects")
	require.Equal(t, losses, lossesAgain)
	seen := map[string]bool{}
	for i, x := range objects {
		id := x.Kind + "/" + x.Name
		require.False(t, seen[id], "%s is there twice", id)
		seen[id] = true
		plain, err := kubernetes.Plain(x)
		require.NoError(t, err)
		kind, group, grouped := strings.Cut(x.Kind, ".")
		require.Equal(t, kind, plain["kind"])
		if grouped { // one that goes with the deployment: its kind is named in full, and it may be the cluster's
			require.True(t, strings.HasPrefix(plain["apiVersion"].(string), group+"/"), id)
		} else {
			if _, given := x.Value.(map[string]any); !given {
				require.Empty(t, validation.IsDNS1123Label(x.Name), id)
			}
		}
		want, err := json.Marshal(plain)
		require.NoError(t, err)
		got, err := yaml.YAMLToJSON(encode(t, []targets.Object{x}))
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got), id)
		meta := plain["metadata"].(map[string]any)
		require.Equal(t, x.Name, meta["name"])
		if o.Namespace != "" && !grouped {
			require.Equal(t, o.Namespace, meta["namespace"])
		}
		for key, value := range meta["labels"].(map[string]any) {
			require.Empty(t, validation.IsQualifiedName(key), id)
			require.Empty(t, validation.IsValidLabelValue(value.(string)), id)
		}
		if i == 0 {
			require.Contains(t, x.Name, kubernetes.InventoryPart)
		}
	}
	references(t, objects)
}

// reference is where an object names another one of the solution, in YAML.
var reference = regexp.MustCompile(`(?m)^\s*(?:- )?(serviceAccountName|serviceName): (\S+)$`)

// references shows that all that objects refer to by name is there, and comes
// first.
func references(t *testing.T, objects []targets.Object) {
	t.Helper()
	kinds := map[string]string{"serviceAccountName": "ServiceAccount", "serviceName": "Service"}
	seen := map[string]bool{}
	for _, o := range objects {
		for _, match := range reference.FindAllSubmatch(encode(t, []targets.Object{o}), -1) {
			id := kinds[string(match[1])] + "/" + string(match[2])
			require.True(t, seen[id], "%s/%s refers to %s, which has not come yet", o.Kind, o.Name, id)
		}
		seen[o.Kind+"/"+o.Name] = true
	}
}
