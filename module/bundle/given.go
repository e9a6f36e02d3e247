package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"

	"kumiki.dev/compiler"
	"kumiki.dev/load"
	"kumiki.dev/solution"
	"kumiki.dev/value"
)

// Given is what a deployment is compiled with beside its sources. Files and directories are
// those in the bundle.
type Given struct {
	// Name, Owner, Comment and Role are what the compiler was given, "" for nothing.
	Name    string `json:"name,omitempty"`
	Owner   string `json:"owner,omitempty"`
	Comment string `json:"comment,omitempty"`
	Role    string `json:"role,omitempty"`
	// Values are the files of values, in their order.
	Values []ValuesFile `json:"values,omitempty"`
	// Sets are PATH=VALUE texts.
	Sets []string `json:"sets,omitempty"`
	// Environment is the file with the values that the environment has, "" for none.
	Environment string `json:"environment,omitempty"`
	// Template is what is deployed in place of a deployment, nil for that.
	Template *load.Template `json:"template,omitempty"`
	// TemplateValues is the file with the values that the template gives the environment, ""
	// for none.
	TemplateValues string `json:"templateValues,omitempty"`
	// Called are the names that deployments which the manifest names have in the environment.
	Called map[string]string `json:"called,omitempty"`
	// Labels are those that the solution's objects get of the environment.
	Labels map[string]string `json:"labels,omitempty"`
	// Links are directories of links.
	Links []string `json:"links,omitempty"`
	// Others are the deployments that something was taken from.
	Others []Other `json:"others,omitempty"`
}

// ValuesFile is a file of values.
type ValuesFile struct {
	// Name is what it was called, without its directory; its ending tells the format.
	Name string `json:"name"`
	File string `json:"file"`
}

// Other is a deployment that something was taken from, or that had to be there.
type Other struct {
	// Name is the deployment's, Up what it hangs from, "" for nothing.
	Name string `json:"name"`
	Up   string `json:"up,omitempty"`
	// File is its solution; "" where it only had to be there.
	File string `json:"file,omitempty"`
}

// files are the names of the files that what is given consists of.
func (g *Given) files() []string {
	var out []string
	for _, v := range g.Values {
		out = append(out, v.File)
	}
	for _, file := range []string{g.Environment, g.TemplateValues} {
		if file != "" {
			out = append(out, file)
		}
	}
	for _, o := range g.Others {
		if o.File != "" {
			out = append(out, o.File)
		}
	}
	return out
}

// check refuses what names files or directories that are not in the bundle.
func (g *Given) check(files map[string][]byte) error {
	if g == nil {
		return nil
	}
	for _, name := range g.files() {
		if _, ok := files[name]; !ok {
			return fmt.Errorf("%s: %q is given, and is not in the bundle", contentsFile, name)
		}
	}
	for _, dir := range g.Links {
		if !fs.ValidPath(dir) || dir == "." {
			return fmt.Errorf("%s: %q is no directory of the bundle", contentsFile, dir)
		}
	}
	return nil
}

// give takes what is given beside the sources.
func (p *packer) give(in compiler.Input, r *recorder) error {
	g := &Given{Name: in.Name, Owner: in.Owner, Comment: in.Comment, Role: in.Role, Labels: in.Labels, Template: in.Template, Called: in.Called}
	for i, v := range in.Values {
		name := filepath.Base(v.Name)
		g.Values = append(g.Values, ValuesFile{name, p.add(strconv.Itoa(i)+path.Ext(name), v.Data)})
	}
	var err error
	if g.Sets, err = load.PlainSets(in.Sets, setFiles(in)); err != nil {
		return err
	}
	if in.Environment != nil {
		g.Environment = p.add("environment.json", append(in.Environment.AppendJSON(nil), '\n'))
	}
	if in.Given != nil {
		g.TemplateValues = p.add("template.json", append(in.Given.AppendJSON(nil), '\n'))
	}
	for i, dir := range in.Links {
		at, err := p.links(dir, path.Join(linksDir, strconv.Itoa(i)), r)
		if err != nil {
			return err
		}
		if at != "" {
			g.Links = append(g.Links, at)
		}
	}
	for i, used := range in.With.Used() {
		o := Other{Name: used.Name, Up: used.Up}
		if used.Solution != nil {
			encoded, err := used.Solution.Encode()
			if err != nil {
				return err
			}
			o.File = p.add("solution"+strconv.Itoa(i)+".json", encoded.Bytes())
		}
		g.Others = append(g.Others, o)
	}
	if text, err := json.Marshal(g); err != nil || string(text) != "{}" {
		p.Given = g
	}
	return nil
}

