package compile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/run/record"
	"kumiki.dev/solution"
)

// A tree takes as many times what one bundle may take.
const treeTimes = 5

// MirrorDir is the directory of a tree with the modules that it depends on, as kumiki mod mirror
// --to mirror writes them: a child gets no other registry.
const MirrorDir = "mirror"

// indexFormat and the types of indexes are those of package matrix, which is the compiler's.
const indexFormat = "kumiki.dev/matrix/v1"

// Placed is a cell that was placed before: what runs of a template in an environment.
type Placed struct {
	Template, Environment, Name string
	// Level is when it was applied in its environment.
	Level int
	// Solution is its text, and Digest what that says its digest is.
	Solution []byte
	Digest   string
}

type index struct {
	Format       string                  `json:"format"`
	Environments map[string]record.Place `json:"environments"`
	Cells        []*indexed              `json:"cells"`
	Sources      map[string]any          `json:"sources"`
}

type indexed struct {
	Environment string   `json:"environment"`
	Template    string   `json:"template"`
	Name        string   `json:"name"`
	Artifact    string   `json:"artifact"`
	Level       int      `json:"level"`
	Digest      string   `json:"digest"`
	Key         string   `json:"key"`
	Files       []string `json:"files"`
}

// Cell is a template in an environment, as the compiler reports it.
type Cell struct {
	Template    string `json:"template"`
	Environment string `json:"environment"`
	Name        string `json:"name"`
	Artifact    string `json:"artifact"`
	Wave        string `json:"wave"`
	WaveNumber  int    `json:"waveNumber"`
	Level       int    `json:"level"`
	// State is new, changed, unchanged, removed, problem or unknown, and Class what a change does.
	State    string   `json:"state"`
	Class    string   `json:"class"`
	Digest   string   `json:"digest"`
	Problems []string `json:"problems"`
	// Text is the solution, canonical, and Solution what it says; nil where none was made.
	Text     []byte             `json:"-"`
	Solution *solution.Solution `json:"-"`
}

// Tree is what came of the templates and environments of a module.
type Tree struct {
	// Cells are sorted by environment and template; none if the tree cannot be read.
	Cells []Cell
	// Places are the environments that have cells, by their names.
	Places map[string]record.Place
	// Refusal is why so much is not removed without somebody who says so, "" for no reason.
	Refusal string
	// Problems are errors and warnings, each once.
	Problems []record.Problem
}

// Secrets are the warnings of values that look like secrets, and are not acknowledged.
func (t *Tree) Secrets() []record.Problem { return (&Result{Problems: t.Problems}).Secrets() }

// Tree compiles the templates of a module for their environments. The module is a zip archive of
// its root. Before is what was placed, places what is known of its environments. What is wrong
// with the tree is in the result; the error is [ErrLimit], or that the compiler cannot be run.
func (c *Compiler) Tree(ctx context.Context, archive []byte, before []Placed, places map[string]record.Place) (*Tree, error) {
	dir, leave, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	for _, name := range []string{treeDir, outDir} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	root, err := unpack(archive, filepath.Join(dir, treeDir))
	var wrong errTree
	switch {
	case errors.As(err, &wrong):
		return &Tree{Problems: []record.Problem{{Code: "bundle/bad", Severity: "error", Message: wrong.Error()}}}, nil
	case err != nil:
		return nil, err
	}
	if err := writeBefore(filepath.Join(dir, outDir), before, places); err != nil {
		return nil, err
	}
	many := *c
	many.limits.Wall, many.limits.CPU = c.limits.Wall*treeTimes, c.limits.CPU*treeTimes
	if there(root, MirrorDir) {
		many.registry = "dir:" + filepath.Join(root, MirrorDir)
	}
	if root, err = filepath.Rel(dir, root); err != nil {
		return nil, err
	}
	return many.matrix(ctx, dir, root)
}

const treeDir, outDir = "tree", "out"

// writeBefore writes what was placed as kumiki matrix writes it, so that it compares.
func writeBefore(dir string, before []Placed, places map[string]record.Place) error {
	if len(before) == 0 {
		return nil
	}
	x := index{Format: indexFormat, Environments: map[string]record.Place{}, Sources: map[string]any{}}
	for _, p := range before {
		file := solutionFile(p.Environment, p.Name)
		x.Cells = append(x.Cells, &indexed{Environment: p.Environment, Template: p.Template, Name: p.Name, Level: p.Level, Digest: p.Digest, Files: []string{file}})
		x.Environments[p.Environment] = places[p.Environment]
		at := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(at, p.Solution, 0o600); err != nil {
			return err
		}
	}
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.json"), data, 0o600)
}

