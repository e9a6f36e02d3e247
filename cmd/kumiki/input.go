package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/load"
	"kumiki.dev/module/registry"
)

// inputFlags are the flags of every command that reads a manifest.
type inputFlags struct {
	pkg     string
	modules []string
	name    string
	values  []string
	sets    []string
	strict  bool
	without shortcuts
	timeout time.Duration
	with    []string
	others  *compiler.Others // that with names
	memory  *load.Memory     // of what is compiled again and again

	reference referenceFlags
	store     string // where solutions are saved
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
	f.registerLoad(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "`name` of the deployment, in place of the manifest's")
	flags.StringArrayVarP(&f.values, "values", "f", nil, "`file` (.cue, .yaml, .json, or - for YAML on standard input) with values in the deployment's shape, config: …; later files win")
	flags.StringArrayVar(&f.sets, "set", nil, "one value, config.parameter.`NAME=VALUE`, typed by the artifact; wins over files")
	flags.StringArrayVar(&f.with, "with", nil, "solution `file`, directory with a #Deployment, or directory of either, that values may be taken from ($from); may be given several times")
	flags.BoolVar(&f.strict, "strict", false, "make an error of what looks like a secret and is written in a source, and in kam-style modules of config fields that the artifact does not declare")
	flags.DurationVar(&f.timeout, "timeout", 10*time.Minute, "how `long` one compilation may take; 0 for as long as it takes")
	f.without.register(cmd)
	registerSolutions(cmd, &f.store)
}

func registerSolutions(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "solutions", "solutions", "`directory` in which solutions have been saved")
}

// registerLoad adds only the flags that say what to load.
func (f *inputFlags) registerLoad(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.pkg, "package", "", "`name` of the package in the directory (default: the only one with a #Deployment, else #Artifact)")
	flags.StringArrayVar(&f.modules, "modules", nil, "`directory` that is or holds kam-style modules which the manifest depends on; may be given several times")
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

// input makes the compiler's input of the flags and what an argument names.
func (f *inputFlags) input(s streams, of subject) (compiler.Input, error) {
	in := compiler.Input{Name: f.name, Sets: f.sets, Strict: f.strict, Timeout: f.timeout}
	in.NoPartial, in.NoLean, in.NoStubs, in.NoMemo = f.without.partial, f.without.lean, f.without.stubs, f.without.memo
	if f.others == nil {
		f.others = compiler.NewOthers(f.with)
	}
	in.With = f.others
	in.LoadInput = *of.sources
	for _, name := range f.values {
		v, err := readValuesFile(s, name)
		if err != nil {
			return in, err
		}
		in.Values = append(in.Values, v)
	}
	return in, nil
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
