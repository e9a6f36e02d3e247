package environment

import (
	"path"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// Local is the environment that is meant where none is named: it has whatever a
// deployment names, unless a file says otherwise.
const Local = "local"

// Directory is where the environments of a module are: the directory of this name at
// its root.
const Directory = "environments"

// In returns the directory of the environments for the deployment in dir, "" for none:
// that at the root of its module.
func In(dir string) string { return load.AtRoot(dir, Directory) }

// Load loads the environments in a directory, of which each is in a file of its name;
// with names only those. They are sorted by name, and those with problems are left out.
func Load(in load.Input, names ...string) ([]*Environment, diag.List) {
	packages, problems := load.Environments(in, names...)
	out, more := each(packages, spread.Environment, decode)
	sorting.By(out, func(a, b *Environment) int { return strings.Compare(a.Name, b.Name) })
	return out, append(problems, more...).Sorted()
}

// each evaluates packages and reads their data, with the name of the file. What has
// problems is left out.
func each[T any](packages []*spread.Package, evaluate func(*spread.Evaluator, *spread.Package) (*value.Data, diag.List), read func(*value.Data, string) (T, diag.List)) (out []T, problems diag.List) {
	eval := newEvaluators()
	for _, p := range packages {
		if p.Broken {
			continue
		}
		data, more := evaluate(eval.next(), p)
		if problems = append(problems, more...); data == nil {
			continue
		}
		x, more := read(data, path.Base(strings.TrimSuffix(p.Path, ":"+p.Name)))
		if problems = append(problems, more...); !more.HasErrors() {
			out = append(out, x)
		}
	}
	return out, problems
}

// Find loads one environment of a directory, "" for none.
func Find(in load.Input, name string) (*Environment, diag.List) {
	if in.Dir == "" {
		return nil, diag.List{diag.New(diag.NoEnvironment, diag.NoPos, "there is no environment %s: the module has no directory %s; kumiki new environment %s makes one", name, Directory, name)}
	}
	found, problems := Load(in, name)
	if len(found) == 1 || problems.HasErrors() {
		return append(found, nil)[0], problems
	}
	all, _ := Load(in)
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
	}
	hint := "; kumiki new environment " + name + " makes it"
	if near, ok := diag.Nearest(name, names); ok {
		hint = "; did you mean " + near + "?"
	} else if len(names) > 0 {
		hint = "; there are " + strings.Join(names, ", ")
	}
	return nil, diag.List{diag.New(diag.NoEnvironment, diag.NoPos, "there is no environment %s in %s%s", name, in.Dir, hint)}
}