func solutionFile(environment, name string) string {
	return "solutions/" + environment + "/" + name + ".json"
}

// refused is how kumiki matrix says that too much would be removed: its reason, and the number
// that has to be repeated.
var refused = regexp.MustCompile(`(?m)^(\d+ solutions?) would be removed, and nothing was written \((.*)\); if that is meant, say --remove (\d+)$`)

// matrix runs the compiler: again with the number, where it refuses to remove that many.
func (c *Compiler) matrix(ctx context.Context, dir, root string) (*Tree, error) {
	refusal := ""
	args := []string{"matrix", root, "--out", outDir, "-o", "json", "--jobs", "1"}
	out, err := c.run(ctx, dir, args...)
	if found := refused.FindSubmatch(out.stderr.text); err != nil && found != nil {
		refusal = fmt.Sprintf("%s would be removed (%s)", found[1], found[2])
		out, err = c.run(ctx, dir, append(args, "--remove", string(found[3]))...)
	}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		if errors.As(err, &exit) && exit.ExitCode() == 2 { // it is used wrongly: by what the tree is
			return &Tree{Problems: []record.Problem{{Code: "bundle/bad", Severity: "error", Message: strings.ReplaceAll(strings.TrimPrefix(firstLine(strings.TrimSpace(string(out.stderr.text))), "kumiki: "), root+"/", "")}}}, nil
		}
		return nil, c.wrong(ctx, out, err)
	}
	t := &Tree{Refusal: refusal, Problems: told(string(out.stderr.text), root)}
	if len(strings.TrimSpace(string(out.stdout.text))) == 0 {
		if len(t.Problems) == 0 {
			return nil, c.wrong(ctx, out, err)
		}
		return t, nil
	}
	var report struct{ Cells []Cell }
	if err := json.Unmarshal(out.stdout.text, &report); err != nil {
		return nil, fmt.Errorf("the compiler's report cannot be read: %w; kumikid and kumiki are to be of the same version", err)
	}
	t.Cells = report.Cells
	return t, t.read(filepath.Join(dir, outDir))
}

// read reads what was written of the cells.
func (t *Tree) read(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		return fmt.Errorf("the compiler has written no index: %w", err)
	}
	var x index
	if err := json.Unmarshal(data, &x); err != nil || x.Format != indexFormat {
		return fmt.Errorf("the compiler's index has format %q, and %q is known; kumikid and kumiki are to be of the same version", x.Format, indexFormat)
	}
	t.Places = x.Environments
	for i := range t.Cells {
		cell := &t.Cells[i]
		if cell.State != "new" && cell.State != "changed" && cell.State != "unchanged" {
			continue
		}
		name := solutionFile(cell.Environment, cell.Name)
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return fmt.Errorf("the compiler has not written %s: %w", name, err)
		}
		made, err := read(text)
		if err != nil {
			return err
		}
		cell.Text, cell.Solution = made.Text, made.Solution
	}
	return nil
}

// line is a problem as kumiki prints it.
var line = regexp.MustCompile(`^(?:(.+?)(?::(\d+))?(?::(\d+))?: )?(warning: |hint: )?(.*) \[([a-z]+/[a-z-]+)\]$`)

// told are the problems that were printed, with the places in the tree.
func told(text, root string) (out []record.Problem) {
	for _, l := range strings.Split(text, "\n") {
		related := strings.HasPrefix(l, "    ")
		at := line.FindStringSubmatch(strings.TrimSpace(l))
		switch {
		case related && len(out) > 0:
			last := &out[len(out)-1]
			last.Related = append(last.Related, relatedOf(strings.TrimSpace(l), root))
		case at != nil:
			p := record.Problem{Code: at[6], Severity: diag.Error.String(), Message: at[5], File: within(at[1], root)}
			if at[4] != "" {
				p.Severity = strings.TrimSuffix(at[4], ": ")
			}
			p.Line, _ = strconv.Atoi(at[2])
			p.Column, _ = strconv.Atoi(at[3])
			out = append(out, p)
		}
	}
	return out
}

var elsewhere = regexp.MustCompile(`^(.+?):(\d+):(\d+): (.*)$`)

func relatedOf(text, root string) record.Related {
	at := elsewhere.FindStringSubmatch(text)
	if at == nil {
		return record.Related{Message: text}
	}
	r := record.Related{Message: at[4], File: within(at[1], root)}
	r.Line, _ = strconv.Atoi(at[2])
	r.Column, _ = strconv.Atoi(at[3])
	return r
}

// within is the name of a file in the tree.
func within(name, root string) string { return strings.TrimPrefix(name, root+"/") }
