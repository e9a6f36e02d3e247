package model

import (
	"io/fs"
	"path"
	"strings"
)

// Topic is something to know that is no field and no problem.
type Topic struct {
	// Name is the word that kumiki explain takes, Title what it is about.
	Name, Title string
	// Text is in Markdown, with the examples of fields in it.
	Text string
}

// Topics are all, by their names.
func Topics() []Topic {
	files, err := fs.Glob(own, "topics/*.md")
	must(err)
	var out []Topic
	for _, file := range files {
		data, err := own.ReadFile(file)
		must(err)
		title, text, _ := strings.Cut(string(data), "\n")
		t := Topic{Name: strings.TrimSuffix(path.Base(file), ".md"), Title: strings.TrimPrefix(title, "# ")}
		for line := range strings.Lines(strings.TrimPrefix(text, "\n")) {
			if field, ok := strings.CutPrefix(strings.TrimSpace(line), "EXAMPLE "); ok {
				line = Lookup(field).Example().Markdown()
			}
			t.Text += line
		}
		out = append(out, t)
	}
	return out
}

// Markdown is what an example writes, as blocks of code.
func (x *Example) Markdown() string {
	var b strings.Builder
	for i, f := range x.Files {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("```cue\n// " + f.Name + "\n" + string(f.Data) + "```\n")
	}
	return b.String()
}
