package matrix

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"kumiki.dev/environment"
	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/inside"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// indexFormat is the form of an index; another number has other fields.
const indexFormat = "kumiki.dev/matrix/v1"

// IndexFile is the name of the index in the directory that is written.
const IndexFile = "index.json"

// Index is what a directory of solutions and objects has.
type Index struct {
	Format string `json:"format"`
	// Environments are those that have cells, by their names.
	Environments map[string]Place `json:"environments"`
	// Cells are sorted by environment and template.
	Cells []*Entry `json:"cells"`
	// Sources are what the templates were compiled from.
	Sources map[string]Sources `json:"sources"`
}

// Place is what an index says of an environment.
type Place struct {
	Target    string `json:"target"`
	Namespace string `json:"namespace,omitempty"`
	Protected bool   `json:"protected,omitempty"`
	// Options are what its objects were made with; nil where that is not known.
	Options *targets.Options `json:"options,omitempty"`
}

// Entry is a cell that was written.
type Entry struct {
	Environment string `json:"environment"`
	Template    string `json:"template"`
	Name        string `json:"name"`
	Artifact    string `json:"artifact"`
	Wave        string `json:"wave,omitempty"`
	// Level is when it is applied: after those of lower levels in its environment.
	Level  int    `json:"level"`
	Digest string `json:"digest"`
	Key    string `json:"key"`
	// Files are those that it consists of.
	Files []string `json:"files"`
}

func (e *Entry) compare(other *Entry) int {
	if c := strings.Compare(e.Environment, other.Environment); c != 0 {
		return c
	}
	return strings.Compare(e.Template, other.Template)
}

// Sources are what the cells of a template are compiled from.
type Sources struct {
	// Names are those of files and directories, with what they are.
	Names  []string `json:"names"`
	Digest string   `json:"digest"`
}

// Before is what was written before.
type Before struct {
	Index *Index
	// Read returns the solution of an entry, nil for one that is not there any more.
	Read func(*Entry) (*solution.Solution, error)
	// Has reports whether all files of an entry are there.
	Has func(*Entry) bool
	// File returns a file of an entry; nil where files are not to be had.
	File func(name string) ([]byte, error)
	// Made returns the files of entries, by their names, and sets the digests and files of
	// the entries; nil where files are not to be had.
	Made func(entries []*Entry) (map[string][]byte, error)

	cells map[[2]string]*Entry
}

// NewBefore returns what an index says.
func NewBefore(x *Index) *Before {
	b := &Before{Index: x, cells: map[[2]string]*Entry{}}
	for _, e := range x.Cells {
		b.cells[[2]string{e.Environment, e.Template}] = e
	}
	return b
}

func (b *Before) entry(c *environment.Cell) *Entry {
	return b.at(pair(c))
}

// at is the entry of an environment and a template, nil for none.
func (b *Before) at(pair [2]string) *Entry {
	if b == nil {
		return nil
	}
	return b.cells[pair]
}

func (b *Before) has(e *Entry) bool { return b.Has == nil || b.Has(e) }

func (b *Before) sources(name string) (Sources, bool) {
	if b == nil {
		return Sources{}, false
	}
	s, ok := b.Index.Sources[name]
	return s, ok
}

// Solution is that of an entry, nil where it is not to be had.
func (b *Before) Solution(e *Entry) (*solution.Solution, error) {
	if b == nil || b.Read == nil {
		return nil, nil
	}
	return b.Read(e)
}

