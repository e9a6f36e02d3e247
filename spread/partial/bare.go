package partial

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"

	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// bareTypes are the model's types of what slices make most, in Go: CUE takes a third of the time
// for a slice without the model. A value that one takes is what CUE would make of it with the
// model's type; of any other, that is for CUE to tell.
type bareTypes struct {
	// added is what the model adds to a file with data, by field, as CUE made it: what was seen
	// of that.
	added map[string]*value.Data
}

// shape says, as the model does but with types that are anything, that there is a value at a path
// of the artifact: CUE places what is said once otherwise than what is said twice.
func shape(path []string) string {
	x := "_"
	if len(path) == 4 { // the arguments of a container
		x = "[..._]"
	}
	if in := inMapping(path, "env"); len(in) < 2 && in != nil {
		x = []string{"[string]: [string]: _", "[string]: _"}[len(in)]
	}
	if in := inMapping(path, "filesystem"); len(in) < 2 && in != nil {
		file := "{data?: {value: _}, [string]: _}"
		x = []string{"[string]: " + file, file}[len(in)]
	}
	for _, name := range slices.Backward(path) {
		x = literal.String.Quote(name) + "?: " + x
	}
	return "#Artifact: " + x + "\n"
}

// shaped is a slice without the model's types, but with their shape.
func shaped(p *spread.Package, paths [][]string) *spread.Package {
	text := "package " + p.Name + "\n"
	for _, path := range paths {
		text += shape(path)
	}
	file, err := parser.ParseFile("kumiki:shape.cue", text)
	if err != nil {
		return p // a name that CUE has no literal for
	}
	out := *p
	out.Files = append(slices.Clip(p.Files), file)
	return &out
}

// addedToFiles are the fields of a file that the model has defaults for.
var addedToFiles = []string{"format", "mode", "rebootOnUpdate"}

// note remembers what the model added to a value at a path of the artifact.
func (t *bareTypes) note(path []string, d *value.Data) {
	if len(t.added) == len(addedToFiles) || d == nil {
		return
	}
	switch in := inMapping(path, "filesystem"); {
	case in == nil || len(in) > 1:
	case len(in) == 1:
		t.noteFile(d)
	default:
		for _, f := range d.Each() {
			t.noteFile(f.Value)
		}
	}
}

func (t *bareTypes) noteFile(d *value.Data) {
	for _, name := range addedToFiles {
		if x := d.Get(name); x != nil && value.IsModel(x.Pos) {
			t.added[name] = x
		}
	}
}

// inMapping is where a path of the artifact leads to in a part of a container's mapping; nil for
// any other path.
func inMapping(path []string, part string) []string {
	if len(path) < 5 || path[1] != "code" || path[3] != "mapping" || path[4] != part {
		return nil
	}
	return append([]string{}, path[5:]...)
}

// isUntyped reports whether Go has no type for what lies at a path of the artifact.
func isUntyped(path []string) bool {
	return !isParameter(path) && inMapping(path, "env") == nil && inMapping(path, "filesystem") == nil && typeInContainer(path) == nil
}

// typeInContainer is the type of a part of a container, as a check, that is anything but its mapping;
// nil where Go has none.
func typeInContainer(path []string) func(*value.Data) bool {
	isText := func(d *value.Data) bool { return d.Kind == value.String }
	if len(path) < 4 || path[1] != "code" {
		return nil
	}
	switch strings.Join(path[3:], ".") {
	case "image.tag":
		return isText
	case "cmd", "entrypoint":
		return func(d *value.Data) bool {
			return d.Kind == value.List && !slices.ContainsFunc(d.Items, func(d *value.Data) bool { return !isText(d) })
		}
	}
	return nil
}

// isParameter reports whether a path leads to a parameter of a role, which may be anything.
func isParameter(path []string) bool {
	return len(path) > 5 && path[1] == "role" && path[3] == "config" && path[4] == "parameter"
}

// taken is a value at a path of the artifact as the model's type makes it; nil where that is not
// known.
func (t *bareTypes) taken(path []string, d *value.Data) *value.Data {
	if isParameter(path) {
		return d
	}
	if fits := typeInContainer(path); fits != nil {
		if !fits(d) {
			return nil
		}
		return d
	}
	if in := inMapping(path, "env"); in != nil {
		return each(d, len(in) == 0, func(d *value.Data) *value.Data { return variable(d, in) })
	}
	if in := inMapping(path, "filesystem"); in != nil {
		return each(d, len(in) == 0, func(d *value.Data) *value.Data { return t.file(d, in) })
	}
	return nil
}

// each is a struct with its fields as they are taken, or one value; nil if one of them is.
func each(d *value.Data, all bool, taken func(*value.Data) *value.Data) *value.Data {
	if !all {
		return taken(d)
	}
	if d.Kind != value.Struct {
		return nil
	}
	out := *d
	out.Fields = slices.Clone(d.Fields)
	for i, f := range out.Fields {
		if out.Fields[i].Value = taken(f.Value); out.Fields[i].Value == nil {
			return nil
		}
	}
	return &out
}

// variable is a variable, or what lies in one.
func variable(d *value.Data, in []string) *value.Data {
	isText := func(name string, d *value.Data) bool {
		return d.Kind == value.String && slices.Contains(variableFields, name)
	}
	if len(in) > 1 {
		if len(in) > 2 || !isText(in[1], d) {
			return nil
		}
		return d
	}
	if d.Kind != value.Struct || slices.ContainsFunc(d.Fields, func(f value.Field) bool { return !isText(f.Name, f.Value) }) {
		return nil
	}
	return d
}

// file is a file, or what lies in one.
func (t *bareTypes) file(d *value.Data, in []string) *value.Data {
	switch {
	case len(in) > 2 && in[1] == "data" && in[2] == "value":
		return d
	case len(in) > 2 || len(in) == 2 && !isPartOfFile(in[1], d):
		return nil
	case len(in) == 2:
		return d
	case d.Kind != value.Struct || slices.ContainsFunc(d.Fields, func(f value.Field) bool { return !isPartOfFile(f.Name, f.Value) }):
		return nil
	case d.Get("data") == nil:
		if len(d.Fields) > 1 || d.Get("volume") == nil {
			return nil
		}
		return d
	case d.Get("volume") != nil:
		return nil
	}
	for _, name := range addedToFiles {
		switch {
		case d.Get(name) != nil:
		case t.added[name] == nil:
			return nil
		default:
			d = d.Set(name, t.added[name])
		}
	}
	return d
}

func isPartOfFile(name string, d *value.Data) bool {
	switch name {
	case "volume":
		return d.Kind == value.String
	case "data":
		return d.Kind == value.Struct && len(d.Fields) == 1 && d.Fields[0].Name == "value"
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
