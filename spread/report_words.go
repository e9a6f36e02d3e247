package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// related adds every place where v was declared, other than the diagnostic's.
func related(d *diag.Diagnostic, v cue.Value) *diag.Diagnostic {
	places := positions(v)
	written := slices.DeleteFunc(slices.Clone(places), value.IsModel)
	if len(written) > 0 {
		places = written
	}
	line := func(p diag.Pos) string { return fmt.Sprint(p.Filename(), ":", p.Line()) }
	seen := map[string]bool{line(d.Pos): true}
	for _, p := range places {
		if !seen[line(p)] && !value.IsStandIn(p) { // one place a line is enough to find it
			d.With(p, "declared here")
		}
		seen[line(p)] = true
	}
	return d
}

func fieldNames(v cue.Value) []string {
	var names []string
	if fields, err := v.Fields(cue.Optional(true)); err == nil {
		for fields.Next() {
			if sel := fields.Selector(); sel.LabelType() == cue.StringLabel {
				names = append(names, sel.Unquoted())
			}
		}
	}
	return names
}

// joined writes a path as CUE does: config.parameter.hosts[1].name.
func joined(path []string) string {
	var b strings.Builder
	for i, name := range path {
		if _, ok := value.Index(name); ok {
			b.WriteString(name)
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(label(name))
	}
	return b.String()
}

func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "…"
	}
	return s
}