// Open reads what a directory has: nothing, if it is empty or not there. One that is
// neither empty nor has an index is refused, as it was not written by this package.
func Open(dir string) (*Before, error) {
	d, err := inside.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := d.ReadFile(IndexFile)
	if errors.Is(err, fs.ErrNotExist) {
		names, err := d.Names(".")
		d.Close()
		if err == nil && len(names) > 0 {
			err = fmt.Errorf("%s is not empty, and has no %s, so kumiki matrix has not written it: name another directory", dir, IndexFile)
		}
		return nil, err
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	x := &Index{}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(x); err != nil || x.Format != indexFormat {
		d.Close()
		return nil, fmt.Errorf("%s/%s cannot be read as what kumiki matrix writes (format %q): nothing is known of what was there, so nothing is written; take it from your version control, or name another directory", dir, IndexFile, x.Format)
	}
	b := NewBefore(x)
	b.Read = func(e *Entry) (*solution.Solution, error) {
		name := solutionFile(e.Environment, e.Name)
		data, err := d.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		sol, _ := solution.Read(data, name)
		return sol, nil
	}
	b.Has = func(e *Entry) bool {
		return !filter.Any(e.Files, func(name string) bool { return !d.Exists(name) })
	}
	b.File = func(name string) ([]byte, error) {
		if !own(name) {
			return nil, nil
		}
		return d.ReadFile(name)
	}
	b.Made = func(entries []*Entry) (map[string][]byte, error) {
		out := map[string][]byte{}
		for _, e := range entries {
			for _, name := range e.Files {
				if out[name], err = b.File(name); err != nil {
					return nil, err
				}
			}
		}
		return out, nil
	}
	return b, nil
}

// Onto makes [Before.Has] say what a directory has that is written to, which is not where the
// entries come from: cells whose files are not in it are compiled again. written is what the
// directory has, nil for nothing.
func (b *Before) Onto(written *Before) {
	there := map[*Entry]bool{}
	for _, e := range b.Index.Cells {
		if w := written.at(e.pair()); w != nil && w.Key != "" && w.Key == e.Key && written.has(w) {
			there[e], e.Digest, e.Files = true, w.Digest, w.Files
		}
	}
	b.Has = func(e *Entry) bool { return there[e] }
}

// same reports whether the objects of an entry are those that are made now, as far as they
// are to be had. A solution file also says where its values are written.
func (b *Before) same(e *Entry, files map[string][]byte) bool {
	if b.File == nil {
		return true
	}
	for name, data := range files {
		if strings.HasPrefix(name, "solutions/") {
			continue
		}
		if old, err := b.File(name); err != nil || !bytes.Equal(old, data) {
			return false
		}
	}
	return len(e.Files) == len(files)
}

// lowering are the options that the objects of an entry were made with; those of the
// environment as it is now where that is not known.
func (b *Before) lowering(e *Entry, now *environment.Environment) (target string, o targets.Options) {
	place := b.Index.Environments[e.Environment]
	if place.Options == nil {
		return now.Target, now.Lowering()
	}
	return place.Target, *place.Options
}

// IndexOf is the index of what there is after a run: of cells that could not be made, what
// there was before; likewise of what is unknown. The first of several that has a cell counts.
func (m *Matrix) IndexOf(changes *Changes, before ...*Before) *Index {
	x := &Index{Format: indexFormat, Environments: map[string]Place{}, Cells: []*Entry{}, Sources: maps.Clone(m.Sources)}
	made := map[[2]string]bool{}
	for _, e := range changes.Removed {
		made[e.pair()] = true
	}
	for _, r := range m.Results {
		made[r.pair()] = true
		if r.State != Problem && r.State != Unknown {
			x.add(r, r.Key)
			continue
		}
		for _, b := range before {
			if old := b.entry(r.Cell); old != nil {
				stale := *old
				stale.Key = "" // it is compiled again
				x.place(r.Environment)
				x.Cells = append(x.Cells, &stale)
				break
			}
		}
	}
	for _, b := range before {
		x.keep(b, made)
	}
	sorting.By(x.Cells, (*Entry).compare)
	return x
}

// add adds a result under a key.
func (x *Index) add(r *Result, key string) {
	e := &Entry{Environment: r.Environment.Name, Template: r.Template.Name, Name: r.Name, Artifact: r.Artifact.String(), Level: r.Level, Digest: r.Digest, Key: key, Files: r.Files}
	if r.Wave != nil {
		e.Wave = r.Wave.Name
	}
	x.Cells = append(x.Cells, e)
	x.place(r.Environment)
}

// place adds an environment.
func (x *Index) place(e *environment.Environment) {
	if _, ok := x.Environments[e.Name]; !ok {
		options := e.Lowering()
		x.Environments[e.Name] = Place{e.Target, e.Namespace, e.Protected, &options}
	}
}

// keep takes over what was there before and is not known to be made or removed: it is
// unknown, or nobody asked for it.
func (x *Index) keep(b *Before, known map[[2]string]bool) {
	if b == nil {
		return
	}
	for _, e := range b.Index.Cells {
		if known[e.pair()] {
			continue
		}
		known[e.pair()] = true
		x.Cells = append(x.Cells, e)
		x.Environments[e.Environment] = b.Index.Environments[e.Environment]
		if name := e.Template + " " + e.Artifact; x.Sources[name].Digest == "" {
			x.Sources[name] = b.Index.Sources[name]
		}
	}
}

// Write writes the index.
func (x *Index) Write(d *inside.Dir) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(x); err != nil {
		return err
	}
	return d.Write(IndexFile, &b, atomicfile.Options{Mode: 0o644, Sync: true})
}
