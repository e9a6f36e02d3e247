package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cuelang.org/go/mod/module"
	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/module/registry"
	"kumiki.dev/policy"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// site is the environment that a command works for: [environment.Local] or one that --env
// names. What it says of a target becomes flags, before the command runs.
type site struct {
	*environment.Environment // nil where nothing is known of it
	// policies are those that hold there.
	policies *policy.Set
	// manager is the server that the command goes to in place of a cluster, nil for none.
	manager *manager
}

// registerEnvironment adds the flags that name an environment.
func registerEnvironment(cmd *cobra.Command) {
	flags := cmd.Flags()
	if flags.Lookup("env") != nil {
		return
	}
	flags.String("env", "", "`environment` to work for: the name of a file in --envs, or a FILE.cue (default: local, if there is one of that name)")
	flags.String("envs", "", "`directory` with environments (default: environments at the root of the module)")
	flags.String("policies", "", "`directory` with policies (default: policies at the root of the module)")
	_ = cmd.RegisterFlagCompletionFunc("env", func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return environmentNames(cmd, args), cobra.ShellCompDirectiveDefault
	})
}

// environmentNames are those of the files of environments.
func environmentNames(cmd *cobra.Command, args []string) []string {
	files, _ := filepath.Glob(filepath.Join(environmentsOf(cmd, args), "*.cue"))
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".cue")
	}
	return files
}

// environmentsOf is the directory of the environments for what a command is given, ""
// for none.
func environmentsOf(cmd *cobra.Command, args []string) string {
	if dir := cmd.Flags().Lookup("envs").Value.String(); dir != "" {
		return dir
	}
	return environment.In(directoryOf(args))
}

// directoryOf is the directory that a command is given, else the working directory.
func directoryOf(args []string) string {
	arg := given(args, ".")
	switch info, err := os.Stat(arg); {
	case err == nil && info.IsDir():
		return arg
	case err == nil && isTemplate(arg):
		return filepath.Dir(arg)
	}
	return "."
}

// begin finds the environment, and gives the command the flags that it stands for.
func (e *site) begin(cmd *cobra.Command, s streams, args []string) error {
	flag := cmd.Flags().Lookup("env")
	if flag == nil {
		return nil
	}
	if err := e.find(cmd, s, args, flag.Value.String()); err != nil {
		return err
	}
	if err := e.rules(cmd, s, args); err != nil {
		return err
	}
	if e.Environment != nil {
		if err := e.flags(cmd, s); err != nil {
			return err
		}
	}
	idle(cmd, s)
	return nil
}

// ofKubernetes are the flags that mean nothing on Swarm.
var ofKubernetes = []string{"namespace", "namespace-of", "create-namespace", "api-server", "ingress", "ingress-class", "resolver-image", "pull", "volatile-class", "volume-class"}

// idle says of flags that are given that they mean nothing on the target.
func idle(cmd *cobra.Command, s streams) {
	if target := cmd.Flags().Lookup("target"); target == nil || target.Value.String() != "swarm" {
		return
	}
	for _, name := range ofKubernetes {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			fmt.Fprintf(s.err, "hint: --%s is about Kubernetes, and means nothing on Swarm\n", name)
		}
	}
}

// find finds the environment of a name; "" is [environment.Local], if there is one.
func (e *site) find(cmd *cobra.Command, s streams, args []string, name string) error {
	in := load.Input{Dir: environmentsOf(cmd, args), Texts: s.secrets.texts()}
	switch {
	case strings.HasSuffix(name, ".cue"):
		in.Dir, name = filepath.Dir(name), strings.TrimSuffix(filepath.Base(name), ".cue")
	case name == "" || name == environment.Local:
		if in.Dir == "" || !filter.Contains(environmentNames(cmd, args), environment.Local) {
			return nil // it accepts everything
		}
		name = environment.Local
	}
	found, problems := environment.Find(in, name)
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	e.Environment = found
	return nil
}

// rules finds the policies that hold in the environment.
func (e *site) rules(cmd *cobra.Command, s streams, args []string) error {
	dir := cmd.Flags().Lookup("policies").Value.String()
	if dir == "" {
		dir = policy.In(directoryOf(args))
	}
	if dir == "" {
		return nil
	}
	all, problems := policy.Load(load.Input{Dir: dir, Texts: s.secrets.texts()})
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	e.policies = all.For(e.Environment)
	return nil
}

// flags gives the command the flags that an environment stands for. One that is given
// beside it wins, and is told.
func (e *site) flags(cmd *cobra.Command, s streams) error {
	o := e.Lowering()
	single := map[string]string{
		"target": e.Target, "namespace": o.Namespace, "ingress": o.Ingress, "ingress-class": o.IngressClass,
		"resolver-image": o.ResolverImage, "pull": o.Pull, "volatile-class": o.VolatileClass,
		"create-namespace": map[bool]string{true: "true"}[o.CreateNamespace],
	}
	for _, name := range targets.Keys(single) {
		flag := cmd.Flags().Lookup(name)
		switch {
		case flag == nil || single[name] == "":
		case flag.Changed && flag.Value.String() != single[name]:
			fmt.Fprintf(s.err, "hint: --%s %s wins over %s, which environment %s has\n", name, flag.Value, single[name], e.Name)
		case !flag.Changed:
			if err := flag.Value.Set(single[name]); err != nil {
				return err
			}
		}
	}
	return e.pairs(cmd, s, o)
}

