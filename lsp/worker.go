package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"kumiki.dev/assist"
	"kumiki.dev/compiler"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/secretlike"
	"kumiki.dev/load"
	"kumiki.dev/value"
)

const (
	// softMemory is where the collector begins to work harder.
	softMemory = 160 << 20
	// keptTrees bounds the deployments whose last good tree a worker keeps.
	keptTrees = 4
	// exitMemory is the exit code of a worker that gave up.
	exitMemory = 7
)

// Worker answers requests, one JSON document after another, until the input
// ends. It is run in a process of its own, which the server may kill, and which
// ends itself when it needs more memory than that many MB. Secrets are hidden in what is
// shown beside sources, unless values are wanted.
func Worker(ctx context.Context, in io.Reader, out io.Writer, memory int, values bool) error {
	debug.SetMemoryLimit(softMemory)
	debug.SetGCPercent(300) // up to there, time matters more
	go giveUp(uint64(memory) << 20)
	w := newWorker()
	w.values = values
	enc := json.NewEncoder(out)
	for d := json.NewDecoder(in); ; {
		var r request
		err := d.Decode(&r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := enc.Encode(w.answer(ctx, r)); err != nil {
			return err
		}
	}
}

// giveUp ends the process when it needs more memory than an editor's helper may.
func giveUp(most uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(50 * time.Millisecond) {
		if metrics.Read(sample); sample[0].Value.Uint64() > most {
			os.Exit(exitMemory)
		}
	}
}

// worker keeps the last good trees, the most recent one last, what the sources of
// packages declare, by their digests, and what it need not work out again.
type worker struct {
	memory   *load.Memory
	trees    []known
	secrets  map[string]*secretlike.Set // of a directory's last compilation; none where values are shown
	values   bool
	declared map[string][]declared
}

func newWorker() *worker {
	return &worker{memory: load.NewMemory(), declared: map[string][]declared{}, secrets: map[string]*secretlike.Set{}}
}

type known struct {
	dir  string
	tree *value.Tree
}

func (w *worker) answer(ctx context.Context, r request) *result {
	if r.Why != "" {
		return &result{Why: w.secrets[r.Dir].Hide(w.why(r.Dir, r.Why))}
	}
	if r.Role != nil {
		return &result{Why: w.secrets[r.Dir].Hide(w.role(r.Dir, *r.Role))}
	}
	in := compiler.Input{Artifacts: true}
	in.Dir, in.Overlay, in.Modules, in.Memory = r.Dir, r.Overlay, r.Modules, w.memory
	if r.Solution {
		return &result{Solution: solutionOf(ctx, in)}
	}
	if !w.values {
		w.secrets[r.Dir] = &secretlike.Set{}
		in.Texts = w.secrets[r.Dir].Tell
	}
	compiled, problems := compiler.Run(ctx, in, compiler.ExtractStage)
	s := newSources(r.Overlay)
	out := &result{Problems: []problem{}, Whole: compiled.Program != nil}
	for _, d := range problems {
		out.Problems = append(out.Problems, s.problem(d, r.Dir))
		out.Whole = out.Whole && !strings.HasPrefix(string(d.Code), "load/")
	}
	if p := compiled.Program; p != nil {
		out.Deployment = p.Deployment
		reach(out, s, p)
	}
	if t := compiled.Tree; t != nil && t.Root != nil && !t.Root.Unknown {
		out.Good = true
		if out.Deployment {
			w.keep(r.Dir, t)
		}
		describe(out, s, w.declared, compiled.Program, t, r.Open)
	}
	out.hide(w.secrets[r.Dir])
	return out
}

func solutionOf(ctx context.Context, in compiler.Input) string {
	s, _ := compiler.Compile(ctx, in)
	if s == nil {
		return ""
	}
	data, err := s.Bytes()
	if err != nil {
		return ""
	}
	return string(data)
}

func (w *worker) keep(dir string, t *value.Tree) {
	w.trees = filter.Out(w.trees, func(k known) bool { return k.dir == dir })
	w.trees = append(w.trees, known{dir, t})
	w.trees = w.trees[max(0, len(w.trees)-keptTrees):]
}

// hover is what is said of the last good tree of a directory, "" where there is none.
func (w *worker) hover(dir string, say func(*value.Tree) string) (text string) {
	defer func() {
		if recover() != nil {
			text = "" // a hover is not worth the process
		}
	}()
	i := slices.IndexFunc(w.trees, func(k known) bool { return k.dir == dir })
	if i < 0 {
		return ""
	}
	return say(w.trees[i].tree)
}

// why is the chain of levels that made a value, one a line.
func (w *worker) why(dir, path string) string {
	return w.hover(dir, func(tree *value.Tree) string { return chainOf(tree, dir, path) })
}

func chainOf(tree *value.Tree, dir, path string) string {
	steps, err := assist.Why(nil, tree, path)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, step := range steps {
		by := step.What
		if step.Expr != "" && step.Expr != step.Value.JSON() {
			by += ", by " + step.Expr
		}
		at := ""
		if p := step.Pos.Position(); p.IsValid() && filepath.IsAbs(p.Filename) {
			rel, err := filepath.Rel(dir, p.Filename)
			at = fmt.Sprintf(" (%s:%d)", filepath.ToSlash(cmp.Or(map[bool]string{true: rel}[err == nil], p.Filename)), p.Line)
		}
		arrow := strings.Repeat("  ", step.Depth)
		if step.Depth > 0 {
			arrow += "← "
		}
		fmt.Fprintf(&b, "%s%s = %s: %s%s\n", arrow, step.Field, short(step.Value.JSON()), by, at)
	}
	return b.String()
}

// short is s, cut where it would not fit beside anything.
func short(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// reach says which directories the program is made of. A file in a
// directory above a package can belong to it as well.
func reach(out *result, s *sources, p *load.Program) {
	dirs := map[string]bool{}
	for _, pkg := range p.Packages {
		for _, f := range pkg.Files {
			if filepath.IsAbs(f.Filename) {
				dirs[filepath.Dir(f.Filename)] = true
				dirs[filepath.Dir(s.real(f.Filename))] = true
			}
		}
		out.Whole = out.Whole && !pkg.Missing && !pkg.Broken
	}
	out.Sources = sorted(dirs)
	for _, dir := range out.Sources {
		for up := dir; ; up = filepath.Dir(up) {
			if moduleRoot(up) || up == filepath.Dir(up) {
				break
			}
			dirs[filepath.Dir(up)] = true
		}
	}
	out.Dirs = sorted(dirs)
}

func moduleRoot(dir string) bool {
	return exists(filepath.Join(dir, "kmodule.cue")) || exists(filepath.Join(dir, "cue.mod", "module.cue"))
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func sorted(set map[string]bool) []string {
	out := []string{}
	for s := range set {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
