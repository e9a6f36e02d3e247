package attack_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxPeak is what a command may have resident, in kB, with the default limit.
const maxPeak = 2 << 20

// bomb is a manifest that would take all memory there is.
type bomb struct {
	name  string
	files map[string]string // that replace some of the application
	what  string            // that the problem names
}

// doubling is a field that is twice the one before it, n times.
func doubling(first, twice string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "_p0: %s\n", first)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "_p%d: %s\n", i, strings.ReplaceAll(twice, "P", fmt.Sprintf("_p%d", i-1)))
	}
	return b.String()
}

func bombs() []bomb {
	inDeployment := func(text, imports string) map[string]string {
		return map[string]string{"deploy/deployment.cue": strings.Replace(deployment, "\n#Deployment", imports+"\n"+text+"\n#Deployment", 1)}
	}
	inText := func(expr, imports string) map[string]string {
		return map[string]string{"deploy/deployment.cue": strings.NewReplacer("\n#Deployment", imports+"\n#Deployment", `text: "x"`, "text: "+expr).Replace(deployment)}
	}
	inArtifact := func(text, imports string) map[string]string {
		head, rest, _ := strings.Cut(component, "\n")
		return map[string]string{"app/app.cue": head + "\n" + imports + text + rest}
	}
	role := "attack.example/app/app:component"
	return []bomb{
		{"doubled text", inDeployment(doubling(`"0123456789"`, "P + P", 31)+"\nx: len(_p31)", ""), "package attack.example/app/deploy:deployment"},
		{"doubled text in the artifact", inArtifact(doubling(`"0123456789"`, "P + P", 31)+"\nx: len(_p31)\n", ""), role},
		{"a range", inDeployment("x: list.Range(0, 100000000, 1)", `import "list"`), "attack.example/app/deploy"},
		{"repeated repetition", inText(`strings.Repeat(strings.Repeat(strings.Repeat("0123456789", 1000), 1000), 1000)`, `import "strings"`), "attack.example/app/deploy"},
		{"a template", inText(`template.Execute("{{range .a}}{{range $.a}}{{range $.a}}{{range $.a}}0123456789{{end}}{{end}}{{end}}{{end}}", {a: list.Range(0, 400, 1)})`, "import (\n\t\"text/template\"\n\t\"list\"\n)"), "attack.example/app/deploy"},
		{"laughs", inText("json.Marshal(_p9)", "import \"encoding/json\"\n"+doubling(`["lol"]`, "[P, P, P, P, P, P, P, P, P, P]", 9)), "attack.example/app/deploy"},
	}
}

// TestBombs needs a line that says what took so much, within the memory that a
// command may take.
func TestBombs(t *testing.T) {
	list := bombs()
	if testing.Short() {
		list = list[:4]
	}
	for _, b := range list {
		t.Run(b.name, func(t *testing.T) {
			for _, command := range [][]string{{"vet", "deploy"}, {"params", "app"}, {"compile", "deploy", "--memory", "300Mi"}} {
				p := newPlace(t, application(b.files))
				o, peak := p.peak(command...)
				if command[0] == "params" && o.code == 0 {
					continue // the bomb is in the deployment
				}
				t.Logf("%v: exit %d, %d MB, %s", command, o.code, peak>>10, o.took)
				require.Equal(t, 1, o.code, o.err)
				require.Less(t, peak, maxPeak)
				require.Contains(t, o.err, "of memory, half of what it may take, as one more step can take the other half, while CUE evaluated")
				require.Contains(t, o.err, b.what)
				require.Contains(t, o.err, "[memory]")
				require.Equal(t, 1, strings.Count(o.err, "[memory]"), o.err)
			}
		})
	}
}

// TestUlimit gives commands less than they would take by themselves.
func TestUlimit(t *testing.T) {
	p := newPlace(t, application(bombs()[0].files))
	o := p.after("ulimit -v 2500000", "vet", "deploy")
	require.Equal(t, 1, o.code, o.err)
	require.Contains(t, o.err, "while CUE evaluated package attack.example/app/deploy:deployment")
}

// TestMemoryChangesNothing compiles with little memory: the same bytes.
func TestMemoryChangesNothing(t *testing.T) {
	p := newPlace(t, application(nil))
	want := p.kumiki("compile", "deploy")
	require.Zero(t, want.code, want.err)
	for _, memory := range []string{"64Mi", "4Gi", "0"} {
		require.Equal(t, want.out, p.kumiki("compile", "deploy", "--memory", memory).out)
	}
}

// peak is [place.kumiki] with the most memory that was resident, in kB.
func (p *place) peak(args ...string) (outcome, int) {
	p.t.Helper()
	if runtime.GOOS != "linux" {
		return p.kumiki(args...), 0
	}
	at := filepath.Join(p.t.TempDir(), "took.json")
	p.env = append(p.env, "TOOK="+at, "RUSAGE="+rusage(p.t))
	o := p.run("ulimit -v "+"unlimited"+"\nexec \"$RUSAGE\" \"$TOOK\" \"$0\" \"$@\"", args)
	data, err := os.ReadFile(at)
	require.NoError(p.t, err)
	var took struct{ Peak int }
	require.NoError(p.t, json.Unmarshal(data, &took))
	return o, took.Peak
}

// rusage builds what measures, once.
func rusage(t *testing.T) string {
	t.Helper()
	name := filepath.Join(filepath.Dir(binary(t)), "rusage.test")
	if _, err := os.Stat(name); err == nil {
		return name
	}
	build := exec.Command("go", "build", "-o", name, "./internal/rusage")
	build.Dir = filepath.Join("..", "..")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return name
}
