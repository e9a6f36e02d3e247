package kubernetes

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
	"kumiki.dev/solution"
)

// expand is what a kubelet does to variables and arguments: $(NAME) is a
// variable's value, $$ a dollar.
func expand(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '$' || i+1 == len(text):
			out.WriteByte(text[i])
		case text[i+1] == '$':
			out.WriteByte('$')
			i++
		case text[i+1] == '(':
			if end := strings.IndexByte(text[i:], ')'); end > 0 {
				out.WriteString("VALUE")
				i += end
				continue
			}
			out.WriteByte('$')
		default:
			out.WriteByte('$')
		}
	}
	return out.String()
}

// TestLiteral shows that no text is taken for a variable.
func TestLiteral(t *testing.T) {
	require.Equal(t, "costs $5", literal("costs $5"))
	require.Equal(t, "$$(HOME)", literal("$(HOME)"))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([$()A]|[$]{2,3}){0,12}`).Draw(t, "text")
		if got := expand(literal(text)); got != text {
			t.Fatalf("%s became %s", text, got)
		}
	})
}

// TestProbeLiteral shows that the kubelet takes no word of a check for a variable.
func TestProbeLiteral(t *testing.T) {
	command := []string{"sh", "-c", "test $(cat /ready) = $$HOME"}
	h := handler(solution.ProbeProtocol{Exec: &solution.ExecProbe{Command: command}})
	var got []string
	for _, word := range h.Exec.Command {
		got = append(got, expand(word))
	}
	require.Equal(t, command, got)
}

// TestFileKey shows that different paths have different keys, which a ConfigMap
// takes.
func TestFileKey(t *testing.T) {
	require.Equal(t, "etc_shop_pages.json", fileKey("/etc/shop/pages.json"))
	keys := map[string]string{}
	path := rapid.StringMatching(`(/[a_.%é-]{1,3}){1,3}`)
	rapid.Check(t, func(t *rapid.T) {
		p := path.Draw(t, "path")
		if strings.Contains(p+"/", "/./") || strings.Contains(p+"/", "/../") {
			return
		}
		key := fileKey(p)
		if old, ok := keys[key]; ok && old != p {
			t.Fatalf("%s and %s are both %s", old, p, key)
		}
		keys[key] = p
		if problems := validation.IsConfigMapKey(key); len(problems) > 0 {
			t.Fatalf("%s: %v", key, problems)
		}
	})
}

func TestPortName(t *testing.T) {
	require.Equal(t, "rest", portName("rest"))
	for _, channel := range []string{"Rest", "a-very-long-name-indeed", "rest_v2", "80", "a--b", ""} {
		require.Empty(t, validation.IsValidPortName(portName(channel)), channel)
	}
}

// TestAnyText finds run-time names in the data of files, wherever they stand in
// it, also where JSON escapes what comes before them.
func TestAnyText(t *testing.T) {
	for _, value := range []any{"0.rest", "<0.rest>", map[string]any{"0.rest": true}, []any{json.Number("1"), map[string]any{"hosts": "a\n0.rest"}}} {
		require.True(t, anyText(value, runtimeName().MatchString), value)
	}
	for _, value := range []any{"rest", json.Number("0.5"), nil, true, map[string]any{"a": []any{"b"}}} {
		require.False(t, anyText(value, runtimeName().MatchString), value)
	}
}
