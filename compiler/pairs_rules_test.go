package compiler_test

import (
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
)

// exclusions are the rules by which two mistakes are not independent, each with the
// share of the pairs, in percent, that it may exclude: one of them takes the other
// away, or changes what it is about. Each is decided from the sources and from what
// the cases say apart.
var exclusions = []struct {
	rule    string
	most    float64
	applies func(p pair) bool
}{
	{"both edit the same lines", 15, pair.overlap},
	{"one edits the line that the other is about", 2, pair.edited},
	{"a file cannot be parsed or embedded, or a module file is no data", 10, pair.unparsable},
	{"with the one, the file of the other is not read", 8, either(pair.unread)},
	{"one takes away what the other refers to", 3, either(pair.takesAway)},
	{"both are about the same field", 3, pair.sameField},
	{"one deploys something else, the other is about what is given to it", 3, either(pair.deploysElse)},
	{"one makes another kind of artifact of what the other is about", 1, either(pair.makesElse)},
	{"one is in the field that the other says is none", 2, pair.contains},
	{"one gives another artifact to the role that the other is about", 2, either(pair.fillsElse)},
	{"one leaves open which package a name stands for, the other is about that import or its role", 0.5, either(pair.leavesOpen)},
	{"one edits what the other contradicts", 0.5, either(pair.editsOther)},
	{"one declares or uses what the other says is not there, or not used", 0.5, either(pair.declaresIt)},
	{"both bring in the same name", 0.5, either(pair.declaresToo)},
	{"one takes away the value by which the other's field is needed, or its deployment another one", 0.5, either(pair.unneeds)},
}

// either is a rule that holds for two cases if it does in one of the two orders.
func either(rule func(p pair, a, b *mistaken) bool) func(pair) bool {
	return func(p pair) bool { return rule(p, p.a, p.b) || rule(p, p.b, p.a) }
}

// overlap reports whether the edits of both are to the same lines.
func (p pair) overlap() bool { return p.files == nil }

// edited reports whether one edits a line that the other is about.
func (p pair) edited() bool { return p.want == nil }

func (p pair) unparsable() bool {
	for name, text := range p.files {
		if _, err := parser.ParseFile(name, text); err != nil && strings.HasSuffix(name, ".cue") {
			return true
		}
	}
	return either(func(_ pair, a, b *mistaken) bool {
		embedded := func(line firstLine) bool { return strings.HasPrefix(line.text, "@embed: ") }
		return slices.ContainsFunc(a.lines, embedded) || len(b.edits["kmodule.cue"]) > 0 && slices.ContainsFunc(a.lines, func(line firstLine) bool {
			return strings.HasPrefix(line.text, "kmodule.cue holds plain data only")
		})
	})(p)
}

// unread reports whether a file that the mistakes of b are in, or about, is not
// loaded where only a's edits are made.
func (p pair) unread(a, b *mistaken) bool {
	return slices.ContainsFunc(b.places, func(at firstLine) bool {
		return b.loaded[at.file] && a.base.loaded[at.file] && !a.loaded[at.file]
	})
}

// declaration is a field or an import, with its name.
var declaration = regexp.MustCompile(`(?m)^\s*(?:import )?"?(\w+)(?:: |"?$| ")|\b(\w+)[?!]?:`)

// takesAway reports whether b refers to something that a's edits take away: an import
// or a field of that name, or one that a says is missing or has two values.
func (p pair) takesAway(a, b *mistaken) bool {
	for _, name := range slices.Concat(a.removed(), a.missing(), a.settled()) {
		used := regexp.MustCompile(`\b` + name + `\.#|\.` + name + `\b`)
		for _, edits := range b.edits {
			for _, e := range edits {
				if used.MatchString(strings.Join(e.text, "")) {
					return true
				}
			}
		}
		if slices.ContainsFunc(b.sets, func(set string) bool { return strings.Contains(set, "."+name+"=") }) {
			return true
		}
	}
	return false
}

// missing are the names of the fields that a case says are missing.
func (m *mistaken) missing() (names []string) {
	for _, line := range m.lines {
		if s := subject.FindStringSubmatch(line.text); s != nil && strings.HasSuffix(line.text, "[spread/missing-field]") {
			names = append(names, s[1][strings.LastIndex(s[1], ".")+1:])
		}
	}
	return names
}

// settled are the names of the fields that a case says --set does not overwrite.
func (m *mistaken) settled() (names []string) {
	for _, line := range m.lines {
		for _, set := range m.sets {
			if path, _, _ := strings.Cut(set, "="); strings.Contains(line.text, path+" is ") && strings.Contains(line.text, "--set does not overwrite") {
				names = append(names, path[strings.LastIndex(path, ".")+1:])
			}
		}
	}
	return names
}

