package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
	"kumiki.dev/module/bundle"
	"kumiki.dev/module/catalog"
	"kumiki.dev/solution"
)

// outputFlags say which file a command writes, and whether it may take the place
// of what the command has not written.
type outputFlags struct {
	name      string
	overwrite bool
}

// register adds the flags of a command that writes one form.
func (o *outputFlags) register(cmd *cobra.Command, form, usage string) {
	flags := cmd.Flags()
	flags.StringVar(&o.name, "out", "", usage)
	flags.StringP("output", "o", form, "`form`: "+form)
	_ = flags.SetAnnotation("output", formsOf, []string{form})
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{form}, cobra.ShellCompDirectiveNoFileComp))
	registerOverwrite(cmd, &o.overwrite)
}

func registerOverwrite(cmd *cobra.Command, overwrite *bool) {
	cmd.Flags().BoolVar(overwrite, "overwrite", false, "replace files too that this command would not have written; never one that it reads")
}

// form is what a command writes.
type form struct {
	what string // "a solution"
	// is reports whether data is of that form; nil for a form that people go on
	// writing in, which nothing but the same contents is.
	is func(data []byte) bool
	// whole tells that secrets are in it, for whoever runs it.
	whole bool
}

var errKept = errors.New("nothing was written")

// kept is the error that a file is left as it is.
func kept(text string, args ...any) error {
	return fmt.Errorf("%s; %w", fmt.Sprintf(text, args...), errKept)
}

// write writes to the file that --out names, all or nothing, or to standard output for
// none. A file that the command has read stays, and so does one of another form,
// unless the flags say otherwise.
func (o outputFlags) write(s streams, f form, read []string, data io.WriterTo) error {
	out, mode := s.out, fs.FileMode(0)
	if f.whole {
		out, mode = s.raw, private
	}
	if o.name == "" || o.name == "-" {
		return atomicfile.Copy(out, data)
	}
	if !f.whole {
		var all bytes.Buffer
		if _, err := data.WriteTo(&all); err != nil {
			return err
		}
		data = strings.NewReader(s.secrets.hide(all.String()))
	}
	if err := notRead(o.name, read); err != nil {
		return err
	}
	if o.overwrite {
		return writeParts(o.name, data, mode)
	}
	if f.is == nil { // the data is read twice
		var all bytes.Buffer
		if _, err := data.WriteTo(&all); err != nil {
			return err
		}
		f.is, data = func(old []byte) bool { return bytes.Equal(old, all.Bytes()) }, &all
	}
	if err := f.fits(o.name); err != nil {
		return err
	}
	return writeParts(o.name, data, mode)
}

// notRead refuses a file that is one of those that were read, whatever it is called
// here.
func notRead(name string, read []string) error {
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	for _, other := range read {
		if same, err := os.Stat(other); err == nil && os.SameFile(info, same) {
			return kept("%s is read by this command, and would be lost: name another file", name)
		}
	}
	return nil
}

// fits refuses a file whose contents are not of the form, and not empty.
func (f form) fits(name string) error {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // what stands in the way is told by who writes
	}
	old, err := readFile(name)
	if err != nil || f.is(old) {
		return err
	}
	return kept("%s is not %s: name another file, or say --overwrite", name, f.what)
}

var (
	solutionForm = form{"a solution", func(data []byte) bool { return hasFields(data, "cspec", "deployments") }, true}
	treeForm     = form{"a tree of roles", func(data []byte) bool { return hasFields(data, "name", "up", "meta", "artifact") }, false}
	unifiedForm  = form{"a deployment's own level", func(data []byte) bool { return hasFields(data, "name", "up", "meta", "config") }, false}
	indexForm    = form{"an index of artifacts", func(data []byte) bool {
		var is struct{ Format string }
		return json.Unmarshal(data, &is) == nil && is.Format == catalog.Format
	}, false}
	bundleForm   = form{"a bundle", bundle.Written, true}
	manifestForm = form{what: "what would be written, and may be filled in"}
)

// hasFields reports whether data is a JSON object that has these fields.
func hasFields(data []byte, names ...string) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return false
	}
	for _, name := range names {
		if _, ok := fields[name]; !ok {
			return false
		}
	}
	return true
}

// sources are the files that a program was loaded from.
func sources(p *load.Program) []string {
	if p == nil {
		return nil
	}
	var names []string
	for _, pkg := range p.Packages {
		for _, f := range pkg.Files {
			names = append(names, f.Filename)
		}
	}
	return names
}

// reads are the files that flags name, and what takes part of those that --with
// names, without the solution of the name itself: a newer one may take its place.
func (f *inputFlags) reads(name string) []string {
	names := append([]string{}, f.values...)
	for _, with := range f.with {
		for _, source := range load.Sources(with) {
			if data, err := readFile(source); err == nil {
				if s, _ := solution.Read(data, source); s == nil || s.Ref.Name != name {
					names = append(names, source)
				}
			}
		}
	}
	return names
}

// solutionName is the name of the solution that was made, "" for none.
func solutionName(r *compiler.Result) string {
	if r.Solution == nil {
		return ""
	}
	return r.Solution.Ref.Name
}

// checkForm checks the value of -o against those that there are.
func checkForm(value string, values ...string) error {
	if filter.Contains(values, value) {
		return nil
	}
	return fmt.Errorf("-o %s: there are %s and %s", value, strings.Join(values[:len(values)-1], ", "), values[len(values)-1])
}
