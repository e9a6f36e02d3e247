package load

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/encoding/json"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
)

// embedder puts the files that a package embeds in place of the attributes that ask for
// them. CUE would read them by itself, and outside of what a compilation knows of; here
// they are sources like others: of the module, counted, part of the package's digest and of
// bundles.
type embedder struct {
	*loader
	module *module
	pkg    *spread.Package
	dir    string // of the file, within the module
	// replaced are the values that fields had, which the parser has made names refer to.
	replaced map[ast.Node]ast.Node
}

// embeds reports whether a file says that it embeds others: @extern(embed).
func embeds(f *ast.File) bool {
	return filter.Any(f.Decls, func(d ast.Decl) bool {
		a, ok := d.(*ast.Attribute)
		return ok && isEmbed(a)
	})
}

func isEmbed(a *ast.Attribute) bool {
	key, body := a.Split()
	return key == "extern" && strings.Trim(strings.TrimSpace(body), `"`) == "embed"
}

// file replaces the attributes of a file.
func (e *embedder) file(f *ast.File) {
	if !embeds(f) {
		return
	}
	f.Decls = filter.Out(f.Decls, func(d ast.Decl) bool {
		a, ok := d.(*ast.Attribute)
		return ok && isEmbed(a)
	})

	ast.Walk(f, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			field.Attrs = filter.Out(field.Attrs, func(a *ast.Attribute) bool { return e.attribute(field, a) })
		}
		return true
	}, nil)
	ast.Walk(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && e.replaced[id.Node] != nil {
			id.Node = e.replaced[id.Node]
		}
		return true
	}, nil)
}

// attribute gives a field what its attribute asks for, and reports whether it is one of
// those.
func (e *embedder) attribute(field *ast.Field, a *ast.Attribute) bool {
	if key, _ := a.Split(); key != "embed" {
		return false
	}
	x, err := e.asked(a)
	if err != nil {
		if e.once("attribute", a.Pos().String()) {
			e.report(notEmbedded(a, err))
		}
		return true
	}
	old := field.Value
	defer func() { e.replaced[old] = field.Value }()
	if id, ok := field.Value.(*ast.Ident); ok && id.Name == "_" {
		field.Value = x
	} else {
		field.Value = &ast.BinaryExpr{X: field.Value, OpPos: field.Value.Pos(), Op: token.AND, Y: x}
	}
	return true
}

// notEmbedded is the problem that a file cannot be embedded, at its own place if that is
// in the file.
func notEmbedded(a *ast.Attribute, err error) *diag.Diagnostic {
	var own *diag.Diagnostic
	if errors.As(err, &own) {
		own.Code = diag.Forbidden // which nothing is made of
		return own.With(fromcue.Pos(a), "it is embedded here")
	}
	return diag.New(diag.Forbidden, fromcue.Pos(a), "@embed: %v", err)
}

// asked is what an attribute asks for: the contents of a file, or a struct of those that
// a pattern fits.
func (e *embedder) asked(a *ast.Attribute) (ast.Expr, error) {
	arguments := argumentsOf(a)
	kind, optional := arguments["type"], false
	if _, ok := arguments["allowEmptyGlob"]; ok {
		optional = true
	}
	file, glob := arguments["file"], arguments["glob"]
	if (file == "") == (glob == "") {
		return nil, errors.New("write file=NAME or glob=PATTERN, one of them")
	}
	name := cmp.Or(file, glob)
	switch {
	case path.IsAbs(name):
		return nil, fmt.Errorf("%q is absolute: files are named from the directory of this one", name)
	case path.Clean(name) != name:
		return nil, fmt.Errorf("write %q in place of %q", path.Clean(name), name)
	case !fs.ValidPath(name):
		return nil, fmt.Errorf("%q leads out of the directory of this file, and only what lies in it or below can be embedded: move the file, or import a package that lies there", name)
	}
	if file != "" {
		return e.content(a, file, kind)
	}
	names, err := e.matches(glob)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 && !optional {
		return nil, fmt.Errorf("no file fits %q; add allowEmptyGlob if there may be none", glob)
	}
	all := &ast.StructLit{Lbrace: a.Pos(), Rbrace: a.Pos()}
	for _, name := range names {
		x, err := e.content(a, name, kind)
		if err != nil {
			return nil, err
		}
		all.Elts = append(all.Elts, &ast.Field{Label: ast.NewString(name), TokenPos: a.Pos(), Value: x})
	}
	return all, nil
}

