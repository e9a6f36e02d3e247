package spread

import (
	"encoding/json"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// identity reads the artifact's spec and ref.
func (r *Runner) identity(n *value.Node, artifact cue.Value, at Place) {
	f := &Finisher{Places: Nowhere}
	Identify(n, f, artifact)
	r.reportArtifact(&Unit{Package: PackageOf(n), Artifact: artifact, Pos: n.Pos}, artifact, f.Problems, at)
}

// Identify sets the node's spec and ref, of which nobody asks where they are
// written.
func Identify(n *value.Node, f *Finisher, artifact cue.Value) {
	ref := f.Finish(artifact.LookupPath(refPath), []string{"ref"})
	spec := f.Finish(artifact.LookupPath(specPath), []string{"spec"})
	if ref != nil {
		_ = json.Unmarshal(ref.AppendJSON(nil), &n.Ref) // the schema has checked the types
	}
	if spec != nil {
		_ = json.Unmarshal(spec.AppendJSON(nil), &n.Spec)
	}
}

func Nowhere(cue.Value, []string) diag.Pos { return diag.NoPos }

// description finishes what the artifact describes, apart from its config,
// roles and builtin flag. By the model's first rule all of it is concrete now
// that the config is: what is not is a hole in the artifact.
//
// known is false if CUE has no fields of the description because a condition in it contradicts itself, or no roles
// because there are alternatives for them without a default.
func (r *Runner) description(u *Unit, filled cue.Value, at Place) (out *value.Data, known bool) {
	desc := filled.LookupPath(DescriptionPath)
	f := &Finisher{
		standIn:  func(p problem, pos diag.Pos) *value.Data { return r.standInFor(u, p, pos) },
		newCause: r.Eval.NewCause,
		Places:   u.Place,
	}
	out, err := f.Description(desc)
	if err != nil {
		f.Problems = []problem{{path: []string{"description"}, value: desc, kind: conflict}}
	}
	roles := desc.LookupPath(RolesPath)
	ambiguous := IsAmbiguous(roles)
	if ambiguous {
		f.Problems = append(f.Problems, problem{path: []string{"description", "role"}, value: roles, kind: incomplete})
	}
	r.reportArtifact(u, filled, f.Problems, at)
	return out, err == nil && !ambiguous
}

// Description finishes the parts of a description that are described there.
func (f *Finisher) Description(desc cue.Value) (*value.Data, error) {
	out := &value.Data{Kind: value.Struct, Pos: fromcue.Pos(desc)}
	fields, err := fromcue.Fields(desc)
	if err != nil {
		return out, err
	}
	for fields.Next() {
		name := fields.Name()
		switch name {
		case "builtin", "config", "role":
			continue
		}
		f.Any = name == "connect" // the target of a connector is written  to: role: channel: _
		if x := f.Finish(fields.Value(), []string{"description", name}); x != nil {
			out = out.Set(name, x)
		}
	}
	return out, nil
}

// standInFor stands in for a hole of an artifact's description.
func (r *Runner) standInFor(u *Unit, p problem, pos diag.Pos) *value.Data {
	schema := fromcue.Lookup(u.Artifact, p.path)
	if schema.IncompleteKind() == cue.BottomKind || p.value.Kind() == cue.BytesKind {
		return value.NewString(pos, "stand-in") // the artifact itself is wrong there, or a text was meant
	}
	return r.Eval.StandIn(schema, pos)
}
