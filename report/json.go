package report

import (
	"io"

	"kumiki.dev/diag"
	"kumiki.dev/internal/jsondata"
)

// jsonVersion is that of the document's shape. Keys may be added under the same
// version; one that goes or changes its meaning makes a new one.
const jsonVersion = 1

// The document that [JSON] writes. Lists are always there, [] for nothing.
type (
	jsonDocument struct {
		Version     int              `json:"version"` // of this shape: 1
		Diagnostics []jsonDiagnostic `json:"diagnostics"`
		Summary     jsonSummary      `json:"summary"`
	}
	jsonDiagnostic struct {
		Code         diag.Code        `json:"code"`             // as docs/errors.md lists it
		Severity     string           `json:"severity"`         // error or warning
		Message      string           `json:"message"`          // one line, without place and code
		Detail       string           `json:"detail,omitempty"` // of code internal: where kumiki failed
		jsonPlace                     // absent for a problem that is in no file
		Path         []string         `json:"path"`         // of the value, outermost first
		Related      []jsonRelated    `json:"related"`      // other places that take part
		Fixes        []jsonFix        `json:"fixes"`        // each mends the problem for certain
		Consequences []jsonDiagnostic `json:"consequences"` // what goes when this one is mended
	}
	jsonPlace struct {
		File  string     `json:"file,omitempty"` // relative to the working directory where it lies near it
		Range *jsonRange `json:"range,omitempty"`
	}
	// End is the first place behind the word or literal, and the same as start
	// where the file could not be read.
	jsonRange struct {
		Start jsonPoint `json:"start"`
		End   jsonPoint `json:"end"`
	}
	jsonPoint struct {
		Line   int  `json:"line"`             // from 1
		Column int  `json:"column"`           // from 1, in bytes
		Offset *int `json:"offset,omitempty"` // from 0, in bytes; absent where the file could not be read
	}
	jsonRelated struct {
		Message string `json:"message"`
		jsonPlace
	}
	jsonFix struct {
		Title string     `json:"title"`
		Edits []jsonEdit `json:"edits"`
	}
	jsonEdit struct {
		jsonPlace        // what is replaced
		Text      string `json:"text"`
	}
	// Consequences are not counted.
	jsonSummary struct {
		Errors   int `json:"errors"`
		Warnings int `json:"warnings"`
	}
)

// JSON writes the problems as one document for programs:
//
//	{
//	  "version": 1,
//	  "diagnostics": [{
//	    "code": "spread/undeclared-field",
//	    "severity": "error",
//	    "message": "config.parameter.regoin is not a field of …",
//	    "file": "deploy/d.cue",
//	    "range": {"start": {"line": 10, "column": 4, "offset": 152}, "end": {…}},
//	    "path": ["config", "parameter", "regoin"],
//	    "related": [{"message": "…", "file": "…", "range": {…}}],
//	    "fixes": [{"title": "…", "edits": [{"file": "…", "range": {…}, "text": "region"}]}],
//	    "consequences": [{…}]
//	  }],
//	  "summary": {"errors": 1, "warnings": 0}
//	}
func JSON(w io.Writer, problems diag.List, o Options) error {
	r := newReporter(o)
	errors, warnings := tally(problems)
	return writeJSON(w, jsonDocument{
		Version:     jsonVersion,
		Diagnostics: r.jsonList(r.shown(problems)),
		Summary:     jsonSummary{errors, warnings},
	})
}

func (r *reporter) jsonList(problems diag.List) []jsonDiagnostic {
	out := []jsonDiagnostic{}
	for _, d := range problems {
		j := jsonDiagnostic{
			Code:         d.Code,
			Severity:     d.Severity.String(),
			Message:      d.Message,
			jsonPlace:    r.jsonPlace(d.Pos),
			Path:         append([]string{}, d.At...),
			Related:      []jsonRelated{},
			Fixes:        []jsonFix{},
			Consequences: r.jsonList(d.Consequences),
		}
		if d.Code == diag.Internal && d.Cause != nil {
			j.Detail = d.Cause.Error()
		}
		for _, x := range d.Related {
			j.Related = append(j.Related, jsonRelated{x.Message, r.jsonPlace(x.Pos)})
		}
		for _, f := range d.Fixes {
			fix := jsonFix{Title: f.Title, Edits: []jsonEdit{}}
			for _, e := range f.Edits {
				fix.Edits = append(fix.Edits, jsonEdit{placeOf(r.stretch(e.Pos, e.Len)), e.Text})
			}
			j.Fixes = append(j.Fixes, fix)
		}
		out = append(out, j)
	}
	return out
}

func (r *reporter) jsonPlace(pos diag.Pos) jsonPlace {
	s, ok := r.span(pos)
	if !ok {
		return jsonPlace{}
	}
	return placeOf(s)
}

func placeOf(s span) jsonPlace {
	at := func(p point) jsonPoint {
		out := jsonPoint{Line: p.line, Column: p.column}
		if s.text != nil {
			out.Offset = &p.offset
		}
		return out
	}
	return jsonPlace{File: s.name, Range: &jsonRange{at(s.start), at(s.end)}}
}

func writeJSON(w io.Writer, v any) error {
	text, err := jsondata.Indented(v)
	if err != nil {
		return err
	}
	return write(w, string(text))
}
