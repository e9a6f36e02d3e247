package lsp

import (
	"bytes"
	"cmp"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
)

// index are the marks of a file, and the artifacts that fill its roles.
type index struct {
	pkg   string
	marks []mark
	// targets are import paths by role, "" is what is deployed.
	targets map[string]string
	imports []imported
	text    *lines
	// broken tells that the file can't be read to its end; before is what was
	// known of it until then, if that was more.
	broken bool
	before *index
}

// after keeps what was known of a file that is broken now: braces that are not
// closed make nonsense of all that follows.
func (x *index) after(old *index) *index {
	if !x.broken || old == nil {
		return x
	}
	if old.before != nil {
		old = old.before
	}
	for role, raw := range old.targets {
		x.targets[role] = cmp.Or(x.targets[role], raw)
	}
	if len(old.marks) > len(x.marks) {
		x.before = old
	}
	return x
}

// declarations are the marks from which can be told what the artifact takes.
func (x *index) declarations() []mark {
	if x.before != nil {
		return x.before.marks
	}
	return x.marks
}

// imported is an import path in a file.
type imported struct {
	span textRange
	raw  string
}

// mentions reports whether the text has the name in it.
func (x *index) mentions(name string) bool { return bytes.Contains(x.text.text, []byte(name)) }

// indexer makes an index.
type indexer struct {
	*index
	names map[string]string // import paths by name
}

// indexOf reads a file, as far as it can be read.
func indexOf(file string, text *lines) *index {
	f, err := parser.ParseFile(file, text.text, parser.ParseComments)
	if f == nil {
		return &index{targets: map[string]string{}, text: text, broken: true}
	}
	x := indexer{&index{targets: map[string]string{}, text: text, broken: err != nil}, map[string]string{}}
	x.pkg = filepath.Dir(file) + ":" + f.PackageName()
	for spec := range f.ImportSpecs() {
		raw, err := literal.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := raw[strings.LastIndexAny(raw, "/:")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		x.names[name] = raw
		x.imports = append(x.imports, imported{spanOf(text, spec.Path), raw})
	}
	x.decls(f.Decls, nil)
	return x.index
}
