package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/capacity"
	"kumiki.dev/diag"
	"kumiki.dev/history"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
	pods "kumiki.dev/targets/kubernetes/scheduling"
	"kumiki.dev/targets/swarm"
	tasks "kumiki.dev/targets/swarm/scheduling"
)

// lowering is a target and the forms that its objects are printed in.
type lowering struct {
	lower targets.Target
	// stream writes all objects as one text, as the target's tool reads it.
	stream func(io.Writer, []targets.Object) error
	// json writes the same as JSON.
	json func(io.Writer, []targets.Object) error
	// files are the same as files of a directory, by their names.
	files func([]targets.Object) (map[string][]byte, error)
	// beside are files that the stream refers to, by their names in the directory
	// where the target's tool runs; nil for a stream that holds everything.
	beside func([]targets.Object) map[string][]byte
	// needs are what has to be there before the objects.
	needs func(*solution.Solution, []targets.Object, targets.Options) ([]*targets.Need, error)
	// orchestrator is what runs the objects.
	orchestrator targets.Orchestrator
	// demands and site are what the scheduler looks at: what the objects ask for, with
	// as many instances as there may ever be or as few, and what there is on nodes.
	demands func(s *solution.Solution, made []targets.Object, o targets.Options, grown bool) ([]capacity.Demand, error)
	site    func(live []map[string]any, demands []capacity.Demand) (capacity.Site, error)
}

// lowerings are the targets, by the values of -t.
var lowerings = map[string]lowering{
	"kubernetes": {kubernetes.Lower, kubernetes.Encode, kubernetes.EncodeJSON, kubernetes.Files, nil, kubernetes.Needs, kubernetes.Orchestrator{}, pods.Demands, pods.Site},
	"swarm":      {swarm.Lower, swarm.Encode, swarm.EncodeJSON, swarm.Files, swarm.Beside, swarm.Needs, swarm.Orchestrator{}, tasks.Demands, tasks.Site},
}

// lowerFlags are the flags of every command that makes objects.
type lowerFlags struct {
	options               targets.Options
	target                string
	out, form             string
	objects               []string
	strict, overwrite     bool
	domain, port, volumes []string
	claims, namespaces    []string
	classes, placement    []string
}

