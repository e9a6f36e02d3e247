package attack_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// read returns the contents of a file.
func (p *place) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.path(name))
	require.NoError(p.t, err)
	return string(data)
}

// TestInputsStay lets commands write onto what they read.
func TestInputsStay(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"compile", "deploy", "-o", "deploy/deployment.cue"},
		{"compile", "deploy", "-o", "app/app.cue", "--overwrite"},
		{"compile", "deploy", "-o", "cue.mod/module.cue"},
		{"compile", "deploy", "-f", "values.yaml", "-o", "values.yaml", "--overwrite"},
		{"bundle", "deploy", "-o", "deploy/deployment.cue", "--overwrite"},
		{"new", "deployment", "app", "-o", "deploy/deployment.cue"},
		{"index", ".", "-o", "app/app.cue"},
		{"watch", "deploy", "-o", "deploy/deployment.cue"},
	} {
		files := application(map[string]string{"values.yaml": "config: {parameter: {text: x}}\n"})
		p := newPlace(t, files)
		o := p.kumiki(args...)
		require.Equal(t, 2, o.code, "%v: %s", args, o.err)
		for name, text := range files {
			require.Equal(t, text, p.read(name), "%v", args)
		}
	}
}

// TestLinks puts links to a directory of somebody else's where kumiki writes.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"render", "deploy", "-t", "kubernetes", "--out", "out", "--overwrite"},
		{"render", "deploy", "-t", "swarm", "--out", "out", "--overwrite"},
		{"compile", "deploy", "--save", "--comment", "x"},
		{"delete", "app", "--purge"},
		{"history", "app"},
		{"compile", "deploy", "--cache=kept"},
	} {
		p := newPlace(t, application(nil))
		dear := t.TempDir()
		names := []string{"deployment-app-app.yaml", "stack.yaml", "current", "log", strings.Repeat("0", 64) + ".json", "notes"}
		for _, name := range names {
			require.NoError(t, os.WriteFile(filepath.Join(dear, name), []byte("1 \n"), 0o644))
		}
		for _, dir := range []string{"out", "solutions", "kept"} {
			require.NoError(t, os.MkdirAll(p.path(dir), 0o755))
		}
		require.NoError(t, os.Symlink(dear, p.path("solutions/app")))
		require.NoError(t, os.Symlink(dear, p.path("kept/0")))
		for _, name := range names[:2] {
			require.NoError(t, os.Symlink(filepath.Join(dear, name), p.path("out/"+name)))
		}
		p.write("out/.kumiki", strings.Join(names, "\n")+"\n")
		o := p.kumiki(args...)
		t.Logf("%v: %d %s", args, o.code, o.err)
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(dear, name))
			require.NoError(t, err, "%v", args)
			require.Equal(t, "1 \n", string(data), "%v", args)
		}
	}
}

// TestFullDisk writes to what has no room: exit 3, the old file stays.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	p := newPlace(t, application(nil))
	require.Zero(t, p.kumiki("compile", "deploy", "-o", "out.json").code)
	was := p.read("out.json")
	o := p.after(`trap "" XFSZ; ulimit -f 0`, "compile", "deploy", "--set", "config.scale.hsize=2", "-o", "out.json")
	require.NotZero(t, o.code)
	require.Equal(t, was, p.read("out.json"))
	o = p.after("exec >/dev/full", "compile", "deploy")
	require.Equal(t, 3, o.code, o.err)
	o = p.kumiki("compile", "deploy", "-o", "/dev/full")
	require.Equal(t, 3, o.code, o.err)
}

// TestDamagedBundles changes bundles at places that are drawn, and cuts them off.
func TestDamagedBundles(t *testing.T) {
	t.Parallel()
	p := newPlace(t, application(nil))
	require.Zero(t, p.kumiki("bundle", "deploy", "-o", "app.bundle").code)
	whole := []byte(p.read("app.bundle"))
	random := rand.New(rand.NewPCG(1, 2))
	tries := 300
	if testing.Short() {
		tries = 40
	}
	for range tries {
		data := bytes.Clone(whole)
		if at := random.IntN(len(data)); random.IntN(3) == 0 {
			data = data[:at]
		} else {
			data[at] ^= byte(1 + random.IntN(255))
		}
		p.write("bad.bundle", string(data))
		o := p.kumiki("compile", "bad.bundle")
		require.Contains(t, []int{1, 2}, o.code)
		require.Empty(t, o.out)
	}
}

// TestKills ends saves at moments that are drawn: what was saved before is there, and
// the next save succeeds and leaves no part of another.
func TestKills(t *testing.T) {
	t.Parallel()
	p := newPlace(t, application(nil))
	require.Zero(t, p.kumiki("compile", "deploy", "--save").code)
	random := rand.New(rand.NewPCG(3, 4))
	tries := 200
	if testing.Short() {
		tries = 30
	}
	for i := range tries {
		cmd := exec.Command(binary(t), "compile", "deploy", "--save", "--comment", strings.Repeat("x", i+1))
		cmd.Dir, cmd.Env = p.dir, p.env
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		o := p.kumiki("history", "app")
		require.Zero(t, o.code, o.err)
		require.Zero(t, p.kumiki("show", "app").code)
	}
	o := p.kumiki("compile", "deploy", "--save", "--comment", "last")
	require.Zero(t, o.code, o.err)
}
