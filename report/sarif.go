package report

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// sourceRoot stands for the directory that names are relative to. Where that
	// is on this machine is left out: the document is the same on every one.
	sourceRoot = "%SRCROOT%"
)

// SARIF writes the problems as a log in the Static Analysis Results Interchange
// Format, version 2.1.0, with a rule for each code that occurs in it. Places
// that are in no file (--set, what comes with kumiki) are told in the messages.
func SARIF(w io.Writer, problems diag.List, o Options) error {
	r := newReporter(o)
	problems = r.listed(r.shown(problems))
	codes := map[diag.Code]bool{}
	for _, d := range problems {
		codes[d.Code] = true
	}
	run := sarifRun{
		Tool:               sarifTool{sarifDriver{Name: "kumiki", Version: o.Version, InformationURI: "https://kumiki.dev", Rules: []sarifRule{}}},
		OriginalURIBaseIDs: map[string]sarifLocation{sourceRoot: {Description: &sarifMessage{Text: "The directory that kumiki was run in."}}},
		ColumnKind:         "unicodeCodePoints",
		Results:            []sarifResult{},
	}
	order := sorting.Ordered(codes)
	for _, code := range order {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule(code))
	}
	for _, d := range problems {
		run.Results = append(run.Results, r.result(d, slices.Index(order, d.Code)))
	}
	return writeJSON(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// rule is what the table of explanations says of a code.
func rule(code diag.Code) sarifRule {
	e, _ := Explain(code)
	return sarifRule{
		ID:               code,
		ShortDescription: sarifMessage{Text: e.Title},
		FullDescription:  sarifMessage{Text: e.Text},
		Help:             sarifMessage{Text: e.Plain(), Markdown: e.Markdown()},
	}
}

func (r *reporter) result(d *diag.Diagnostic, rule int) sarifResult {
	out := sarifResult{RuleID: d.Code, RuleIndex: rule, Level: d.Severity.String()}
	at, inFile := r.physical(d.Pos)
	message := d.Message
	if !inFile {
		message = r.place(d.Pos) + message
	}
	if len(d.At) > 0 {
		at.Logical = []sarifLogical{{strings.Join(d.At, ".")}}
	}
	if at.Physical != nil || at.Logical != nil {
		out.Locations = []sarifPlace{at}
	}
	for _, x := range d.Related {
		p, inFile := r.physical(x.Pos)
		if !inFile {
			message += "\n" + r.place(x.Pos) + x.Message
			continue
		}
		p.Message = &sarifMessage{Text: x.Message}
		out.RelatedLocations = append(out.RelatedLocations, p)
	}
	out.Message.Text = message
	for _, f := range d.Fixes {
		out.Fixes = append(out.Fixes, r.fix(f))
	}
	return out
}

func (r *reporter) physical(pos diag.Pos) (sarifPlace, bool) {
	s, ok := r.span(pos)
	if !ok || s.text == nil {
		return sarifPlace{}, false
	}
	return sarifPlace{Physical: &sarifPhysical{r.location(s), region(s)}}, true
}

// location is a file: relative to the source root below it, else absolute.
func (r *reporter) location(s span) sarifLocation {
	rel, err := filepath.Rel(r.Dir, s.file)
	if err == nil && filepath.IsLocal(rel) {
		u := url.URL{Path: filepath.ToSlash(rel)}
		return sarifLocation{URI: u.String(), URIBaseID: sourceRoot}
	}
	u := url.URL{Path: filepath.ToSlash(s.file)}
	if filepath.IsAbs(s.file) {
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(u.Path, "/")
	}
	return sarifLocation{URI: u.String()}
}

func region(s span) sarifRegion {
	return sarifRegion{s.start.line, s.start.chars, s.end.line, s.end.chars}
}

// fix groups the edits of a fix by file.
func (r *reporter) fix(f diag.Fix) sarifFix {
	out := sarifFix{Description: sarifMessage{Text: f.Title}}
	for _, e := range f.Edits {
		s := r.stretch(e.Pos, e.Len)
		at := r.location(s)
		i := slices.IndexFunc(out.Changes, func(c sarifChange) bool { return c.Artifact == at })
		if i < 0 {
			i = len(out.Changes)
			out.Changes = append(out.Changes, sarifChange{Artifact: at})
		}
		replacement := sarifReplacement{Deleted: region(s)}
		if e.Text != "" {
			replacement.Inserted = &sarifMessage{Text: e.Text}
		}
		out.Changes[i].Replacements = append(out.Changes[i].Replacements, replacement)
	}
	return out
}