// matches are the files that a pattern fits, of those that are not hidden.
func (e *embedder) matches(glob string) ([]string, error) {
	below, err := fs.Sub(e.module.files, e.dir)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(below, glob)
	if err != nil {
		return nil, fmt.Errorf("%q is no pattern: %w", glob, err)
	}
	return filter.Out(names, func(name string) bool {
			info, err := fs.Stat(below, name)
			return err == nil && info.IsDir() || strings.HasPrefix(path.Base(name), ".") && !strings.HasPrefix(path.Base(glob), ".")
		}),

		nil
}

// content is a file as a value.
func (e *embedder) content(a *ast.Attribute, name, kind string) (ast.Expr, error) {
	rel := path.Join(e.dir, name)
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if e.module.exists(path.Join(e.dir, dir, "cue.mod")) {
			return nil, fmt.Errorf("%s belongs to another module", name)
		}
	}
	text, err := e.module.read(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file %s in the directory of this one", name)
	case err != nil:
		return nil, fmt.Errorf("%s can't be read: %w", name, pathError(err))
	case len(text) > maxFile || !e.fits(&source{name: e.module.file(rel), text: text}):
		return nil, fmt.Errorf("%s is larger than %d MiB, the most that a source may have", name, maxFile>>20)
	}
	if !filter.Any(e.pkg.Embedded, func(known spread.Embedded) bool { return known.File == rel }) {
		e.pkg.Embedded = append(e.pkg.Embedded, spread.Embedded{File: rel, Text: text})
	}
	return valueOf(a, e.module.file(rel), cmp.Or(kind, kindOf(name)), text)
}

// kindOf is the type that the ending of a file says, "" for none.
func kindOf(name string) string {
	return map[string]string{".json": "json", ".yaml": "yaml", ".yml": "yaml", ".txt": "text"}[path.Ext(name)]
}

// valueOf reads a text of a type.
func valueOf(a *ast.Attribute, name, kind string, text []byte) (ast.Expr, error) {
	switch kind {
	case "json":
		x, err := json.Extract(name, text)
		if err != nil {
			return nil, malformed("JSON", name, err)
		}
		return x, nil
	case "yaml":
		file, err := parseYAML(ValuesFile{Name: name, Data: text})
		if err != nil {
			return nil, malformed("YAML", name, err)
		}
		return exprOf(file, a.Pos()), nil
	case "text":
		if !utf8.Valid(text) {
			return nil, fmt.Errorf("%s is not UTF-8 text; say type=binary", path.Base(name))
		}
		return &ast.BasicLit{ValuePos: a.Pos(), Kind: token.STRING, Value: literal.String.Quote(string(text))}, nil
	case "binary":
		return &ast.BasicLit{ValuePos: a.Pos(), Kind: token.STRING, Value: literal.Bytes.Quote(string(text))}, nil
	case "":
		return nil, fmt.Errorf("what is in %s its name does not say: add type=text, type=json, type=yaml or type=binary", path.Base(name))
	}
	return nil, fmt.Errorf("type=%s is none that is read here: there are text, json, yaml and binary", kind)
}

// malformed is the problem that a file is not of its form, in CUE's words without the
// name.
func malformed(form, name string, err error) error {
	var own *diag.Diagnostic
	if errors.As(err, &own) {
		return own
	}
	e := cueerrors.Errors(err)[0] // of an error there is one at least
	text := cueerrors.String(e)
	if _, after, ok := strings.Cut(text, name+`": `); ok {
		text = after
	}
	return diag.New(diag.Forbidden, diag.At(e.Position()), "this is no %s: %s", form, text)
}

// exprOf is the value that a file consists of.
func exprOf(f *ast.File, at token.Pos) ast.Expr {
	if len(f.Decls) == 1 {
		if embedded, ok := f.Decls[0].(*ast.EmbedDecl); ok {
			return embedded.Expr
		}
	}
	return &ast.StructLit{Lbrace: at, Elts: f.Decls, Rbrace: at}
}
