package model

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// TargetName is what a target is called in texts.
func TargetName(target string) string {
	return map[string]string{"kubernetes": "Kubernetes", "swarm": "Docker Swarm"}[target]
}

// Plain is what is known of a field, for a terminal.
func (f *Field) Plain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", f.Name(), f.Takes())
	for _, p := range f.Doc {
		b.WriteByte('\n')
		if p.Code {
			b.WriteString(indent(p.Text + "\n"))
		} else {
			b.WriteString(wrapped(p.Text))
		}
	}
	if len(f.Fields) > 0 {
		b.WriteString("\nFields:\n\n" + listed(f.Fields))
	}
	if to := elsewhere[f.Definition]; to != "" && to != f.Name() {
		b.WriteString("\nIts fields: kumiki explain " + to + "\n")
	}
	if x := f.Example(); x != nil {
		b.WriteString("\n" + x.intro() + "\n")
		for _, file := range x.Files {
			b.WriteString("\n" + indent("// "+file.Name+"\n"+string(file.Data)))
		}
		for _, become := range x.Becomes {
			b.WriteString("\n" + become.intro() + "\n")
			if become.Text != "" {
				b.WriteString("\n" + indent(become.Text))
			}
		}
	}
	return b.String()
}

// Takes is what the field takes, and whether it is needed, in a line.
func (f *Field) Takes() string {
	takes := map[string]string{
		"_": "any value", "by name: struct": "structs by name", "by name: string": "strings by name", "by name: by name: _": "values by role and channel", "by name: list of structs": "lists of structs by name",
	}[f.Type]
	if takes == "" {
		takes = f.Type
	}
	if f.Definition != "" {
		takes += " (" + f.Definition + ")"
	}
	if need := f.Need(); need != "" {
		takes += ", " + need
	}
	return takes
}

// intro says of what an example is.
func (x *Example) intro() string {
	if x.After == "" {
		return "For example:"
	}
	return "For example, beside that of " + x.After + ":"
}

// intro says what follows.
func (b Becomes) intro() string {
	if b.Text == "" {
		return "On " + TargetName(b.Target) + " no object changes."
	}
	return "On " + TargetName(b.Target) + " it changes:"
}

// Plain is what is known of a part of the model, for a terminal.
func (p *Page) Plain() string {
	var b strings.Builder
	b.WriteString(p.Title + "\n")
	for _, text := range p.Doc {
		b.WriteByte('\n')
		if text.Code {
			b.WriteString(indent(text.Text + "\n"))
		} else {
			b.WriteString(wrapped(text.Text))
		}
	}
	b.WriteString("\nFields:\n\n" + listed(p.Fields))
	return b.String()
}

// listed are fields, each with its first sentence.
func listed(fields []*Field) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range fields {
		fmt.Fprintf(w, "  %s\t%s\n", f.Name(), f.Sentence())
	}
	_ = w.Flush() // into memory
	return b.String()
}

// List is all fields, each with its first sentence.
func List() string { return listed(All()) }

// Plain is the topic for a terminal.
func (t Topic) Plain() string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(t.Text) {
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
		case code:
			b.WriteString(indent(line))
		default:
			b.WriteString(line)
		}
	}
	return t.Name + ": " + t.Title + "\n\n" + b.String()
}

// indent is a text four columns to the right.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// wrapped is a paragraph in lines of 80 columns.
func wrapped(text string) string {
	const width = 80
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String() + "\n"
}
