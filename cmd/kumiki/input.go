package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/load"
	"kumiki.dev/module/registry"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// inputFlags are the flags of every command that reads a manifest.
type inputFlags struct {
	pkg     string
	modules []string
	name    string
	values  []string
	sets    []string
	strict  bool
	role    string // the only one, by its path
	without shortcuts
	timeout time.Duration
	with    []string
	links   []string
	others  *compiler.Others // that with names
	memory  *load.Memory     // of what is compiled again and again

	reference referenceFlags
	store     string // where solutions are saved
	history   bool   // whether all that was saved counts, and not only what is current
}

// shortcuts are the ways around CUE that can be switched off: what comes out is
// the same, later.
type shortcuts struct{ partial, lean, stubs, memo bool }

func (s *shortcuts) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&s.partial, "no-partial", false, "let CUE evaluate every role, also where an artifact is known well enough to do without; the result is the same")
	flags.BoolVar(&s.lean, "no-lean", false, "let CUE see all of a package, also what its sources say in so many words")
	flags.BoolVar(&s.stubs, "no-stubs", false, "let CUE see the artifacts that fill the roles of a service")
	flags.BoolVar(&s.memo, "no-memo", false, "evaluate roles that are equal again and again")
	for _, name := range []string{"no-lean", "no-stubs", "no-memo"} {
		_ = flags.MarkHidden(name) // it has just been added
	}
}

func (f *inputFlags) register(cmd *cobra.Command) {
	f.registerBut(cmd)
	f.registerTimeout(cmd, "timeout")
}

// registerTimeout adds the bound of one compilation, which has another name where something
// else is waited for too.
func (f *inputFlags) registerTimeout(cmd *cobra.Command, name string) {
	cmd.Flags().DurationVar(&f.timeout, name, 10*time.Minute, "how `long` one compilation may take; 0 for as long as it takes")
}

// registerBut adds all flags but the bound.
func (f *inputFlags) registerBut(cmd *cobra.Command) {
	f.registerLoad(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "`name` of the deployment, in place of the manifest's")
	repeatedVar(flags, &f.values, "values", "f", "`file` (.cue, .yaml, .json, or - for YAML on standard input) with values in the deployment's shape, config: …; later files win")
	repeatedVar(flags, &f.sets, "set", "", "one value, config.parameter.`NAME=VALUE`, typed by the artifact; wins over files, and with := in place of = over what the manifest says. VALUE may be @FILE, the contents of a file in the manifest's directory or below; @@ for a value that begins with @")
	repeatedVar(flags, &f.with, "with", "", "solution `file`, directory with a #Deployment, saved:NAME, or directory of any of them, that values may be taken from ($from), links lead to and up may name, beside what is saved in --solutions; may be given several times")
	repeatedVar(flags, &f.links, "links", "", "`directory` with files of package link, among them links of the deployment to others; those beside it are read in any case; may be given several times")
	registerStrict(cmd, &f.strict)
	f.without.register(cmd)
	registerSolutions(cmd, &f.store)
	registerEnvironment(cmd)
}

// registerStrict adds the flag that means the same in all commands that tell of warnings.
func registerStrict(cmd *cobra.Command, strict *bool) {
	cmd.Flags().BoolVar(strict, "strict", false, "make an error of every warning that is not acknowledged, and of everything that the target cannot carry")
}

// registerRole adds the flag of commands that make a solution of one role.
func (f *inputFlags) registerRole(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.role, "role", "", "`path` of a role, ROLE or ROLE.ROLE: only that, as if its artifact were deployed with the config that the service gives it")
}

// registerHistory adds the flag of commands that look at many solutions.
func (f *inputFlags) registerHistory(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.history, "history", false, "look at all solutions that have been saved, and not only at the current ones; they are called NAME@ENTRY then")
}

func registerSolutions(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "solutions", "solutions", "`directory` in which solutions have been saved")
}

// registerLoad adds only the flags that say what to load.
func (f *inputFlags) registerLoad(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.pkg, "package", "", "`name` of the package in the directory (default: the only one with a #Deployment, else #Artifact)")
	repeatedVar(flags, &f.modules, "modules", "", "`directory` that is or holds kam-style modules which the manifest depends on; may be given several times")
	f.reference.register(cmd)
}

// load makes the loader's input for a directory.
func (f *inputFlags) load(dir string) (load.Input, error) {
	in := load.Input{Dir: dir, Package: f.pkg, Modules: f.modules, Memory: f.memory}
	if !registry.IsDirectory(f.reference.from) {
		return in, nil // where modules usually come from
	}
	reg, err := registry.OpenNamed(f.reference.from)
	in.Registry = reg
	return in, err
}

// input makes the compiler's input of the flags and what an argument names. What a bundle
// has beside its sources comes before what the flags say.
func (f *inputFlags) input(s streams, of subject) (compiler.Input, error) {
	in := of.given
	in.Role, in.Name = cmp.Or(f.role, in.Role), cmp.Or(f.name, in.Name)
	in.Sets, in.Links = slices.Concat(in.Sets, f.sets), slices.Concat(in.Links, f.links)
	in.Strict, in.Timeout = f.strict, f.timeout
	in.NoPartial, in.NoLean, in.NoStubs, in.NoMemo = f.without.partial, f.without.lean, f.without.stubs, f.without.memo
	if in.With != nil {
		in.With = f.known(s, in.With)
	} else {
		if f.others == nil {
			f.others = f.known(s, nil)
		}
		in.With = f.others
	}
	in.Check = alsoOddNames(s.site.policies.Solution)
	if e := s.site.Environment; e != nil && (in.Environment == nil || e.Name != environment.Local) {
		in.Environment, in.Check, in.Labels = e.Config, alsoOddNames(s.site.check), e.SolutionLabels()
		maps.Copy(in.Labels, of.given.Labels) // of a template
	}
	in.LoadInput = *of.sources
	if err := s.site.signed(&in.LoadInput, f.reference.from); err != nil {
		return in, err
	}
	if in.Dir != of.arg { // it stands for a bundle, a revision or a reference
		in.SetFiles = "."
	}
	files, err := f.valuesFiles(s)
	in.Values = append(in.Values, files...)
	return in, err
}

// valuesFiles reads the files of -f.
func (f *inputFlags) valuesFiles(s streams) (out []load.ValuesFile, err error) {
	for _, name := range f.values {
		v, err := readValuesFile(s, name)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// alsoOddNames is a check of solutions that tells of odd names, too.
func alsoOddNames(check func(*solution.Solution) diag.List) func(*solution.Solution) diag.List {
	return func(sol *solution.Solution) diag.List { return append(check(sol), targets.OddNames(sol)...) }
}

func readValuesFile(s streams, name string) (load.ValuesFile, error) {
	if name == "-" {
		data, err := s.stdin(asValues)
		return load.ValuesFile{Name: "stdin.yaml", Data: data}, err
	}
	data, err := readFile(name)
	if err != nil {
		return load.ValuesFile{}, fmt.Errorf("values file: %w", err)
	}
	return load.ValuesFile{Name: name, Data: data}, nil
}
