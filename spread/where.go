package spread

import (
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// An artifact may read where it is deployed, in config.#context, as #Context of the model
// says: the name of the deployment, the name of the role that it fills, and the path of roles
// to it. For an artifact that reads this, or has one in a role that does, it is part of the
// config and so of the memo's key. All others are evaluated once, wherever they are deployed.

// Context is the definition in a config that has it.
const Context = depends.Context

// readsContext reports whether the artifact of a package may depend on where it is deployed:
// its sources mention that, or those of something that it imports.
func (e *Evaluator) readsContext(p *Package) bool {
	reads, known := e.readers[p]
	if known {
		return reads
	}
	e.readers[p] = false // a circle of imports has been reported
	reads = p.Source().Context
	for _, imp := range p.Imports {
		reads = reads || imp != nil && e.readsContext(imp)
	}
	e.readers[p] = reads
	return reads
}

// ContextWritten says that nobody writes where an artifact is deployed.
func ContextWritten(pos diag.Pos) *diag.Diagnostic {
	return diag.New(diag.ContextWritten, pos, "config.%s says where an artifact is deployed, which kumiki knows and nobody writes: leave it out, and read it as description.config.%s.role", Context, Context)
}

// ofContext rewords a conflict in the context: somebody has written into it through a
// definition of another package.
func ofContext(d *diag.Diagnostic) *diag.Diagnostic {
	i := slices.Index(d.At, Context)
	if d.Code != diag.Conflict || i < 1 || d.At[i-1] != "config" {
		return d
	}
	told := ContextWritten(d.Pos)
	told.At, told.Related = d.At, d.Related
	return told
}

// inContext adds the context to a filling's config if its artifact reads it.
func (r *Runner) inContext(f *Filling) *Filling {
	p := f.Package
	if p == nil {
		p = f.unit.Package
	}
	return f.with(r.whereabouts(p, f.At).Given)
}

// whereabouts adds the context to a place's config if the package reads it. Where an artifact
// is checked without a deployment, the deployment is called "deployment".
func (r *Runner) whereabouts(p *Package, at Place) Place {
	if !r.Eval.readsContext(p) {
		return at
	}
	name, role := r.name, ""
	if name == "" {
		name = "deployment"
	}
	if n := len(at.Path); n > 0 {
		role = at.Path[n-1]
	}
	pos := at.Pos
	at.Given = value.OrEmpty(at.Given).Set(depends.Context, value.NewStruct(pos,
		value.Field{Name: "deployment", Value: value.NewString(pos, name)},
		value.Field{Name: "path", Value: value.NewString(pos, strings.Join(at.Path, "."))},
		value.Field{Name: "role", Value: value.NewString(pos, role)},
	))
	return at
}
