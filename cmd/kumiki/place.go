package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/internal/filter"
)

// formsOf is the annotation of a flag -o that has the forms which a command writes,
// where it does not say so by itself.
const formsOf = "kumiki_forms"

// places gives every command that prints in a form (-o) a place to print to (--out),
// where it has none of its own.
func places(cmd *cobra.Command, o *outputFlags) {
	if flags := cmd.Flags(); flags.Lookup("output") != nil && flags.Lookup("out") == nil {
		flags.StringVar(&o.name, "out", "", "`file` to write to, all or nothing (default: standard output)")
		registerOverwrite(cmd, &o.overwrite)
	}
	for _, c := range cmd.Commands() {
		places(c, o)
	}
}

// placed reads -o FILE as --out FILE, which it was once and is in other tools: a form has
// neither a dot nor a slash.
func placed(cmd *cobra.Command, s streams) error {
	form, out := cmd.Flags().Lookup("output"), cmd.Flags().Lookup("out")
	if form == nil || out == nil || !form.Changed {
		return nil
	}
	text := form.Value.String()
	if text == "-" || strings.ContainsAny(text, `./\`) {
		if out.Changed {
			return fmt.Errorf("-o %s: that is a place, and --out %s is one too: leave one of them out", text, out.Value)
		}
		if err := cmd.Flags().Set("out", text); err != nil {
			return err
		}
		s.hint("hint: -o is a form of output; --out %s is a place\n", text)
		return form.Value.Set(form.DefValue)
	}
	if forms := form.Annotations[formsOf]; forms != nil && !filter.Contains(forms, text) {
		return fmt.Errorf("-o %s: there is %s; --out FILE names a file", text, strings.Join(forms, " and "))
	}
	return nil
}

// printed is the form of what is printed: nothing tells it from other texts.
var printed = form{what: "what would be written"}

// divert makes what is printed go to the file that --out names; end writes it.
func (p *page) divert() {
	if p.place.name != "" && p.place.name != "-" {
		p.kept = &bytes.Buffer{}
		p.w = p.kept
	}
}

// end writes what was diverted, also where the input is wrong: that may be what it says.
func (p *page) end(s streams) error {
	if p.kept == nil || p.kept.Len() == 0 {
		return nil
	}
	return p.place.write(s, printed, nil, p.kept)
}
