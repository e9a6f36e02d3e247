package spread

import (
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

var linkPath = cue.ParsePath("#Link")

// linkForm is what a file of package link has.
const linkForm = "#Link: {from: {deployment: \"…\", channel: \"…\"}, to: {deployment: \"…\", channel: \"…\"}}"

// LinkOf returns the link that a package of one file is, as data; nil if it is none, which
// the problems say.
func LinkOf(e *Evaluator, p *Package) (*value.Data, diag.List) {
	v := e.Value(p)
	d := v.LookupPath(linkPath)
	if err := v.Err(); err != nil && !d.Exists() {
		return nil, fromcue.Problems(diag.BadLink, err)
	}
	if !d.Exists() {
		return nil, diag.List{diag.New(diag.BadLink, startOf(p), "the file has no #Link: write %s", linkForm)}
	}
	if err := d.Validate(); err != nil {
		return nil, fromcue.Problems(diag.BadLink, err)
	}
	data, problems := Finish(d)
	if len(problems) == 0 {
		problems = linkShape(data)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return data, nil
}

// linkShape is what a link lacks, or has that no link has.
func linkShape(d *value.Data) diag.List {
	problems := onlyFields("a link", d, "from", "to", "meta")
	if len(problems) > 0 {
		return problems
	}
	if meta := d.Get("meta"); meta != nil && meta.Kind != value.Struct {
		problems = append(problems, diag.New(diag.BadLink, meta.Pos, "meta of a link is %s: write meta: {…}", meta.JSON()))
	}
	for _, side := range []string{"from", "to"} {
		end := d.Get(side)
		if end == nil {
			problems = append(problems, diag.New(diag.BadLink, d.Pos, "the link has no %s: write %s: {deployment: \"…\", channel: \"…\"}", side, side))
			continue
		}
		if wrong := onlyFields("the end of a link", end, "deployment", "channel"); len(wrong) > 0 {
			problems = append(problems, wrong...)
			continue
		}
		for _, name := range []string{"deployment", "channel"} {
			if x := end.Get(name); x == nil || x.Kind != value.String || x.Text == "" {
				problems = append(problems, diag.New(diag.BadLink, end.Pos, "%s of the link names no %s: write %s: {deployment: \"…\", channel: \"…\"}", side, name, side))
			}
		}
	}
	return problems
}

// onlyFields reports what is no struct, or has fields besides some.
func onlyFields(what string, d *value.Data, names ...string) diag.List {
	if d.Kind != value.Struct {
		return diag.List{diag.New(diag.BadLink, d.Pos, "%s is a struct with %s: write %s", what, strings.Join(names, ", "), linkForm)}
	}
	var problems diag.List
	for _, f := range d.Fields {
		known := false
		for _, name := range names {
			known = known || f.Name == name
		}
		if known {
			continue
		}
		text := "; it has " + strings.Join(names, ", ")
		if near, ok := diag.Nearest(f.Name, names); ok {
			text = "; did you mean " + near + "?"
		}
		problems = append(problems, diag.New(diag.BadLink, f.Value.Pos, "%s has no field %s%s", what, f.Name, text))
	}
	return problems
}
