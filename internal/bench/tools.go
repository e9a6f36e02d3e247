package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"kumiki.dev/internal/benchapp"
)

// contender is a command that is measured.
type contender struct {
	name, about string
	dir         string   // of the version that it works on
	command     []string // the first word is a tool
	in          func(benchapp.Case) bool
	limit       time.Duration // how long it may run where that is more than others may
}

// Names of the contenders, as tables show them.
const (
	compile    = "compile"
	whole      = "compile --no-partial"
	edited     = "compile --cache"
	kubernetes = "render -t kubernetes"
	swarm      = "render -t swarm"
	unified    = "one unification"
	objects    = "objects by CUE"
	finished   = "finished JSON by CUE"
	plainJSON  = "finished JSON by encoding/json"
)

// kept is the directory of the cache that outlives a command.
const kept = "kept"

// solution is the file that the contenders of finished JSON read.
const solution = "solution.json"

var contenders = []contender{
	{compile, "`kumiki compile`", "kumiki", []string{"kumiki", "compile", benchapp.Deploy}, always, 0},
	{whole, "`kumiki compile --no-partial`", "kumiki", []string{"kumiki", "compile", "--no-partial", benchapp.Deploy}, partial, 0},
	{edited, "`kumiki compile --cache` after an edit that changes one component; the cache has what it was before", "kumiki", []string{"kumiki", "compile", "--cache=../" + kept, benchapp.Deploy}, nested, 0},
	{kubernetes, "`kumiki render -t kubernetes`", "kumiki", []string{"kumiki", "render", "-t", "kubernetes", benchapp.Deploy}, renders, 0},
	{swarm, "`kumiki render -t swarm`", "kumiki", []string{"kumiki", "render", "-t", "swarm", benchapp.Deploy}, lowers, 0},
	{unified, "`cue export` of the application as plain CUE, whose schema spreads config by one unification", "unified", []string{"cue", "export", "./" + benchapp.Deploy}, always, 0},
	{objects, "`cue export` of the application as plain CUE that makes the five Kubernetes objects of each role", "objects", []string{"cue", "export", "./" + benchapp.Deploy, "-e", "stream", "--out", "text"}, hasObjects, 0},
	{finished, "`cue export` of the solution that kumiki makes", ".", []string{"cue", "export", solution}, always, 0},
	{plainJSON, "`encoding/json` decodes and encodes that solution", ".", []string{"jsonpass", solution}, always, 0},
}

func always(benchapp.Case) bool { return true }

// partial leaves out the shape in which nothing comes a second time.
func partial(c benchapp.Case) bool { return c.Shape != "artifacts" }

// nested are the shapes in which an edit leaves most as it was.
func nested(c benchapp.Case) bool { return strings.Contains(c.Shape, "nested") }

// renders and lowers leave out shapes that say nothing about objects which
// others don't.
func renders(c benchapp.Case) bool { return partial(c) && c.Shape != "chain" }
func lowers(c benchapp.Case) bool  { return hasObjects(c) || c.Shape == "flat" || c.Shape == "minimal" }

// hasObjects are the shapes that templates are compared on.
func hasObjects(c benchapp.Case) bool {
	switch c.Shape {
	case "usual", "nested", "nested-file", "peers", "peers-nested":
		return true
	}
	return false
}

// tools are the binaries, in a directory of this run.
type tools struct{ dir string }

// build builds all that is run, cue at the version that kumiki is built with.
func build(dir string) (tools, error) {
	t := tools{dir}
	for _, args := range [][]string{
		{"./cmd/kumiki", "./internal/rusage", "./internal/jsonpass"},
		{"-modfile=tools/go.mod", "cuelang.org/go/cmd/cue"},
	} {
		cmd := exec.Command("go", append([]string{"build", "-o", filepath.Join(dir, "bin") + "/"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return t, fmt.Errorf("go build %v: %w\n%s", args, err, out)
		}
	}
	return t, nil
}

// bin is the path of a tool.
func (t tools) bin(name string) string { return filepath.Join(t.dir, "bin", name) }

// prepare writes all versions of the case into a directory of its own, and compiles
// it once.
func (t tools) prepare(c benchapp.Case) (string, error) {
	root := filepath.Join(t.dir, c.Name())
	app := c.New()
	versions := map[string]benchapp.App{"kumiki": app.Kumiki(), "unified": app.Unified()}
	if hasObjects(c) {
		versions["objects"] = app.Objects()
	}
	for version, files := range versions {
		if err := files.Write(filepath.Join(root, version)); err != nil {
			return "", err
		}
	}
	cmd := exec.Command(t.bin("kumiki"), "compile", filepath.Join(root, "kumiki", benchapp.Deploy), "--cache="+filepath.Join(root, kept), "--out", filepath.Join(root, solution))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("kumiki says of it: %w\n%s", err, out)
	}
	return root, os.Mkdir(filepath.Join(root, "cache"), 0o755)
}

// versions are those of Go and of CUE, the same in kumiki as in cue: else the
// comparison would be one of versions.
func (t tools) versions() (goVersion, cueVersion string, err error) {
	found := map[string]string{}
	for _, name := range []string{"kumiki", "cue"} {
		info, err := buildinfo.ReadFile(t.bin(name))
		if err != nil {
			return "", "", err
		}
		goVersion = info.GoVersion
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == "cuelang.org/go" {
				found[name] = m.Version
			}
		}
	}
	if found["kumiki"] != found["cue"] {
		return "", "", fmt.Errorf("kumiki is built with CUE %s, cue is %s: run go get cuelang.org/go@%[1]s in tools", found["kumiki"], found["cue"])
	}
	return goVersion, found["cue"], nil
}
