package report

import (
	"embed"
	"io/fs"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/lazyregexp"
)

// Entry explains a code.
type Entry struct {
	Code diag.Code
	// Title says in a line what was found.
	Title string
	// Text says what that means, why there is a rule against it and what to do:
	// paragraphs of plain text, with code in backquotes.
	Text string
	// Wrong and Right are an example of the problem, and of the same thing
	// without it. They go with the files of [Base].
	Wrong, Right []Example
}

// Example is a file, or a command line.
type Example struct {
	Lang string // cue, yaml, json or sh
	Text string
}

// Base is the files that examples add to, by name.
//
//go:embed explain/base.txtar
var Base string

// entries holds a file a code, CODE.md: a title, paragraphs, and blocks of code
// that say whether they are wrong or right.
//
//go:embed explain
var entries embed.FS

// Explain returns the entry of a code; false if there is none.
func Explain(code diag.Code) (Entry, bool) {
	text, err := entries.ReadFile("explain/" + string(code) + ".md")
	if err != nil {
		return Entry{Code: code, Title: string(code)}, false
	}
	return parseEntry(code, string(text)), true
}

// Codes are the codes that have an entry, sorted.
func Codes() []diag.Code {
	var out []diag.Code
	err := fs.WalkDir(entries, "explain", func(name string, _ fs.DirEntry, err error) error {
		if code, ok := strings.CutSuffix(name, ".md"); ok {
			out = append(out, diag.Code(strings.TrimPrefix(code, "explain/")))
		}
		return err
	})
	if err != nil {
		panic(err) // what is embedded can be read
	}
	slices.Sort(out)
	return out
}

var block = lazyregexp.New("(?ms)^```(\\w+) (wrong|right)\n(.*?)^```\n")

func parseEntry(code diag.Code, text string) Entry {
	e := Entry{Code: code}
	for _, m := range block().FindAllStringSubmatch(text, -1) {
		x := Example{Lang: m[1], Text: m[3]}
		if m[2] == "wrong" {
			e.Wrong = append(e.Wrong, x)
		} else {
			e.Right = append(e.Right, x)
		}
	}
	title, prose, _ := strings.Cut(block().ReplaceAllString(text, ""), "\n")
	e.Title = strings.TrimPrefix(title, "# ")
	e.Text = strings.TrimSpace(prose)
	return e
}

// Plain is the entry for a terminal: the text, then the examples indented.
func (e Entry) Plain() string {
	return e.Text + "\n" + examples("Wrong", e.Wrong, indented) + examples("Right", e.Right, indented)
}

// Markdown is the entry without its title.
func (e Entry) Markdown() string {
	return e.Text + "\n" + examples("Wrong", e.Wrong, fenced) + examples("Right", e.Right, fenced)
}

func examples(head string, list []Example, show func(Example) string) string {
	var b strings.Builder
	for i, x := range list {
		if i == 0 {
			b.WriteString("\n" + head + ":\n")
		}
		b.WriteString("\n" + show(x))
	}
	return b.String()
}

func fenced(x Example) string { return "```" + x.Lang + "\n" + x.Text + "```\n" }

func indented(x Example) string {
	var b strings.Builder
	for line := range strings.Lines(x.Text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}