// removed are the names of what the edits of a case take away.
func (m *mistaken) removed() (names []string) {
	for file, edits := range m.edits {
		old := strings.SplitAfter(m.base.files[file], "\n")
		for _, e := range edits {
			var before, after []string
			if e.to <= len(old) {
				before = declared(old[e.from:e.to])
			}
			after = declared(e.text)
			for _, name := range before {
				if !slices.Contains(after, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func declared(lines []string) (names []string) {
	for _, m := range declaration.FindAllStringSubmatch(strings.Join(lines, ""), -1) {
		names = append(names, m[1]+m[2])
	}
	return names
}

// subject is the field that a problem is about.
var subject = regexp.MustCompile(`^(?:warning: )?((?:config|description)\.[\w.\[\]]+)`)

// subject is the field that the line is about, "" for none.
func (l firstLine) subject() string {
	if s := subject.FindStringSubmatch(l.text); s != nil {
		return s[1]
	}
	if strings.HasSuffix(l.text, "[solution/missing-hsize]") {
		return "config.scale"
	}
	return ""
}

// channel is the channel that a problem with connectors is about.
var channel = regexp.MustCompile(`channel \w+ of (?:role|the service|version set) \w+`)

// sameField reports whether both are about one field, or about what is given for it.
func (p pair) sameField() bool {
	fields := func(m *mistaken) (out []string) {
		for _, line := range m.lines {
			if s := line.subject(); s != "" {
				out = append(out, s)
			}
			if s := channel.FindStringSubmatch(line.text); s != nil {
				out = append(out, s[0])
			}
			if strings.HasPrefix(line.text, "up leads back") {
				out = append(out, "up")
			}
		}
		for _, set := range m.sets {
			path, _, _ := strings.Cut(set, "=")
			out = append(out, path)
		}
		return out
	}
	others := fields(p.b)
	if slices.ContainsFunc(fields(p.a), func(f string) bool { return slices.Contains(others, f) }) {
		return true
	}
	return p.given(p.a, p.b) || p.given(p.b, p.a)
}

// given reports whether a gives, in the deployment, by a flag, or where b is wrong, a
// value for a field that b is about; or both give one.
func (p pair) given(a, b *mistaken) bool {
	for _, set := range a.sets {
		path, _, _ := strings.Cut(set, "=")
		for _, e := range b.edits["deploy/deployment.cue"] {
			if slices.Contains(declared(e.text), path[strings.LastIndex(path, ".")+1:]) {
				return true
			}
		}
	}
	for _, line := range b.lines {
		s := line.subject()
		if s == "" {
			continue
		}
		name := s[strings.LastIndex(s, ".")+1:]
		for _, e := range slices.Concat(a.edits["deploy/deployment.cue"], a.edits[line.file]) {
			if slices.Contains(declared(e.text), name) {
				return true
			}
		}
		if slices.ContainsFunc(a.sets, func(set string) bool { return strings.HasSuffix(strings.Split(set, "=")[0], "."+name) }) {
			return true
		}
	}
	return false
}

// deploysElse reports whether a deploys something else than the base does, and b is
// about what is given to that.
func (p pair) deploysElse(a, b *mistaken) bool {
	if slices.Equal(a.deployed, a.base.deployed) {
		return false
	}
	return slices.ContainsFunc(b.lines, func(line firstLine) bool {
		return strings.HasPrefix(line.file, "deploy/") || strings.HasPrefix(line.file, "--set ")
	})
}

// makesElse reports whether a makes another kind of artifact of one that b edits.
func (p pair) makesElse(a, b *mistaken) bool {
	kind := regexp.MustCompile(`k\.#(Component|Service)`)
	for file, edits := range a.edits {
		for _, e := range edits {
			old := kind.FindString(strings.Join(a.base.linesOf(file)[e.from:min(e.to, len(a.base.linesOf(file)))], ""))
			if now := kind.FindString(strings.Join(e.text, "")); old != "" && now != "" && now != old && len(b.edits[file]) > 0 {
				return true
			}
		}
	}
	return false
}

// contains reports whether one of the mistakes is in a field that another is about
// which says that there is no such field.
func (p pair) contains() bool {
	for _, line := range p.want {
		if !strings.Contains(line.text, "is not a field of") {
			continue
		}
		field := p.fieldAt(line)
		if field == nil {
			continue
		}
		from, to := field.Pos().Position(), field.End().Position()
		if slices.ContainsFunc(p.want, func(other firstLine) bool {
			after := other.line > from.Line || other.line == from.Line && other.col > from.Column
			return other.file == line.file && after && (other.line < to.Line || other.line == to.Line && other.col < to.Column)
		}) {
			return true
		}
		for _, m := range []*mistaken{p.a, p.b} {
			inside := func(e lineEdit) bool { n := p.lineOf(line.file, e.from); return from.Line < n && n <= to.Line }
			if !m.isAbout(line) && slices.ContainsFunc(m.edits[line.file], inside) {
				return true
			}
		}
	}
	return false
}

// lineOf is where a line of the base (from 0) is in the pair (from 1).
func (p pair) lineOf(file string, n int) int {
	moved := n + 1
	for _, e := range slices.Concat(p.a.edits[file], p.b.edits[file]) {
		if e.to <= n {
			moved += e.grows()
		}
	}
	return moved
}

// isAbout reports whether a line of a pair is one of the case's own.
func (m *mistaken) isAbout(line firstLine) bool {
	return slices.ContainsFunc(m.lines, func(own firstLine) bool { return own.text == line.text })
}

// fieldAt is the field whose label is at a line's place, nil for none.
func (p pair) fieldAt(line firstLine) (found *ast.Field) {
	f, err := parser.ParseFile(line.file, p.files[line.file])
	if err != nil {
		return nil
	}
	ast.Walk(f, func(n ast.Node) bool {
		if x, ok := n.(*ast.Field); ok && x.Pos().Line() == line.line && x.Pos().Column() == line.col {
			found = x
		}
		return true
	}, nil)
	return found
}

// roleOf is the role around a line that gives it an artifact.
var roleOf = regexp.MustCompile(`(?s)\n\t\t\t(\w+): (?:\{[^\n]*\n)?[^\n]*$`)

// fillsElse reports whether a changes the artifact of a role that b is about, or the
// import that it comes from.
func (p pair) fillsElse(a, b *mistaken) bool {
	for file, edits := range a.edits {
		old := strings.SplitAfter(a.base.files[file], "\n")
		for _, e := range edits {
			if e.to > len(old) {
				continue
			}
			if m := namedImport.FindStringSubmatch("\n" + strings.Join(old[e.from:e.to], "")); m != nil && b.isAboutRole(rolesWith(old, m[1])) {
				return true
			}
			if !strings.Contains(strings.Join(old[e.from:e.to], ""), "artifact: ") {
				continue
			}
			role := roleOf.FindStringSubmatch(strings.TrimSuffix(strings.Join(old[:e.to], ""), "\n"))
			if role != nil && b.warnsIn(strings.Join(old[e.from:e.to], "")) {
				return true
			}
			if role != nil && slices.ContainsFunc(b.lines, func(line firstLine) bool { return strings.Contains(line.text, "role "+role[1]) }) {
				return true
			}
		}
	}
	return false
}

// artifactOf matches what gives a role the artifact of an import, whose name begins as
// the folder of its package does.
var artifactOf = regexp.MustCompile(`artifact: (\w+)\.#Artifact`)

// warnsIn reports whether the case warns of something in the package of the artifact
// that a text gives to a role: what a role without a config makes of it is not known.
func (m *mistaken) warnsIn(text string) bool {
	a := artifactOf.FindStringSubmatch(text)
	return a != nil && slices.ContainsFunc(m.lines, func(line firstLine) bool {
		return strings.HasPrefix(line.text, "warning: ") && strings.HasPrefix(line.file, a[1]) && !strings.HasPrefix(line.file, "shop/")
	})
}

// leavesOpen reports whether a calls two imports by one name, and b is about a role
// that gets its artifact by that, but for what it says of the connector alone, or about
// one of the imports.
func (p pair) leavesOpen(a, b *mistaken) bool {
	for file, edits := range a.edits {
		lines := applied(a.base.linesOf(file), edits)
		for _, m := range namedImport.FindAllStringSubmatch(strings.Join(lines, ""), -1) {
			if n := strings.Count(strings.Join(lines, ""), "\n\t"+m[1]+" \""); n > 1 && (b.isAboutRole(rolesWith(lines, m[1])) || b.isAboutImport(file, m[1])) {
				return true
			}
		}
	}
	return false
}

// namedImport matches an import with a name.
var namedImport = regexp.MustCompile(`\n\t(\w+) "`)

// rolesWith are the roles that get the artifact of an import, by its name.
func rolesWith(lines []string, name string) (roles []string) {
	for i, line := range lines {
		if strings.Contains(line, "artifact: "+name+".#Artifact") {
			if role := roleOf.FindStringSubmatch(strings.TrimSuffix(strings.Join(lines[:i+1], ""), "\n")); role != nil {
				roles = append(roles, role[1])
			}
		}
	}
	return roles
}

// isAboutRole reports whether a problem of the case is about one of the roles, and
// not about how often a channel starts a connector, whatever the artifact is.
func (m *mistaken) isAboutRole(roles []string) bool {
	return slices.ContainsFunc(m.lines, func(line firstLine) bool {
		return !strings.HasSuffix(line.text, "[solution/connected-twice]") &&
			slices.ContainsFunc(roles, func(role string) bool { return strings.Contains(line.text, "role "+role) })
	})
}

// isAboutImport reports whether a problem of the case is with an import of a name, or
// with a circle of imports that begins with it.
func (m *mistaken) isAboutImport(file, name string) bool {
	imports := regexp.MustCompile(`\n\t` + name + ` "([^"@]+)(?:@[^":]*)?(:\w+)"`)
	found := imports.FindStringSubmatch(strings.Join(applied(m.base.linesOf(file), m.edits[file]), ""))
	return slices.ContainsFunc(m.lines, func(line firstLine) bool {
		return line.file == file && strings.HasSuffix(line.text, "[load/import]") && m.firstWord(line) == name ||
			found != nil && strings.HasPrefix(line.text, "import cycle: "+found[1]+found[2]+" ")
	})
}

// firstWord is that of the line of the case's own sources that a problem is with.
func (m *mistaken) firstWord(at firstLine) string {
	lines := applied(m.base.linesOf(at.file), m.edits[at.file])
	word, _, _ := strings.Cut(strings.TrimSpace(lines[at.line-1]), " ")
	return word
}

// editsOther reports whether a edits a line that b contradicts: the other of two values
// that exclude each other, a field around that, or what declares the values that a
// field takes.
func (p pair) editsOther(a, b *mistaken) bool {
	if !slices.ContainsFunc(b.lines, func(line firstLine) bool { return strings.HasSuffix(line.text, "[spread/conflict]") }) {
		return false
	}
	return slices.ContainsFunc(b.places, func(at firstLine) bool {
		return slices.ContainsFunc(b.around(at), func(at firstLine) bool {
			_, ok := at.beside(b.edits[at.file], a.edits[at.file])
			return !ok
		})
	})
}

// around are a place in the case's own sources, and the fields around it.
func (m *mistaken) around(at firstLine) []firstLine {
	out := []firstLine{at}
	f, err := parser.ParseFile(at.file, strings.Join(applied(m.base.linesOf(at.file), m.edits[at.file]), ""))
	if err != nil {
		return out
	}
	ast.Walk(f, func(n ast.Node) bool {
		from, to := n.Pos().Position(), n.End().Position()
		if _, ok := n.(*ast.Field); ok && from.Line < at.line && at.line <= to.Line {
			out = append(out, firstLine{file: at.file, line: from.Line})
		}
		return true
	}, nil)
	return out
}

// declaresToo reports whether both bring in a name that the base's file has nowhere.
func (p pair) declaresToo(a, b *mistaken) bool {
	for file, edits := range a.edits {
		has := declared(a.base.linesOf(file))
		for _, e := range edits {
			for _, o := range b.edits[file] {
				if slices.ContainsFunc(declared(e.text), func(name string) bool {
					return !slices.Contains(has, name) && slices.Contains(declared(o.text), name)
				}) {
					return true
				}
			}
		}
	}
	return false
}

// unneeds reports whether a takes away the value by which the field that b misses is
// needed, or the name by which a deployment is another one.
func (p pair) unneeds(a, b *mistaken) bool {
	for _, line := range b.lines {
		needs := neededBy.FindStringSubmatch(line.text)
		if needs == nil {
			continue
		}
		quoted := `"` + needs[1] + needs[2] + `"`
		if slices.ContainsFunc(a.lines, func(l firstLine) bool { return strings.Contains(l.text, quoted) }) {
			return true // a is about the field that has it by default
		}
		for file, edits := range a.edits {
			old := a.base.linesOf(file)
			if slices.ContainsFunc(edits, func(e lineEdit) bool {
				return e.to <= len(old) && strings.Contains(strings.Join(old[e.from:e.to], ""), quoted)
			}) {
				return true
			}
		}
	}
	return false
}

// neededBy matches the value of another field that a missing one is needed by, or the
// name of the deployment that another one is beside.
var neededBy = regexp.MustCompile(`; (\w+) needs it\)|has a deployment "(\w+)" already`)

// declaresIt reports whether a declares the channel or role that b says is not there, or
// one that a connector may be meant for, or uses the import that b says is not used.
func (p pair) declaresIt(a, b *mistaken) bool {
	for _, line := range b.lines {
		text := ""
		for _, e := range a.edits[line.file] {
			text += strings.Join(e.text, "")
		}
		if m := notThere.FindStringSubmatch(line.text); m != nil && slices.Contains(declared([]string{text}), m[1]+m[2]+m[3]) {
			return true
		}
		if strings.HasSuffix(line.text, "[load/unused-import]") {
			if strings.Contains(text, b.firstWord(line)+".#") {
				return true
			}
		}
	}
	return false
}

// notThere matches a problem with a channel or role that is not there.
var notThere = regexp.MustCompile(`channel \w+, but the service itself \(self\) has no (server|client) channel|channel (\w+).*\[solution/unknown-channel\]$|role (\w+), which the service does not have`)