// pairs is [site.flags] for those that are NAME=VALUE.
func (e *site) pairs(cmd *cobra.Command, s streams, o targets.Options) error {
	ports, claims, placement := map[string]string{}, map[string]string{}, map[string]string{}
	for id, number := range o.Ports {
		ports[id] = strconv.Itoa(int(number))
	}
	for id := range o.Claims {
		claims[id] = ""
	}
	servers := map[string]string{}
	for _, address := range o.APIServers {
		servers[address] = ""
	}
	for _, p := range o.Placement {
		placement[placementText(p)] = ""
	}
	many := map[string]map[string]string{
		"domain": o.Domains, "port": ports, "volume": o.Volumes, "volume-class": o.Classes, "namespace-of": o.Namespaces, "claim": claims, "api-server": servers, "placement": placement,
	}
	for _, name := range targets.Keys(many) {
		flag := cmd.Flags().Lookup(name)
		if flag == nil {
			continue
		}
		var have []string
		if flag.Changed {
			have, _ = cmd.Flags().GetStringArray(name)
		}
		for _, id := range targets.Keys(many[name]) {
			value := many[name][id]
			text := strings.TrimSuffix(id+"="+value, "=")
			i := slices.IndexFunc(have, func(x string) bool { return value != "" && strings.HasPrefix(x, id+"=") })
			if i < 0 {
				if err := cmd.Flags().Set(name, text); err != nil {
					return err
				}
			} else if have[i] != text {
				fmt.Fprintf(s.err, "hint: --%s %s wins over %s, which environment %s has\n", name, have[i], value, e.Name)
			}
		}
	}
	return nil
}

// signed makes sources come from a registry that fetches nothing which is not signed with a
// key of the environment, if that has any. The registry is that of --registry.
func (e *site) signed(in *load.Input, from string) error {
	if e == nil || e.Environment == nil || len(e.Keys) == 0 {
		return nil
	}
	keys, err := registry.ParseKeys("environment "+e.Name, e.Keys)
	if err != nil {
		return err
	}
	reg := in.Registry
	if reg == nil {
		if reg, _, err = openRegistry(from); err != nil {
			return err
		}
	}
	if !registry.IsDirectory(from) {
		from = ""
	}
	in.Registry, err = registry.Verified(reg, from, keys)
	return err
}

// verifier verifies modules for environments that have keys, each once.
type verifier struct {
	from string
	mu   sync.Mutex
	done map[string]error
}

// verify reports the first of some modules, each PATH@1.2.3, that is not signed with a key
// of an environment.
func (v *verifier) verify(ctx context.Context, e *environment.Environment, modules []string) error {
	keys, err := registry.ParseKeys("environment "+e.Name, e.Keys)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range modules {
		key := strings.Join(append([]string{m}, e.Keys...), "\x00")
		err, ok := v.done[key]
		if !ok {
			err = v.one(ctx, keys, m)
			v.done[key] = err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) one(ctx context.Context, keys *registry.Keys, name string) error {
	reg, _, err := openRegistry(v.from)
	if err != nil {
		return err
	}
	from := v.from
	if !registry.IsDirectory(from) {
		from = ""
	}
	if reg, err = registry.Verified(reg, from, keys); err != nil {
		return err
	}
	path, version, _ := strings.Cut(name, "@")
	m, err := module.ParseVersion(path + "@v" + strings.TrimPrefix(version, "v"))
	if err != nil {
		return err
	}
	_, err = reg.Fetch(ctx, m)
	return err
}

// options are those for the target, as far as the environment has them.
func (e *site) options() targets.Options {
	if e == nil || e.Environment == nil {
		return targets.Options{}
	}
	return e.Lowering()
}

// check finds what a solution names and the environment does not have, and what breaks
// its policies.
func (e *site) check(s *solution.Solution) (problems diag.List) {
	if e == nil {
		return nil
	}
	if e.Environment != nil {
		problems = e.Check(s)
	}
	return append(problems, e.policies.Solution(s)...)
}

// checkObjects finds what breaks the environment's policies among the objects of a solution.
func (e *site) checkObjects(s *solution.Solution, objects []targets.Object) diag.List {
	if e == nil {
		return nil
	}
	return e.policies.Objects(s, objects)
}

// placementText is a rule as --placement takes it.
func placementText(p targets.NodeHint) string {
	text := p.Label + "=" + p.Value
	if p.Equal != nil && !*p.Equal {
		text = p.Label + "!=" + p.Value
	}
	if p.Soft {
		text += ",soft"
	}
	return text
}

// readPlacement reads LABEL=VALUE, LABEL!=VALUE, and either with ",soft" at its end.
func readPlacement(text string) (targets.NodeHint, error) {
	rule, soft := strings.CutSuffix(text, ",soft")
	label, value, ok := strings.Cut(rule, "=")
	label, not := strings.CutSuffix(label, "!")
	if !ok || label == "" {
		return targets.NodeHint{}, fmt.Errorf("--placement %s: write LABEL=VALUE or LABEL!=VALUE", text)
	}
	equal := !not
	return targets.NodeHint{Label: label, Value: value, Equal: &equal, Soft: soft}, nil
}
