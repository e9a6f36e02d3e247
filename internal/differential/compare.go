package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/internal/differential/reference"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/value"
)

// Setting is a way to run the compiler that must not change what comes out.
type Setting struct {
	Name string
	Set  func(*compiler.Input)
}

// Settings returns the two ways to run the compiler that say most: as usual, and
// without any shortcut.
func Settings() []Setting {
	all := Combinations()
	return []Setting{all[0], all[len(all)-1]}
}

// Combinations returns all ways to leave out shortcuts, from none to all of them.
func Combinations() []Setting {
	shortcuts := []Setting{
		{"partial", func(in *compiler.Input) { in.NoPartial = true }},
		{"lean", func(in *compiler.Input) { in.NoLean = true }},
		{"stubs", func(in *compiler.Input) { in.NoStubs = true }},
		{"memo", func(in *compiler.Input) { in.NoMemo = true }},
	}
	var out []Setting
	for mask := range 1 << len(shortcuts) {
		var left []Setting
		name := "as usual"
		for i, s := range shortcuts {
			if mask&(1<<i) != 0 {
				left = append(left, s)
				name = strings.Replace(name, "as usual", "without", 1) + " " + s.Name
			}
		}
		out = append(out, Setting{name, func(in *compiler.Input) {
			for _, s := range left {
				s.Set(in)
			}
		}})
	}
	return out
}

// Mismatch is a difference between kumiki and the reference.
type Mismatch struct {
	// Kind says what differs in so few words that cases of one cause mostly have
	// the same: it is what stays when a case is made smaller.
	Kind string
	// Text says what exactly.
	Text string
}

// Outcome is what became of a case.
type Outcome struct {
	Deployed  bool
	Undecided bool // the reference cannot tell
	Refused   []reference.Refusal
	Work      value.Work
	Mismatch  *Mismatch // nil if there is none
}

// Run compares what kumiki makes of the case, with each setting, with what the
// reference does. It writes into the directory.
func Run(m reference.Model, c Case, dir string, settings []Setting) (Outcome, error) {
	if err := c.Write(dir); err != nil {
		return Outcome{}, err
	}
	want := reference.Spread(m, c.app())
	out := Outcome{Deployed: want.Deployment != nil && !want.Undecided, Undecided: want.Undecided, Refused: want.Refusals}
	for i, s := range settings {
		result, problems := compiler.Run(context.Background(), c.input(dir, s), compiler.EncodeStage)
		if result.Tree != nil && i == 0 {
			out.Work = result.Tree.Work
		}
		if m := compare(want, result, problems, dir); m != nil && out.Mismatch == nil {
			m.Kind = s.Name + ": " + m.Kind
			out.Mismatch = m
		}
	}
	if out.Mismatch != nil && (wavers(m, c, want) || strict(m, c, out.Mismatch)) {
		return Outcome{Undecided: true, Work: out.Work}, nil
	}
	return out, nil
}

// wavers reports whether CUE takes a case or refuses it by how it is written.
func wavers(m reference.Model, c Case, want reference.Result) bool {
	for twin := range c.twins {
		got := reference.Spread(m, twin.app())
		if !got.Undecided && byCUE(want.Refusals) && byCUE(got.Refusals) && (want.Deployment == nil) != (got.Deployment == nil) {
			return true
		}
	}
	return false
}

// strict reports whether kumiki refuses, of a module in kam style, a reference to a
// field that is not there, as CUE does of the module as it is written: what nobody gives
// is there only in the open config that the reference gets.
func strict(m reference.Model, c Case, found *Mismatch) bool {
	if !c.Kam || !strings.HasSuffix(found.Kind, fmt.Sprintf("[%s]", diag.UnknownReference)) {
		return false
	}
	c.Kam = false
	got := reference.Spread(m, c.app())
	return slices.ContainsFunc(got.Refusals, func(r reference.Refusal) bool { return strings.Contains(r.Text, "undefined field") })
}

// byCUE reports whether no rule of Kumiki's own is among what refuses a case.
func byCUE(refusals []reference.Refusal) bool {
	return !slices.ContainsFunc(refusals, func(r reference.Refusal) bool { return r.Rule != "" })
}

func (c Case) input(dir string, s Setting) compiler.Input {
	in := compiler.Input{Sets: c.Sets}
	in.Dir = filepath.Join(dir, deploy)
	for _, f := range c.Values {
		in.Values = append(in.Values, load.ValuesFile{Name: f.Name, Data: []byte(f.Text)})
	}
	for _, other := range c.with() {
		in.With = compiler.NewOthers([]string{filepath.Join(dir, other)})
	}
	s.Set(&in)
	return in
}

// compare returns the first difference, nil if there is none.
func compare(want reference.Result, got *compiler.Result, problems diag.List, dir string) *Mismatch {
	errors := filter.Out(problems, func(d *diag.Diagnostic) bool { return d.Severity != diag.Error })
	for _, d := range errors {
		if d.Code == diag.Internal {
			return &Mismatch{"internal error", d.Message}
		}
	}
	switch refused := len(errors) > 0; {
	case want.Undecided:
		return nil
	case refused && want.Deployment != nil:
		return &Mismatch{fmt.Sprintf("refused, but deploys: [%s]", errors[0].Code), told(errors)}
	case !refused && want.Deployment == nil:
		return &Mismatch{"accepted, but is refused: " + class(want.Refusals[0]), fmt.Sprint(want.Refusals)}
	case refused:
		return misplaced(errors[0], dir)
	}
	tree, flat := treeOf(got.Tree), subset(got.Encoded.Bytes())
	if path, a, b := difference(referenceTree(want.Deployment), tree); path != "" {
		return &Mismatch{"another value at " + general(path), fmt.Sprintf("%s is\n\t%s\nwhere the reference has\n\t%s", path, b, a)}
	}
	if path, a, b := difference(referenceFlat(want.Deployment), flat); path != "" {
		return &Mismatch{"another solution at " + general(path), fmt.Sprintf("%s is\n\t%s\nwhere the reference has\n\t%s", path, b, a)}
	}
	return nil
}

func told(l diag.List) string {
	var lines []string
	for _, d := range l {
		lines = append(lines, fmt.Sprintf("%v: %s [%s]", d.Pos.Position(), d.Message, d.Code))
	}
	return strings.Join(lines, "\n")
}

// class is the kind of a refusal: the rule, or what CUE says, without what is
// particular to the case.
func class(r reference.Refusal) string {
	if r.Rule != "" {
		return r.Rule
	}
	_, text, _ := strings.Cut(r.Text, ": ")
	text, _, _ = strings.Cut(text, ":")
	words := strings.Fields(text)
	return strings.Join(words[:min(2, len(words))], " ")
}

// misplaced reports a first problem that has no place in a file that its reader
// can mend.
func misplaced(d *diag.Diagnostic, dir string) *Mismatch {
	name := d.Pos.Filename()
	rel, err := filepath.Rel(dir, name)
	own := err == nil && filepath.IsLocal(rel)
	_, missing := os.Stat(name)
	if d.Pos.IsValid() && (own && missing == nil || strings.HasPrefix(name, "--set ") || strings.HasPrefix(name, "values")) && !strings.HasSuffix(name, "ref.cue") {
		return nil
	}
	return &Mismatch{fmt.Sprintf("first problem without a place: [%s]", d.Code), fmt.Sprintf("%v: %s", d.Pos.Position(), d.Message)}
}

// plain is x as JSON has it, numbers as they are written.
func plain(text []byte) any {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		return fmt.Sprintf("%v in %s", err, text)
	}
	return x
}
