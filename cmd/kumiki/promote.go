package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/load"
	"kumiki.dev/matrix"
)

// promoteFlags are the flags of promote.
type promoteFlags struct {
	in       inputFlags
	plan     planFlags
	from, to string
	paths    []string
	write    bool
}

func newPromoteCmd(s streams) *cobra.Command {
	var f promoteFlags
	cmd := &cobra.Command{
		Use:   "promote TEMPLATE...",
		Short: "Bring what one wave of environments has to the next one",
		Long: `Promote brings the version that a wave of a template deploys to the next wave: it
changes the artifact of that wave in templates/TEMPLATE.cue, and nothing else. It prints
the change of the file and the plan of what it does where, and changes no file; with
--write it then does, or changes none if anything is wrong.

The wave is the first that has another artifact than the next one, or that of --from.
With --config it brings values of config in place of the artifact.

Comments and layout of a file stay. Where it cannot be edited for certain, because an
artifact or the waves are an expression, promote says what to write.`,
		Example: `  kumiki promote api
  kumiki promote api --write
  kumiki promote api web --from canary --to rest -o markdown
  kumiki promote api --config config.parameter.who`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(f.plan.form, planForms...); err != nil {
				return err
			}
			return f.run(cmd.Context(), s, args)
		},
	}
	f.in.registerLoad(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "`wave` that has what is brought (default: the first that differs from the next one)")
	flags.StringVar(&f.to, "to", "", "`wave` that gets it (default: the one after --from)")
	repeatedVar(flags, &f.paths, "config", "", "`path` of a value to bring in place of the artifact, config.parameter.NAME; may be given several times")
	flags.BoolVar(&f.write, "write", false, "change the files")
	flags.StringVarP(&f.plan.form, "output", "o", "text", "`form` of the plan: text, json or markdown")
	flags.BoolVar(&f.plan.details, "details", false, "show the fields behind each line")
	repeatedVar(flags, &f.plan.allowed.Data, "allow-data-loss", "", "`path` of data that may be lost: DEPLOYMENT, DEPLOYMENT/ROLE or DEPLOYMENT/ROLE/VOLUME; may be given several times")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(planForms, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// promoted is a file before and after.
type promoted struct {
	name     string // as messages call it
	old, new []byte
	environment.Promotion
}

func (f *promoteFlags) run(ctx context.Context, s streams, names []string) error {
	root := load.Root(".")
	if root == "" {
		return errors.New("the working directory lies in no module, whose templates would be promoted")
	}
	loading, err := f.in.load(root)
	if err != nil {
		return err
	}
	loading.Texts = s.secrets.texts()
	old, problems, err := f.in.treeInput(s, root, "", loading)
	if err != nil {
		return err
	}
	if missing := old.Tree.Missing(""); missing != "" {
		return missingDirectory(missing)
	}
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	files, err := f.files(s, old.Tree, names)
	if err != nil || files == nil {
		return err
	}
	loading.Overlay = map[string][]byte{}
	for _, file := range files {
		abs, err := filepath.Abs(file.name)
		if err != nil {
			return err
		}
		loading.Overlay[abs] = file.new
	}
	new, problems, err := f.in.treeInput(s, root, "", loading)
	if err != nil {
		return err
	}
	if err := errors.Join(printProblems(s.err, problems), f.asMeant(s, old, new, files)); err != nil {
		return err
	}
	if err := f.show(ctx, s, old, new, files); err != nil {
		return err
	}
	if !f.write {
		fmt.Fprintln(s.err, "no file was changed: --write changes them")
		return nil
	}
	return write(s, files)
}

// files are those that change, each with what it is to be; nil if nothing is to be done.
func (f *promoteFlags) files(s streams, tree *environment.Tree, names []string) ([]promoted, error) {
	var files []promoted
	wrong := false
	for _, name := range names {
		t, err := templateCalled(tree, name)
		if err != nil {
			return nil, err
		}
		p, why, err := f.promotion(t)
		if err != nil {
			return nil, err
		}
		if why != "" {
			fmt.Fprintln(s.err, why)
			continue
		}
		file := promoted{name: filepath.Join(tree.Dir, environment.Templates, t.Name+".cue"), Promotion: p}
		if file.old, err = os.ReadFile(file.name); err != nil {
			return nil, err
		}
		if file.new, err = p.Edit(filepath.ToSlash(file.name), file.old); err != nil {
			fmt.Fprintln(s.err, err)
			wrong = true
		}
		files = append(files, file)
	}
	if wrong {
		return nil, errWrong
	}
	return files, nil
}

// templateCalled finds a template.
func templateCalled(tree *environment.Tree, name string) (*environment.Template, error) {
	var names []string
	for _, t := range tree.Templates {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	if near, ok := diag.Nearest(name, names); ok {
		return nil, fmt.Errorf("there is no template %s; did you mean %s?", name, near)
	}
	return nil, fmt.Errorf("there is no template %s; there are %s", name, strings.Join(names, ", "))
}

// promotion says what is brought from where; or why nothing is.
func (f *promoteFlags) promotion(t *environment.Template) (environment.Promotion, string, error) {
	p := environment.Promotion{Template: t, Paths: f.paths}
	if len(t.Waves) == 0 {
		return p, "", fmt.Errorf("template %s has no waves: what is promoted goes from one to the next; see docs/environments.md", t.Name)
	}
	if len(t.Waves) == 1 {
		return p, "", fmt.Errorf("template %s has one wave: what is promoted goes from one to the next; see docs/environments.md", t.Name)
	}
	for _, path := range f.paths {
		if !strings.HasPrefix(path, "config.") || strings.HasSuffix(path, ".") {
			return p, "", fmt.Errorf("--config %s: write a path as config.parameter.NAME", path)
		}
	}
	at := slices.IndexFunc(t.Waves, func(w *environment.Wave) bool { return w.Name == f.from })
	for i := 0; f.from == "" && i+1 < len(t.Waves) && at < 0; i++ {
		if p.From, p.To = t.Waves[i], t.Waves[i+1]; p.Differs() {
			at = i
		}
	}
	switch {
	case at < 0 && f.from != "":
		return p, "", fmt.Errorf("--from %s: template %s has the waves %s", f.from, t.Name, strings.Join(wavesOf(t), ", "))
	case at < 0 && len(f.paths) > 0:
		return p, fmt.Sprintf("template %s: no wave has another value at %s than the next one", t.Name, strings.Join(f.paths, ", ")), nil
	case at < 0:
		return p, fmt.Sprintf("template %s: all waves have %s; nothing is to be brought on%s", t.Name, t.ArtifactOf(t.Waves[0]), otherValues(t)), nil
	}
	p.From = t.Waves[at]
	to := at + 1
	if f.to != "" {
		to = slices.IndexFunc(t.Waves, func(w *environment.Wave) bool { return w.Name == f.to })
	}
	if to < 0 || to >= len(t.Waves) || to == at {
		return p, "", fmt.Errorf("there is no wave to bring it to: template %s has the waves %s; name another one with --to", t.Name, strings.Join(wavesOf(t), ", "))
	}
	if p.To = t.Waves[to]; !p.Differs() {
		return p, fmt.Sprintf("template %s: waves %s and %s have the same; nothing is to be brought on", t.Name, p.From.Name, p.To.Name), nil
	}
	if a := t.ArtifactOf(p.From); len(f.paths) == 0 && a.Text == "" {
		return p, "", fmt.Errorf("template %s imports %s, which has one version in all waves: publish it, and write artifact: \"MODULE/PACKAGE@v1.2.3\" into the template and its waves", t.Name, a.Import)
	}
	return p, "", nil
}

// otherValues says that waves differ in values, "" if they do not.
func otherValues(t *environment.Template) string {
	for i := 1; i < len(t.Waves); i++ {
		if path := t.Waves[i-1].Differs(t.Waves[i]); path != "" {
			return fmt.Sprintf("; %s of waves %s and %s differs, --config %[1]s brings that", path, t.Waves[i-1].Name, t.Waves[i].Name)
		}
	}
	return ""
}

func wavesOf(t *environment.Template) (names []string) {
	for _, w := range t.Waves {
		names = append(names, w.Name)
	}
	return names
}

// asMeant refuses an edit after which the templates would say anything else than what is
// promoted: something else in the module may have a say.
func (f *promoteFlags) asMeant(s streams, old, new *matrix.Input, files []promoted) error {
	for _, c := range new.Placement.Cells {
		was := old.Placement.Cell(c.Template.Name, c.Environment.Name)
		i := slices.IndexFunc(files, func(file promoted) bool { return file.Template.Name == c.Template.Name })
		here := was != nil && i >= 0 && was.Wave != nil && was.Wave.Name == files[i].To.Name
		if was == nil || !here && (was.Artifact.String() != c.Artifact.String() || was.Config.JSON() != c.Config.JSON()) ||
			here && len(f.paths) == 0 && c.Artifact.String() != files[i].Template.ArtifactOf(files[i].From).String() {
			name := c.Template.Name
			fmt.Fprintf(s.err, "%s would not be what is meant in environment %s after the edit of its wave: other files have a say in it; edit %s.cue yourself\n", name, c.Environment.Name, name)
			return errWrong
		}
	}
	if len(old.Placement.Cells) != len(new.Placement.Cells) {
		fmt.Fprintln(s.err, "the edit would take templates out of environments: edit the file yourself")
		return errWrong
	}
	return nil
}

// show prints the changes of files, and what they do.
func (f *promoteFlags) show(ctx context.Context, s streams, old, new *matrix.Input, files []promoted) error {
	for _, file := range files {
		what := file.Template.ArtifactOf(file.From).String()
		if len(f.paths) > 0 {
			what = strings.Join(f.paths, ", ")
		}
		fmt.Fprintf(s.err, "template %s: %s goes from wave %s to wave %s\n", file.Template.Name, what, file.From.Name, file.To.Name)
		if f.plan.form == "json" {
			continue
		}
		text := diff.Diff(filepath.ToSlash(file.name), file.old, filepath.ToSlash(file.name), file.new)
		if f.plan.form == "markdown" {
			text = slices.Concat([]byte("```diff\n"), text, []byte("```\n\n"))
		} else {
			text = append(text, '\n')
		}
		if _, err := s.out.Write(text); err != nil {
			return err
		}
	}
	m, changes, err := matrix.Between(ctx, *old, *new)
	if err != nil {
		return err
	}
	if err := f.plan.printTrees(s, m, changes); err != nil {
		return err
	}
	return printProblems(s.err, append(cellProblems(s, m), f.plan.guarded(m)...))
}

// write writes the files: all of them, or none.
func write(s streams, files []promoted) error {
	for _, file := range files {
		if now, err := os.ReadFile(file.name); err != nil || !bytes.Equal(now, file.old) {
			return fmt.Errorf("%s has changed meanwhile: nothing was written; run it again", file.name)
		}
	}
	for i, file := range files {
		err := overwrite(file.name, file.new)
		for n := i - 1; err != nil && n >= 0; n-- {
			err = errors.Join(err, overwrite(files[n].name, files[n].old)) // as it was
		}
		if err != nil {
			return err
		}
	}
	for _, file := range files {
		fmt.Fprintf(s.err, "%s was changed\n", filepath.ToSlash(file.name))
	}
	return nil
}

// overwrite puts a text in place of that of a file, all or nothing.
func overwrite(name string, text []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	return atomicfile.Write(name, bytes.NewReader(text), atomicfile.Options{Mode: mode, Sync: true})
}