// add adds a file that is given.
func (p *packer) add(name string, data []byte) string {
	name = path.Join(givenDir, name)
	p.files[name] = data
	return name
}

func setFiles(in compiler.Input) string {
	if in.SetFiles != "" {
		return in.SetFiles
	}
	return in.Dir
}

// links takes the links in a directory, and all that takes part in them. It returns where
// they are in the bundle, "" for no links.
func (p *packer) links(dir, to string, r *recorder) (string, error) {
	in := p.in
	in.Dir, in.Package, in.Registry = dir, "", r
	_, program, problems := load.LinkSources(in)
	if problems.HasErrors() {
		return "", problems.Sorted()[0]
	}
	if program == nil {
		return "", nil
	}
	t := p.tree
	if !below(program.Dir, t.base) {
		t = treeOf(program, to, r)
	}
	if err := p.sources(program, t, r); err != nil {
		return "", err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return t.name(abs)
}

// input adds what is given to the compiler's input.
func (g *Given) input(in *compiler.Input, root string, files map[string][]byte) error {
	if g == nil {
		return nil
	}
	in.Name, in.Owner, in.Comment, in.Role, in.Sets = g.Name, g.Owner, g.Comment, g.Role, g.Sets
	in.Labels, in.Template, in.Called = g.Labels, g.Template, g.Called
	if g.Template != nil {
		in.Package = "" // it is in a file, and the file in a package of its own
	}
	for _, v := range g.Values {
		in.Values = append(in.Values, load.ValuesFile{Name: v.Name, Data: files[v.File]})
	}
	for file, into := range map[string]**value.Data{g.Environment: &in.Environment, g.TemplateValues: &in.Given} {
		if file == "" {
			continue
		}
		*into = &value.Data{}
		if err := json.Unmarshal(files[file], *into); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, dir := range g.Links {
		in.Links = append(in.Links, filepath.Join(root, filepath.FromSlash(dir)))
	}
	in.With = compiler.NewOthers(nil)
	in.With.Kept = func() ([]compiler.Kept, error) { return g.kept(files) }
	return nil
}

// kept are the other deployments.
func (g *Given) kept(files map[string][]byte) ([]compiler.Kept, error) {
	var out []compiler.Kept
	for _, o := range g.Others {
		if o.File == "" {
			out = append(out, compiler.Kept{Top: o.Name, Up: o.Up, Deployments: []string{o.Name}, Read: func() (*solution.Solution, error) {
				return nil, errors.New("of deployment " + o.Name + " the bundle knows nothing but that it is there")
			}})
			continue
		}
		sol, problems := solution.Read(files[o.File], o.File)
		if problems.HasErrors() {
			return nil, fmt.Errorf("%s: %w", o.File, problems.Sorted()[0])
		}
		k := compiler.Kept{Top: sol.Top, Read: func() (*solution.Solution, error) { return sol, nil }}
		if up := sol.Deployments[sol.Top].Up; up != nil {
			k.Up = *up
		}
		for name := range sol.Deployments {
			k.Deployments = append(k.Deployments, name)
		}
		out = append(out, k)
	}
	return out, nil
}
