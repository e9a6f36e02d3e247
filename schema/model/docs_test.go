package model_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
	"kumiki.dev/schema/model"
)

const referenceHead = `# The reference of the model

Every field that can be written in an artifact or a deployment: what it takes, what it is when nobody says anything, an example, and what that changes in the objects of each target.
` + "`kumiki explain FIELD`" + ` prints the same. The pages are made of the schema's sources and of examples that are compiled and lowered for them (` + "`UPDATE_GOLDEN=1 go test ./schema/model`" + `).
[The model](model.md) has the rules and their reasons.

NAME stands for a name that the author chooses. What is below ` + "`description`" + ` in an artifact is shown without it: ` + "`code.NAME.image.tag` is written `#Artifact: description: code: api: image: tag: …`" + `.

`

const topicsHead = `# Topics

What ` + "`kumiki explain TOPIC`" + ` prints. The examples are those of the [reference](reference.md).

`

// TestPages keeps docs/reference.md, the pages in docs/reference and docs/topics.md equal
// to the model.
func TestPages(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"reference.md": index(), "topics.md": topicsPage()}
	for _, p := range model.Pages() {
		pages["reference/"+p.Name+".md"] = page(p)
	}
	if golden.Update() {
		require.NoError(t, os.MkdirAll("../../docs/reference", 0o755))
		for name, text := range pages {
			require.NoError(t, os.WriteFile(filepath.Join("../../docs", name), []byte(text), 0o644))
		}
	}
	committed, err := filepath.Glob("../../docs/reference/*.md")
	require.NoError(t, err)
	require.Len(t, committed, len(model.Pages()))
	for name, text := range pages {
		data, err := os.ReadFile(filepath.Join("../../docs", name))
		require.NoError(t, err)
		if diff := cmp.Diff(strings.Split(string(data), "\n"), strings.Split(text, "\n")); diff != "" {
			t.Errorf("docs/%s is not what the model makes: run UPDATE_GOLDEN=1 go test ./schema/model (-page +model):\n%s", name, diff)
		}
	}
}

// index lists all pages with their fields, and has the application of the examples.
func index() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, p := range model.Pages() {
		fmt.Fprintf(&b, "## [%s](reference/%s.md)\n\n| field | says |\n|---|---|\n", p.Title, p.Name)
		for _, f := range model.All() {
			if model.PageOf(f) == p && len(f.Path) <= depth(p) {
				fmt.Fprintf(&b, "| [`%s`](reference/%s.md#%s) | %s |\n", f.Name(), p.Name, anchor(f.Name()), cell(f.Sentence()))
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("## The application of the examples\n\nThe examples add files to this module. They have no `package` clause, which is that of the directory, and use the model as `k`. Objects of Kubernetes' are made for namespace shop.\n")
	for _, f := range model.Base() {
		fmt.Fprintf(&b, "\n```cue\n// %s\n%s```\n", f.Name, f.Data)
	}
	return b.String()
}

// depth is how long paths are in the index.
func depth(p *model.Page) int {
	if len(p.Fields[0].Path) > 1 {
		return 3
	}
	return 2
}

func page(p *model.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nPart of the [reference](../reference.md).\n\n", p.Title)
	paragraphs(&b, p.Doc)
	shown := map[*model.Example]string{}
	for _, f := range model.All() {
		if model.PageOf(f) == p {
			section(&b, f, shown)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// section is what the page says of a field. An example is shown once.
func section(b *strings.Builder, f *model.Field, shown map[*model.Example]string) {
	fmt.Fprintf(b, "## %s\n\n%s.\n\n", f.Name(), code(f.Takes()))
	paragraphs(b, f.Doc)
	x := f.Example()
	if x == nil {
		return // TestExamples says so
	}
	if older, ok := shown[x]; ok {
		fmt.Fprintf(b, "The example is that of [%s](#%s).\n\n", older, anchor(older))
		return
	}
	shown[x] = f.Name()
	if x.After != "" {
		fmt.Fprintf(b, "Beside the example of [%s](%s.md#%s):\n\n", x.After, model.PageOf(model.Lookup(x.After)).Name, anchor(x.After))
	}
	b.WriteString(x.Markdown() + "\n")
	for _, become := range x.Becomes {
		if become.Text == "" {
			fmt.Fprintf(b, "%s: no object changes.\n\n", model.TargetName(become.Target))
			continue
		}
		fmt.Fprintf(b, "%s:\n\n```\n%s```\n\n", model.TargetName(become.Target), become.Text)
	}
}

func topicsPage() string {
	var b strings.Builder
	b.WriteString(topicsHead)
	for _, topic := range model.Topics() {
		fmt.Fprintf(&b, "## %s\n\n%s%s.\n\n%s\n", topic.Name, strings.ToUpper(topic.Title[:1]), topic.Title[1:], topic.Text)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func paragraphs(b *strings.Builder, doc []model.Paragraph) {
	for _, p := range doc {
		if p.Code {
			fmt.Fprintf(b, "```cue\n%s\n```\n\n", p.Text)
		} else {
			b.WriteString(escaped(p.Text) + "\n\n")
		}
	}
}

// code is what a field takes, with CUE as code.
func code(takes string) string {
	head, tail, found := strings.Cut(takes, ", ")
	if !found {
		return "`" + head + "`"
	}
	if given, ok := strings.CutPrefix(tail, "default "); ok {
		tail = "default `" + given + "`"
	}
	return "`" + head + "`, " + tail
}

// escaped keeps Markdown from reading names and braces as its own.
func escaped(text string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;").Replace(text)
}

func cell(text string) string { return strings.ReplaceAll(escaped(text), "|", `\|`) }

// anchor is the name that a heading gets.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case slices.Contains([]rune(".$/"), r):
			return -1
		}
		return r
	}, strings.ToLower(heading))
}