func (f *lowerFlags) register(cmd *cobra.Command) {
	f.registerTarget(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "`directory` to write files to, one an object (default: standard output)")
	flags.StringVarP(&f.form, "output", "o", "yaml", "`form`: yaml or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"yaml", "json"}, cobra.ShellCompDirectiveNoFileComp))
	registerOverwrite(cmd, &f.overwrite)
	flags.BoolVar(&f.options.Unfilled, "allow-unfilled", false, "make objects also where values are not known yet (see kumiki fill), with what stands for those: for looking at, not for applying")
	repeatedVar(flags, &f.objects, "object", "", "print only the object `KIND/NAME`; may be given several times")
	if flags.Lookup("strict") == nil {
		registerStrict(cmd, &f.strict)
	}
}

// registerTarget adds only the flags that say what is made.
func (f *lowerFlags) registerTarget(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	registerEnvironment(cmd)
	flags.StringVarP(&f.target, "target", "t", "", "`target`: "+strings.Join(sorting.Ordered(lowerings), ", "))
	flags.StringVarP(&o.Namespace, "namespace", "n", "", "`namespace` of all objects (default: the one that the target's tool is set to)")
	o.Unfilled = true // unless objects are made to be applied
	repeatedVar(flags, &f.namespaces, "namespace-of", "", "the namespace of another solution that links or addresses ($from) lead to, or that links come from, `DEPLOYMENT=NAMESPACE` (default: the same); may be given several times")
	flags.BoolVar(&o.CreateNamespace, "create-namespace", false, "make the namespace that -n names as well, on Kubernetes; it is never removed")
	repeatedVar(flags, &o.APIServers, "api-server", "", "an `address` that Kubernetes' API server is found at, such as 10.0.0.5 or 10.0.0.0/28, for roles with meta.rbac; may be given several times (default: all of them)")
	flags.StringVar(&o.Ingress, "ingress", "ingress", "how traffic is let in on Kubernetes: `ingress` or gateway")
	flags.StringVar(&o.IngressClass, "ingress-class", "", "`class` of Ingresses or Gateways on Kubernetes (default: the cluster's default)")
	flags.StringVar(&o.ResolverImage, "resolver-image", kubernetes.ResolverImage, "`image` that answers for the run-time names of channels on Kubernetes")
	flags.StringVar(&o.Pull, "pull", "", "`when` nodes pull images on Kubernetes: Always, IfNotPresent, Never (default: by digest IfNotPresent, else Always)")
	flags.StringVar(&o.VolatileClass, "volatile-class", "", "storage `class` of volatile volumes on Kubernetes (default: directories of the node)")
	repeatedVar(flags, &f.domain, "domain", "", "the host of a registered domain, `NAME=HOST`; may be given several times")
	repeatedVar(flags, &f.port, "port", "", "the number of a registered port, `NAME=NUMBER`; may be given several times")
	repeatedVar(flags, &f.volumes, "volume", "", "the size of a registered volume, `NAME=SIZE` (10Gi), of which each instance has one; may be given several times")
	repeatedVar(flags, &f.claims, "claim", "", "`NAME` of a registered volume that is a PersistentVolumeClaim of that name, mounted by all instances; may be given several times")
	repeatedVar(flags, &f.classes, "volume-class", "", "the storage class of a registered volume on Kubernetes, `NAME=CLASS` (default: the cluster's default); may be given several times")
	repeatedVar(flags, &f.placement, "placement", "", "a label of the nodes on which the instances of all roles run, `LABEL=VALUE`, or LABEL!=VALUE; with ,soft at its end where that need not be; may be given several times")
	_ = cmd.RegisterFlagCompletionFunc("target", cobra.FixedCompletions(sorting.Ordered(lowerings), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("pull", cobra.FixedCompletions(kubernetes.PullPolicies, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("ingress", cobra.FixedCompletions([]string{"ingress", "gateway"}, cobra.ShellCompDirectiveNoFileComp))
}

// check makes the options of the flags.
func (f *lowerFlags) check() (lowering, error) {
	names := strings.Join(sorting.Ordered(lowerings), ", ")
	t, ok := lowerings[f.target]
	switch {
	case f.target == "":
		return t, fmt.Errorf("which target? Write -t %s", strings.ReplaceAll(names, ", ", " or -t "))
	case !ok:
		return t, fmt.Errorf("-t %s: there is %s", f.target, names)
	case f.options.Ingress != "ingress" && f.options.Ingress != "gateway":
		return t, fmt.Errorf("--ingress %s: there are ingress and gateway", f.options.Ingress)
	case f.out != "" && len(f.objects) > 0:
		return t, errors.New("--out writes all objects: leave --object out")
	case f.form != "" && f.form != "yaml" && f.form != "json":
		return t, checkForm(f.form, "yaml", "json")
	case f.out != "" && f.form == "json":
		return t, errors.New("--out writes files of YAML: leave -o json out, and redirect standard output")
	}
	for _, id := range f.claims {
		if f.options.Claims == nil {
			f.options.Claims = map[string]bool{}
		}
		f.options.Claims[id] = true
	}
	for _, text := range f.placement {
		p, err := readPlacement(text)
		if err != nil {
			return t, err
		}
		f.options.Placement = append(f.options.Placement, p)
	}
	if err := kubernetes.Check(f.options); err != nil {
		return t, err
	}
	return t, errors.Join(
		pairs("--domain", f.domain, &f.options.Domains, kubernetes.Host),
		pairs("--namespace-of", f.namespaces, &f.options.Namespaces, kubernetes.Namespace),
		pairs("--port", f.port, &f.options.Ports, portNumber),
		pairs("--volume", f.volumes, &f.options.Volumes, kubernetes.Size),
		pairs("--volume-class", f.classes, &f.options.Classes, kubernetes.Class),
	)
}

// pairs reads NAME=VALUE flags.
func pairs[T any](flag string, texts []string, into *map[string]T, read func(string) (T, error)) error {
	for _, text := range texts {
		id, value, ok := strings.Cut(text, "=")
		if !ok || id == "" {
			return fmt.Errorf("%s %s: write NAME=VALUE", flag, text)
		}
		v, err := read(value)
		if err != nil {
			return fmt.Errorf("%s %s: %w", flag, text, err)
		}
		if *into == nil {
			*into = map[string]T{}
		}
		(*into)[id] = v
	}
	return nil
}

func portNumber(text string) (int32, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, errors.New("the number of a port is from 1 to 65535")
	}
	return int32(n), nil
}

func newLowerCmd(s streams) *cobra.Command {
	var f lowerFlags
	var store string
	cmd := &cobra.Command{
		Use:   "lower [FILE | saved:NAME | saved: | git:REV:FILE | -]",
		Short: "Turn a solution file into objects of Kubernetes or Docker Swarm",
		Long: `Lower reads a solution, from FILE, from what has been saved, or (-, and without an
argument) from standard input, and writes the objects that run it, in an order in which they can be created. What the target cannot carry is
listed on standard error, one line each, with a code.

Of all that is saved (saved:, or its directory) it writes the objects of each current
solution, after those that it needs; for Swarm, or with --out, into a directory each.

A solution that breaks a rule of the format is refused, and nothing is written.`,
		Example: `  kumiki lower shop.json -t kubernetes | kubectl apply -f -
  kumiki compile prod | kumiki lower -t kubernetes -n prod --out prod-objects
  kumiki lower shop.json -t kubernetes --object Deployment/shop-front`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := f.check()
			if err != nil {
				return err
			}
			in := inputFlags{store: store}
			if arg := given(args, "-"); isStore(arg) {
				if arg == allSaved {
					arg = store
				}
				return runLowerStore(cmd.Context(), s, t, f, history.Open(arg))
			}
			return in.opening(s, func(o *opener) error {
				found, err := o.open(cmd.Context(), given(args, "-"))
				if err != nil {
					return err
				}
				if found.sources != nil {
					return fmt.Errorf("%s is compiled first: kumiki render does both", found.arg)
				}
				if found.solution == nil {
					return fmt.Errorf("%s was deleted: there is nothing to lower", found.arg)
				}
				return runLower(s, t, f, found.solution, found.solution.Secrets())
			})
		},
	}
	f.register(cmd)
	registerSolutions(cmd, &store)
	return cmd
}

// readSolution reads a solution file, - for standard input, and prints what is
// wrong with it.
func readSolution(s streams, file string) (*solution.Solution, error) {
	name, data, err := readText(s, file)
	if err != nil {
		return nil, err
	}
	sol, problems := solution.Read(data, name)
	return sol, printProblems(s.err, problems)
}

// readText reads a file, - for standard input, and says what it is called.
func readText(s streams, file string) (name string, data []byte, err error) {
	if file == "-" {
		name = "stdin"
		data, err = s.stdin(file)
	} else {
		name = file
		data, err = readFile(file)
	}
	s.secrets.texts().JSON(data)
	return name, data, err
}

// readFile is [os.ReadFile] for what may have no end, such as a device.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readSome(f)
}

// readSome reads a byte more than a solution may have, at most.
func readSome(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, solution.MaxSize+1)) }

