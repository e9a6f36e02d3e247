package load

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/encoding/json"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// ValuesFile is a file of values for a deployment, in the deployment's own
// shape: config: parameter: ….
type ValuesFile struct {
	// Name is the file's name; its ending (.cue, .yaml, .yml, .json) tells the
	// format, and CUE is the default.
	Name string
	Data []byte
}

// Overlay reads what files and PATH=VALUE texts add to a manifest, and tells of the texts
// in them. Later files replace earlier ones field by field. A VALUE that is @FILE is the
// contents of a file in the directory or below it.
func Overlay(ctx *cue.Context, values []ValuesFile, sets []string, dir string, texts Texts) (spread.Overlay, diag.List) {
	var o spread.Overlay
	var problems diag.List
	for _, f := range values {
		d, ds := readValues(ctx, f, texts)
		problems = append(problems, ds...)
		if d != nil {
			o.Values = o.Values.Merge(d)
		}
	}
	for _, text := range sets {
		texts.set(text)
		s, d := parseSet(text)
		if d == nil {
			d = setFile(&s, dir)
			texts.taken(s)
		}
		if d != nil {
			problems = append(problems, d)
			continue
		}
		o.Sets = append(o.Sets, s)
	}
	return o, problems
}

// PlainSets are PATH=VALUE texts that mean the same as others do, and name no files.
func PlainSets(sets []string, dir string) ([]string, error) {
	var out []string
	for _, text := range sets {
		path, _, _ := strings.Cut(text, "=")
		s, d := parseSet(text)
		if d == nil {
			d = setFile(&s, dir)
		}
		if d != nil {
			return nil, d
		}
		if strings.HasPrefix(s.Text, "@") {
			s.Text = "@" + s.Text
		}
		out = append(out, path+"="+s.Text) // the path keeps the colon of one that replaces
	}
	return out, nil
}

func readValues(ctx *cue.Context, f ValuesFile, texts Texts) (*value.Data, diag.List) {
	file, err := parseValues(f)
	texts.File(file)
	if err != nil {
		texts.source(f.Data)
		return nil, fromcue.Problems(diag.BadValues, err)
	}
	if far := append(fromcue.BadLiterals(file), contextWritten(file)...); len(far) > 0 {
		return nil, far
	}
	if len(file.Decls) == 0 {
		return nil, nil
	}
	v := ctx.BuildFile(file)
	if err := v.Err(); err != nil {
		return nil, fromcue.Problems(diag.BadValues, err)
	}
	d, problems := spread.Finish(v)
	if len(problems) > 0 {
		return nil, problems
	}
	if !isCUE(f.Name) {
		d, problems = references(d)
	}
	if d.Kind == value.Null {
		return nil, nil // an empty YAML file
	}
	if d.Kind != value.Struct {
		return nil, diag.List{diag.New(diag.BadValues, d.Pos, "values are a %s: write them in the deployment's shape, config: parameter: …", d.Kind)}
	}
	for _, field := range d.Fields {
		switch field.Name {
		case "config", "meta", "up", "name":
		default:
			problems = append(problems, diag.New(diag.BadValues, field.Value.Pos, "values have the deployment's shape (config, meta, up, name), which has no field %s; parameters go under config: parameter:", field.Name))
		}
	}
	return d, append(problems, spread.Optionals([]*ast.File{file}, v, "config", "meta")...)
}

func parseValues(f ValuesFile) (*ast.File, error) {
	switch strings.ToLower(filepath.Ext(f.Name)) {
	case ".yaml", ".yml":
		return parseYAML(f)
	case ".json":
		if len(bytes.TrimSpace(f.Data)) == 0 {
			return &ast.File{}, nil
		}
		x, err := json.Extract(f.Name, f.Data)
		if err != nil {
			return nil, err
		}
		return &ast.File{Filename: f.Name, Decls: []ast.Decl{&ast.EmbedDecl{Expr: x}}}, nil
	}
	file, err := parser.ParseFile(f.Name, f.Data)
	if err != nil {
		return nil, err
	}
	for spec := range file.ImportSpecs() {
		return nil, diag.New(diag.BadValues, fromcue.Pos(spec), "a values file is plain data and imports nothing: remove the import of %s", spec.Path.Value)
	}
	return file, nil
}

// parseSet reads "config.parameter.port=8080", or with := a value that takes the place of the
// manifest's. A part of the path that holds a dot is quoted: config.parameter."a.b"=1.
func parseSet(text string) (spread.Set, *diag.Diagnostic) {
	name := "--set " + text
	pos := diag.At(token.NewFile(name, -1, len(name)).Pos(0, token.NoRelPos)) // CUE gets it, with the value
	left, value, ok := strings.Cut(text, "=")
	if !ok {
		return spread.Set{}, diag.New(diag.BadSet, pos, "%q has no value: write --set config.parameter.NAME=VALUE", text)
	}
	left, replaces := strings.CutSuffix(left, ":")
	path := cue.ParsePath(strings.TrimSpace(left))
	if err := path.Err(); err != nil {
		return spread.Set{}, diag.New(diag.BadSet, pos, "%q is not a path: write config.parameter.NAME, and quote a name with a dot or dash: config.parameter.\"a-b\"", left)
	}
	s := spread.Set{Text: value, Pos: pos, Replaces: replaces}
	for _, sel := range path.Selectors() {
		if sel.Type() != cue.StringLabel {
			return s, diag.New(diag.BadSet, pos, "%s in %q is not a plain field: write config.parameter.NAME", sel, left)
		}
		s.Path = append(s.Path, sel.Unquoted())
	}
	if len(s.Path) == 0 {
		return s, diag.New(diag.BadSet, pos, "%q names no field: write --set config.parameter.NAME=VALUE", text)
	}
	switch s.Path[0] {
	case "config", "meta", "up":
	default:
		return s, diag.New(diag.BadSet, pos, "%q does not start with config, meta or up: %s", left, hintSet(s.Path, value))
	}
	return s, nil
}

func hintSet(path []string, value string) string {
	switch path[0] {
	case "parameter", "resource", "scale", "resilience":
		return fmt.Sprintf("write --set config.%s=%s", strings.Join(path, "."), value)
	}
	return fmt.Sprintf("write --set config.parameter.%s=%s", strings.Join(path, "."), value)
}
