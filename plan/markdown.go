package plan

import (
	"fmt"
	"strings"

	"kumiki.dev/diag"
)

// Markdown is the plan for a comment on a change: a table, with everything else
// folded away.
func (p *Plan) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s → %s\n\n%s\n", escape(p.Old.name()), escape(p.New.name()), p.summary())
	if len(p.Restarts) > 0 {
		fmt.Fprintf(&b, "\nRestarts: %s\n", code(p.Restarts...))
	}
	if p.Count(Unchanged) < len(p.Entries) {
		b.WriteString("\n| what happens | to | because |\n|---|---|---|\n")
	}
	for _, e := range p.Entries {
		if e.Class == Unchanged {
			continue
		}
		class := string(e.Class)
		if e.Class == DataLoss {
			class = "**" + class + "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", class, code(e.String()), escape(e.what()))
	}
	for _, d := range p.Dangling {
		fmt.Fprintf(&b, "\n- **still named**: %s", escape(d.String()))
	}
	for _, one := range p.Stale {
		fmt.Fprintf(&b, "\n- **stale**: %s", escape(one.String()))
	}
	if len(p.Dangling)+len(p.Stale) > 0 {
		b.WriteString("\n")
	}
	p.fields(&b)
	if p.Target != nil {
		p.Target.markdown(&b)
	}
	return b.String()
}

// fields lists all that differs.
func (p *Plan) fields(b *strings.Builder) {
	open := false
	for _, e := range p.Entries {
		for _, c := range e.Changes {
			if !open {
				b.WriteString("\n<details><summary>Fields</summary>\n\n| of | field | from | to |\n|---|---|---|---|\n")
				open = true
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code(e.String()), escape(c.Path), escape(short(c.From)), escape(short(c.To)))
		}
	}
	if open {
		b.WriteString("\n</details>\n")
	}
}

func (t *Target) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n<details><summary>%s: %s</summary>\n\n", escape(t.Name), t.summary())
	for _, o := range t.Objects {
		fmt.Fprintf(b, "- %s %s", o.Action, code(o.String()))
		if o.Restarts {
			b.WriteString(", restarts")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n</details>\n")
}

// code are words as they are, in so far as a table can hold them.
func code(words ...string) string {
	spans := make([]string, len(words))
	for i, word := range words {
		spans[i] = "`" + strings.NewReplacer("`", "'", "|", "\\|").Replace(diag.Printable(word)) + "`"
	}
	return strings.Join(spans, ", ")
}

// escape keeps text from being taken for Markdown.
func escape(text string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", ">", "&gt;", "[", "\\[").Replace(diag.Printable(text))
}
