package moduletest

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/report"
)

// Text writes one line a case, what is wrong with it below, and a summary.
func (r *Result) Text(w io.Writer, o report.Options) error {
	var b bytes.Buffer
	for _, c := range r.Cases {
		fmt.Fprintf(&b, "%-4s  %s%s\n", verdict(c), c.Dir, note(c))
		if err := report.Text(&b, c.Problems, o); err != nil {
			return err
		}
	}
	fmt.Fprintln(&b, r.summary())
	for _, f := range r.Coverage.Unexercised {
		fmt.Fprintf(&b, "  no case gives %s of %s\n", f.Path, f.Package)
	}
	for _, f := range r.Coverage.Untaken {
		fmt.Fprintf(&b, "  no case takes if %s: %s\n", f.Condition, placeOf(f, o))
	}
	for _, f := range r.Coverage.Always {
		fmt.Fprintf(&b, "  no case passes by if %s: %s\n", f.Condition, placeOf(f, o))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// placeOf is where a branch is, the same on every machine.
func placeOf(b Branch, o report.Options) string {
	return strings.TrimSuffix(o.Place(b.Pos), ": ")
}

func verdict(c *Case) string {
	if c.Passed() {
		return "ok"
	}
	return "FAIL"
}

func note(c *Case) string {
	if c.Updated {
		return " (" + goldenFile + " written)"
	}
	return ""
}

func (r *Result) summary() string {
	c := r.Coverage
	s := fmt.Sprintf("%d of %d cases passed", len(r.Cases)-r.Failed(), len(r.Cases))
	if c.Fields > 0 {
		s += fmt.Sprintf("; %d of %d config fields are exercised (%d%%)", c.Exercised, c.Fields, 100*c.Exercised/c.Fields)
	}
	if c.Branches > 0 {
		s += fmt.Sprintf("; %d of %d branches are taken (%d%%)", c.Taken, c.Branches, 100*c.Taken/c.Branches)
	}
	return s
}

// caseJSON and its like are the form of the result for programs.
type caseJSON struct {
	Dir      string          `json:"dir"`
	Passed   bool            `json:"passed"`
	Updated  bool            `json:"updated,omitempty"`
	Problems json.RawMessage `json:"problems"`
}

type fieldJSON struct {
	Package string `json:"package"`
	Path    string `json:"path"`
}

type branchJSON struct {
	Package   string `json:"package"`
	Place     string `json:"place"`
	Condition string `json:"condition"`
}

type coverageJSON struct {
	Fields      int          `json:"fields"`
	Exercised   int          `json:"exercised"`
	Unexercised []fieldJSON  `json:"unexercised"`
	Branches    int          `json:"branches"`
	Taken       int          `json:"taken"`
	Untaken     []branchJSON `json:"untaken"`
	Always      []branchJSON `json:"always"`
}

type resultJSON struct {
	Module   string       `json:"module"`
	Passed   bool         `json:"passed"`
	Cases    []caseJSON   `json:"cases"`
	Coverage coverageJSON `json:"coverage"`
}

// JSON writes the result for programs; problems have the form of vet -o json.
func (r *Result) JSON(w io.Writer, o report.Options) error {
	out := resultJSON{Module: r.Module, Passed: r.Failed() == 0, Cases: []caseJSON{}}
	for _, c := range r.Cases {
		var problems bytes.Buffer
		if err := report.JSON(&problems, c.Problems, o); err != nil {
			return err
		}
		out.Cases = append(out.Cases, caseJSON{c.Dir, c.Passed(), c.Updated, problems.Bytes()})
	}
	c := r.Coverage
	out.Coverage = coverageJSON{c.Fields, c.Exercised, []fieldJSON{}, c.Branches, c.Taken, branches(c.Untaken, o), branches(c.Always, o)}
	for _, f := range r.Coverage.Unexercised {
		out.Coverage.Unexercised = append(out.Coverage.Unexercised, fieldJSON(f))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func branches(all []Branch, o report.Options) []branchJSON {
	out := []branchJSON{}
	for _, b := range all {
		out = append(out, branchJSON{b.Package, placeOf(b, o), b.Condition})
	}
	return out
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the result in the XML that CI services read.
func (r *Result) JUnit(w io.Writer, o report.Options) error {
	o.Terminal = false
	suite := junitSuite{Name: r.Module, Tests: len(r.Cases), Failures: r.Failed()}
	for _, c := range r.Cases {
		jc := junitCase{Class: r.Module, Name: c.Dir}
		if !c.Passed() {
			var text bytes.Buffer
			if err := report.Text(&text, c.Problems, o); err != nil {
				return err
			}
			jc.Failure = &junitFailure{firstError(c.Problems), text.String()}
		}
		suite.Cases = append(suite.Cases, jc)
	}
	b, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+strings.TrimSpace(string(b))+"\n")
	return err
}

func firstError(problems diag.List) string {
	for _, d := range problems {
		if d.Severity == diag.Error {
			return d.Message
		}
	}
	return ""
}
