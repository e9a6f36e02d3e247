package generate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// source is a CUE file that is being written.
type source struct {
	pkg     string
	imports map[string]string // by the name in the file
	root    *block
	aliases string // how fields get another name, by the alias and the label
}

// The two ways of CUE to give a field another name.
const (
	oldAlias = "%[1]s=%[2]s: "
	newAlias = "%[2]s~%[1]s: "
)

func newSource(pkg string) *source {
	s := &source{pkg: pkg, imports: map[string]string{}, aliases: oldAlias}
	s.root = &block{file: s}
	return s
}

// importing notes an import and returns its name.
func (s *source) importing(name, path string) string {
	s.imports[name] = path
	return name
}

func (s *source) String() string {
	var b strings.Builder
	body := s.root.body()
	if s.aliases == newAlias {
		b.WriteString("@experiment(aliasv2)\n\n")
	}
	fmt.Fprintf(&b, "package %s\n\n", s.pkg)
	for _, name := range slices.Sorted(maps.Keys(s.imports)) {
		if !strings.Contains(body, name+".") {
			continue // what was to use it has been dropped
		}
		if s.imports[name] == name {
			fmt.Fprintf(&b, "import %q\n", name)
		} else {
			fmt.Fprintf(&b, "import %s %q\n", name, s.imports[name])
		}
	}
	return b.String() + body
}

// block is a struct literal that is being written: what a reference can see from
// in there is known.
type block struct {
	file   *source
	parent *block
	label  string
	path   []string // from the file
	lines  []string
	inner  []*block
	// declared are the first labels of lines and inner blocks, helpers the names
	// here that stand for another value.
	declared map[string]bool
	helpers  []*helper
	alias    string // of the field that the block is, "" for none
	before   string // what the block is unified with: "k.#Component & "
}

// helper is a let or a field that stands for another value.
type helper struct {
	name string
	line string
	path []string // of the other value
	lazy bool     // whether it is there only if it is used, as let has to be
}

// at is the block at a path, which is made if need be.
func (b *block) at(path ...string) *block {
	if len(path) == 0 {
		return b
	}
	for _, in := range b.inner {
		if in.label == path[0] {
			return in.at(path[1:]...)
		}
	}
	in := &block{file: b.file, parent: b, label: path[0], path: append(slices.Clip(b.path), path[0])}
	b.inner = append(b.inner, in)
	b.declares(path[0])
	return in.at(path[1:]...)
}

func (b *block) declares(label string) {
	if b.declared == nil {
		b.declared = map[string]bool{}
	}
	b.declared[label] = true
}

// say adds a declaration.
func (b *block) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	b.lines = append(b.lines, line)
	if m := firstLabel.FindStringSubmatch(line); m != nil {
		b.declares(m[1])
	}
}

var firstLabel = regexp.MustCompile(`^([#_a-zA-Z][\w#]*)[?!]?:`)

func (b *block) body() string {
	var lines, inner strings.Builder
	for _, line := range b.lines {
		fmt.Fprintln(&lines, line)
	}
	bodies := map[*block]string{}
	for _, in := range b.inner {
		bodies[in] = in.before + "{\n" + indented(in.body()) + "}\n"
	}
	all := lines.String() + strings.Join(slices.Collect(maps.Values(bodies)), "")
	for _, in := range b.inner {
		head := label(in.label) + ": "
		if in.alias != "" && mentions(all, in.alias) {
			head = fmt.Sprintf(b.file.aliases, in.alias, label(in.label))
		}
		inner.WriteString(head + bodies[in])
	}
	text := lines.String() + inner.String()
	for _, h := range slices.Backward(b.helpers) {
		if h.line != "" && (!h.lazy || mentions(text, h.name)) {
			text = h.line + "\n" + text
		}
	}
	return text
}

// mentions reports whether a name is in a text.
func mentions(text, name string) bool {
	return regexp.MustCompile(`\b` + name + `\b`).MatchString(text)
}

// aliased gives the block another name, for references from around it.
func (b *block) aliased(name string) {
	b.alias = name
	b.parent.helpers = append(b.parent.helpers, &helper{name: name, path: b.path})
}

// ways are all that a reference to the value at a path of #Artifact can look like
// from here. None goes through #Artifact itself: that is the artifact before
// anybody gave it a config. The labels that the reference is within, from here,
// hide others of the same name.
func (b *block) ways(path []string, within ...string) []string {
	var out []string
	hidden := map[string]bool{}
	for i, label := range within {
		hidden[label] = i > 0 // the first is in the block itself
	}
	for at := b; at != nil; at = at.parent {
		n := len(at.path)
		if n < len(path) && n > 0 && slices.Equal(at.path, path[:n]) && at.declared[path[n]] && !hidden[path[n]] && isName(path[n]) {
			out = append(out, selectors(path[n:]))
		}
		for _, h := range at.helpers {
			if len(h.path) <= len(path) && slices.Equal(h.path, path[:len(h.path)]) {
				out = append(out, selectors(append([]string{h.name}, path[len(h.path):]...)))
			}
		}
		for label := range at.declared {
			hidden[label] = true
		}
	}
	return out
}

// refer is a reference to the value at a path of #Artifact.
func (g *gen) refer(b *block, path []string, within ...string) string {
	if g.chance(1) {
		g.use("reference to #Artifact")
		return selectors(path)
	}
	return one(g, b.ways(path, within...)...)
}

// selectors joins the names of a path.
func selectors(path []string) string {
	var b strings.Builder
	for i, name := range path {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(label(name))
	}
	return b.String()
}

// label is a name as it is written, quoted if need be.
func label(name string) string {
	if isName(name) {
		return name
	}
	return fmt.Sprintf("%q", name)
}

func isName(name string) bool { return nameForm.MatchString(name) }

var nameForm = regexp.MustCompile(`^[#_]?[a-zA-Z]\w*$`)