// runLower makes the objects and writes them, unless there are problems that
// stop it; losses, and what else is known of the solution, do so with --strict.
func runLower(s streams, t lowering, f lowerFlags, sol *solution.Solution, known diag.List) error {
	objects, problems := t.lower(sol, f.options)
	problems = slices.Concat(s.site.check(sol), known, problems, s.site.checkObjects(sol, objects)).Without(sol.Acknowledged)
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	if f.out != "" {
		files, err := t.files(objects)
		if err != nil {
			return err
		}
		return writeFiles(f.out, files, f.overwrite)
	}
	objects, err := choose(objects, f.objects)
	if err != nil {
		return err
	}
	if err := writeBeside(t, objects, f.overwrite); err != nil {
		return err
	}
	if f.form == "json" {
		return t.json(s.raw, objects)
	}
	return t.stream(s.raw, objects)
}

// objects makes the objects of a solution where what the target cannot carry is not the
// question: it is told with --strict only, which makes an error of it.
func (t lowering) objects(s streams, sol *solution.Solution, o targets.Options) ([]targets.Object, error) {
	objects, problems := t.lower(sol, o)
	if problems = strictly(s.err, problems); problems.HasErrors() {
		return nil, printProblems(s.err, problems)
	}
	return objects, nil
}

// choose leaves the objects of the names, KIND/NAME; all for none.
func choose(objects []targets.Object, names []string) ([]targets.Object, error) {
	if len(names) == 0 {
		return objects, nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		o, err := object(objects, name)
		if err != nil {
			return nil, fmt.Errorf("--object %w", err)
		}
		wanted[o.Kind+"/"+o.Name] = true
	}
	return filter.Out(objects, func(o targets.Object) bool { return !wanted[o.Kind+"/"+o.Name] }), nil
}

// object is the one of a name, KIND/NAME; capitals do not count in the kind.
func object(objects []targets.Object, name string) (targets.Object, error) {
	kind, id, _ := strings.Cut(name, "/")
	var all []string
	for _, o := range objects {
		if strings.EqualFold(o.Kind, kind) && o.Name == id {
			return o, nil
		}
		all = append(all, o.Kind+"/"+o.Name)
	}
	return targets.Object{}, noObject(name, all)
}

// noObject is the error that there is no object of a name, KIND/NAME, but those of others.
func noObject(name string, all []string) error {
	if near, ok := diag.Nearest(name, all); ok {
		return fmt.Errorf("%s: there is no such object; did you mean %s?", name, near)
	}
	return fmt.Errorf("%s: there is no such object; the inventory lists all: KIND/NAME", name)
}
