package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/report"
	"kumiki.dev/schema/model"
)

func newExplainCmd(s streams) *cobra.Command {
	var form string
	cmd := &cobra.Command{
		Use:   "explain [CODE | FIELD | TOPIC]",
		Short: "Explain a problem's code, a field of the model, or a topic",
		Long: `Explain says

  CODE   what the code in brackets at the end of a problem means, why there is a
         rule, and what to do, with an example of the problem and of the same
         thing without it; 'kumiki explain codes', and explain alone, list them
  FIELD  what a field of a component, service or deployment takes, what it is
         when nobody says anything, and what an example of it becomes on each
         target: code.image, srv.server.port, config.scale. What comes before,
         and names that the author chooses, can be left out; 'kumiki explain
         fields' lists them
  TOPIC  what there is to know about secrets, defaults, links and the like;
         'kumiki explain topics' lists them

What is several of these is explained as each.`,
		Example: `  kumiki explain spread/conflict
  kumiki explain probe.liveness
  kumiki explain topics`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExplained,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			return runExplain(s, given(args, "codes"), form)
		},
	}
	cmd.Flags().StringVarP(&form, "output", "o", "text", "`form`: text or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// explainable is something that can be explainable.
type explainable struct {
	Kind  string `json:"kind"` // code, part, field or topic
	Name  string `json:"name"`
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	// Fields are those of a part of the model, or of a field.
	Fields []string `json:"fields,omitempty"`
	// Type, Default and Becomes are a field's, the last by target.
	Type    string            `json:"type,omitempty"`
	Default string            `json:"default,omitempty"`
	Becomes map[string]string `json:"becomes,omitempty"`
}

// explainLists are what the words mean that list something.
var explainLists = map[string]func() []explainable{"codes": codes, "fields": fields, "topics": topics}

func codes() []explainable {
	var out []explainable
	for _, code := range report.Codes() {
		e, _ := report.Explain(code)
		out = append(out, explainable{Kind: "code", Name: string(code), Title: e.Title})
	}
	return out
}

func fields() []explainable {
	var out []explainable
	for _, f := range model.All() {
		out = append(out, explainable{Kind: "field", Name: f.Name(), Title: f.Sentence()})
	}
	return out
}

// topics are those of the model, and what is written about the command line.
func topics() []explainable {
	arguments := newArgumentsTopic()
	out := []explainable{{Kind: "topic", Name: arguments.Name(), Title: strings.ToLower(arguments.Short[:1]) + arguments.Short[1:]}}
	for _, t := range model.Topics() {
		out = append(out, explainable{Kind: "topic", Name: t.Name, Title: t.Title})
	}
	return out
}

func runExplain(s streams, arg, form string) error {
	if list := explainLists[arg]; list != nil {
		return writeExplained(s, list(), form)
	}
	arg = strings.Trim(arg, "[]") // as it is copied from a problem
	found, err := explain(s, arg)
	if err != nil {
		return err
	}
	if form == "json" {
		return writeExplained(s, found, form)
	}
	for i, e := range found {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		if _, err := fmt.Fprint(s.out, e.Text); err != nil {
			return err
		}
	}
	return nil
}

// explain finds all that a word means. What it says of a path that is none goes to
// standard error.
func explain(s streams, arg string) ([]explainable, error) {
	if e, ok := report.Explain(diag.Code(arg)); ok {
		return []explainable{{Kind: "code", Name: arg, Title: e.Title, Text: fmt.Sprintf("%s: %s\n\n%s", e.Code, e.Title, e.Plain())}}, nil
	}
	found := partsOf(arg)
	if arg == "arguments" {
		cmd := newArgumentsTopic()
		found = append(found, explainable{Kind: "topic", Name: arg, Title: cmd.Short, Text: cmd.Long + "\n"})
	}
	for _, t := range model.Topics() {
		if t.Name == arg {
			found = append(found, explainable{Kind: "topic", Name: arg, Title: t.Title, Text: t.Plain()})
		}
	}
	if len(found) > 0 && found[0].Kind == "part" {
		return found, nil
	}
	field := model.Find(arg)
	switch {
	case field.Field != nil && field.Beside != "":
		fmt.Fprintf(s.err, "hint: %s has no %s; this one is beside it\n", field.Beside, field.Field.Short())
		fallthrough
	case field.Field != nil:
		found = append([]explainable{fieldOf(field)}, found...)
	case len(field.Others) > 0:
		found = append(found, ambiguous(arg, field.Others)...)
	case len(found) == 0:
		return nil, fmt.Errorf("there is no code, field or topic %q%s", arg, meant(arg, field.Near))
	}
	return found, nil
}

// partsOf is the part of the model of a name.
func partsOf(name string) []explainable {
	for _, p := range model.Pages() {
		if p.Name == name {
			e := explainable{Kind: "part", Name: name, Title: p.Title, Text: p.Plain()}
			for _, f := range p.Fields {
				e.Fields = append(e.Fields, f.Name())
			}
			return []explainable{e}
		}
	}
	return nil
}

func fieldOf(found model.Found) explainable {
	f := found.Field
	e := explainable{Kind: "field", Name: f.Name(), Title: f.Sentence(), Text: f.Plain(), Type: f.Type, Default: f.Default, Becomes: map[string]string{}}
	for _, in := range f.Fields {
		e.Fields = append(e.Fields, in.Name())
	}
	if x := f.Example(); x != nil {
		for _, b := range x.Becomes {
			e.Becomes[b.Target] = b.Text
		}
	}
	if len(found.Others) > 0 {
		e.Text += "\nOthers of that name:\n\n"
		for _, o := range found.Others {
			e.Text += "  " + o.Name() + "\n"
		}
	}
	return e
}

// ambiguous says which fields a path could mean.
func ambiguous(arg string, others []*model.Field) []explainable {
	text := arg + " is a field in several places; say which:\n\n"
	var names []string
	for _, o := range others {
		names = append(names, o.Name())
		text += "  " + o.Name() + "\n"
	}
	return []explainable{{Kind: "part", Name: arg, Title: "a field in several places", Text: text, Fields: names}}
}

// meant proposes what comes near, or the code that ends with the word.
func meant(arg, near string) string {
	words := []string{"codes", "fields", "topics"}
	for _, e := range slices.Concat(codes(), topics()) {
		if _, name, ok := strings.Cut(e.Name, "/"); ok && name == arg {
			return fmt.Sprintf("; did you mean %s?", e.Name)
		}
		words = append(words, e.Name)
	}
	if best, ok := diag.Nearest(arg, words); ok {
		near = best
	}
	if near == "" {
		return "; kumiki explain codes, fields and topics list what there is"
	}
	return fmt.Sprintf("; did you mean %s?", near)
}

func writeExplained(s streams, list []explainable, form string) error {
	if form == "json" {
		text, err := jsondata.Indented(list)
		if err == nil {
			_, err = s.out.Write(text)
		}
		return err
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%s\n", e.Name, e.Title)
	}
	return w.Flush()
}

// completeExplained offers what begins so: codes, topics and fields, each with what it
// is. Of fields it offers the next part.
func completeExplained(_ *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	offer := func(name, title string) {
		if strings.HasPrefix(name, begin) && !filter.Any(out, func(o string) bool { return o == name || strings.HasPrefix(o, name+"\t") }) {
			out = append(out, cobra.CompletionWithDesc(name, title))
		}
	}
	for _, e := range slices.Concat(codes(), topics()) {
		offer(e.Name, e.Title)
	}
	for _, p := range model.Pages() {
		offer(p.Name, p.Title)
	}
	for _, f := range model.All() {
		if short := f.Short(); strings.Count(short, ".") <= strings.Count(begin, ".") {
			offer(short, f.Sentence())
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
