package partial

import (
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// bareScope is a slice without the model's types, which CUE evaluates in a third of the time. Go
// checks what comes out against those types instead, as far as it knows them.
type bareScope struct {
	slice *spread.Package
	paths [][]string // of the values, from the artifact
	// added are the defaults that the model has for fields of a file with data, by name: those
	// seen so far in what CUE made with the model.
	added map[string]*value.Data
	at    *places
	fails int // how often it made nothing that could be used
}

// newBareScope is nil if the slice needs the model, or if Go has no type for one of the values.
func newBareScope(r *runner, p *spread.Package, slice depends.Slice, paths [][]string) *bareScope {
	b := &bareScope{paths: paths, added: map[string]*value.Data{}}
	if slices.ContainsFunc(paths, func(path []string) bool { return b.typeAt(path) == nil }) {
		return nil
	}
	bare, ok := slice.Bare()
	if !ok {
		return nil
	}
	b.slice = r.Eval.Sliced(p, bare)
	return b
}

func (b *bareScope) isUsable() bool {
	return b != nil && !b.at.isUnclear() && b.fails <= maxRefused
}

// level has CUE make the values of a level; nil if the model's types do not take them as they are.
func (b *bareScope) level(r *runner, config *value.Data, values valuesIn) []*value.Data {
	if !b.isUsable() {
		return nil
	}
	r.Work.Sliced++
	if out, ok := values(r.Eval.InScope(b.slice, config), true); ok {
		if out = b.typed(out); out != nil {
			return out
		}
	}
	b.fails++
	return nil
}

// typed are values as the model's types make them; nil if that is not certain.
func (b *bareScope) typed(values []*value.Data) []*value.Data {
	out := make([]*value.Data, len(values))
	for i, d := range values {
		if d == nil {
			continue
		}
		if out[i] = b.typeAt(b.paths[i])(d); out[i] == nil {
			return nil
		}
	}
	return out
}

// addedToFiles are the fields of a file that the model has defaults for.
var addedToFiles = []string{"format", "mode", "rebootOnUpdate"}

// note remembers the defaults that the model added to files.
func (b *bareScope) note(values []*value.Data) {
	for i, path := range b.paths {
		switch in := inMapping(path, "filesystem"); {
		case in == nil || len(in) > 1 || len(b.added) == len(addedToFiles):
		case len(in) == 1:
			b.noteFile(values[i])
		default:
			for _, f := range values[i].Each() {
				b.noteFile(f.Value)
			}
		}
	}
}

func (b *bareScope) noteFile(d *value.Data) {
	for _, name := range addedToFiles {
		if x := d.Get(name); x != nil && value.IsModel(x.Pos) {
			b.added[name] = x
		}
	}
}

// inMapping returns what follows code.NAME.mapping and the given part in a path; nil if the path is
// no such one.
func inMapping(path []string, part string) []string {
	if len(path) < 5 || path[1] != "code" || path[3] != "mapping" || path[4] != part {
		return nil
	}
	return path[5:]
}

// isParameter reports whether a path leads to parameters of the artifact or of a role. The model
// takes any.
func isParameter(path []string) bool {
	return len(path) > 2 && path[1] == "config" && path[2] == "parameter" ||
		len(path) > 5 && path[1] == "role" && path[3] == "config" && path[4] == "parameter"
}

// typeAt is the model's type for a path of the artifact: it returns a value as the type makes it, nil
// if that is not certain. It is nil itself if Go has no such type.
func (b *bareScope) typeAt(path []string) func(*value.Data) *value.Data {
	if isParameter(path) {
		return func(d *value.Data) *value.Data { return onlyIf(!isEmpty(d), d) }
	}
	if in := inMapping(path, "env"); in != nil {
		return typeOf(in, func(d *value.Data) *value.Data { return variable(d, in) })
	}
	if in := inMapping(path, "filesystem"); in != nil {
		return typeOf(in, func(d *value.Data) *value.Data { return b.file(d, in) })
	}
	if len(path) < 4 || path[1] != "code" {
		return nil
	}
	switch strings.Join(path[3:], ".") {
	case "image.tag":
		return func(d *value.Data) *value.Data { return onlyIf(isText(d), d) }
	case "cmd", "entrypoint":
		return func(d *value.Data) *value.Data {
			areTexts := d.Kind == value.List && !slices.ContainsFunc(d.Items, func(x *value.Data) bool { return !isText(x) })
			return onlyIf(areTexts, d)
		}
	}
	return nil
}

// isEmpty reports whether a value is an empty struct. If the model declares a field as _, and loops and
// conditions give it no fields, CUE (v0.17.1) leaves _ instead of an empty struct.
func isEmpty(d *value.Data) bool { return d.Kind == value.Struct && len(d.Fields) == 0 }

func isText(d *value.Data) bool { return d.Kind == value.String }

func onlyIf(ok bool, d *value.Data) *value.Data {
	if !ok {
		return nil
	}
	return d
}

// typeOf is the type of a map's fields, for a path that leads into one of them, or of the map.
func typeOf(in []string, field func(*value.Data) *value.Data) func(*value.Data) *value.Data {
	if len(in) > 0 {
		return field
	}
	return func(d *value.Data) *value.Data {
		if d.Kind != value.Struct {
			return nil
		}
		out := *d
		out.Fields = slices.Clone(d.Fields)
		for i, f := range out.Fields {
			if out.Fields[i].Value = field(f.Value); out.Fields[i].Value == nil {
				return nil
			}
		}
		return &out
	}
}

// variable is an environment variable, or the value in it that a path leads to.
func variable(d *value.Data, in []string) *value.Data {
	fits := func(name string, d *value.Data) bool { return isText(d) && slices.Contains(variableFields, name) }
	if len(in) > 1 {
		return onlyIf(len(in) == 2 && fits(in[1], d), d)
	}
	return onlyIf(d.Kind == value.Struct && !slices.ContainsFunc(d.Fields, func(f value.Field) bool { return !fits(f.Name, f.Value) }), d)
}

// file is a file with what the model adds to it, or the value in it that a path leads to.
func (b *bareScope) file(d *value.Data, in []string) *value.Data {
	if len(in) > 2 {
		return onlyIf(in[1] == "data" && in[2] == "value" && !(len(in) == 3 && isEmpty(d)), d)
	}
	if len(in) == 2 {
		return onlyIf(isPartOfFile(in[1], d), d)
	}
	if d.Kind != value.Struct || slices.ContainsFunc(d.Fields, func(f value.Field) bool { return !isPartOfFile(f.Name, f.Value) }) {
		return nil
	}
	if d.Get("volume") != nil || d.Get("data") == nil {
		return onlyIf(d.Get("volume") != nil && len(d.Fields) == 1, d)
	}
	for _, name := range addedToFiles {
		if d.Get(name) != nil {
			continue
		}
		if b.added[name] == nil {
			return nil
		}
		d = d.Set(name, b.added[name])
	}
	return d
}

func isPartOfFile(name string, d *value.Data) bool {
	switch name {
	case "volume":
		return d.Kind == value.String
	case "data":
		return d.Kind == value.Struct && len(d.Fields) == 1 && d.Fields[0].Name == "value" && !isEmpty(d.Fields[0].Value)
	case "format":
		return d.Kind == value.String && slices.Contains([]string{"text", "json", "yaml"}, d.Text)
	case "mode":
		n, err := strconv.ParseUint(d.Text, 10, 32)
		return d.Kind == value.Int && err == nil && n <= 0o7777
	case "rebootOnUpdate":
		return d.Kind == value.Bool
	}
	return false
}
