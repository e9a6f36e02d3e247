package spread

import (
	"encoding/json"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// identity reads the artifact's spec and ref.
func (r *runner) identity(n *value.Node, artifact cue.Value, at place) {
	f := &finisher{places: nowhere}
	identify(n, f, artifact)
	r.reportArtifact(&unit{pkg: PackageOf(n), artifact: artifact, pos: n.Pos}, artifact, f.problems, at)
}

// identify sets the node's spec and ref, of which nobody asks where they are
// written.
func identify(n *value.Node, f *finisher, artifact cue.Value) {
	ref := f.finish(artifact.LookupPath(refPath), []string{"ref"})
	spec := f.finish(artifact.LookupPath(specPath), []string{"spec"})
	if ref != nil {
		_ = json.Unmarshal(ref.AppendJSON(nil), &n.Ref) // the schema has checked the types
	}
	if spec != nil {
		_ = json.Unmarshal(spec.AppendJSON(nil), &n.Spec)
	}
}

func nowhere(cue.Value, []string) diag.Pos { return diag.NoPos }

// description finishes what the artifact describes, apart from its config,
// roles and builtin flag. By the model's first rule all of it is concrete now
// that the config is: what is not is a hole in the artifact.
func (r *runner) description(u *unit, filled cue.Value, at place) *value.Data {
	desc := filled.LookupPath(descriptionPath)
	f := &finisher{
		standIn:  func(p problem, pos diag.Pos) *value.Data { return r.standInFor(u, p, pos) },
		newCause: r.newCause,
		places:   u.place,
	}
	out, err := f.description(desc)
	if err != nil {
		f.problems = []problem{{path: []string{"description"}, value: desc, kind: conflict}}
	}
	r.reportArtifact(u, filled, f.problems, at)
	return out
}

// description finishes the parts of a description that are described there.
func (f *finisher) description(desc cue.Value) (*value.Data, error) {
	out := &value.Data{Kind: value.Struct, Pos: fromcue.Pos(desc)}
	fields, err := desc.Fields()
	if err != nil {
		return out, err
	}
	for fields.Next() {
		name := fields.Selector().Unquoted()
		switch name {
		case "builtin", "config", "role":
			continue
		}
		f.any = name == "connect" // the target of a connector is written  to: role: channel: _
		if x := f.finish(fields.Value(), []string{"description", name}); x != nil {
			out = out.Set(name, x)
		}
	}
	return out, nil
}

// standInFor stands in for a hole of an artifact's description.
func (r *runner) standInFor(u *unit, p problem, pos diag.Pos) *value.Data {
	schema := lookup(u.artifact, p.path)
	if schema.IncompleteKind() == cue.BottomKind {
		return value.NewString(pos, "stand-in") // the artifact itself is wrong there
	}
	return r.standIn(schema, pos)
}
