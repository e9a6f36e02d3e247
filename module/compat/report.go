package compat

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/jsondata"
)

// ErrVersion says that a module's versions are nearer to each other than its
// change allows.
var ErrVersion = errors.New("the version grows by too little")

// ParseStep reads the name of a step.
func ParseStep(s string) (Step, error) {
	for step := None; step <= Major; step++ {
		if step.String() == s {
			return step, nil
		}
	}
	return None, fmt.Errorf("%s: there are none, patch, minor, major", s)
}

// Check compares the change with the versions that the modules state. A native
// module's own file states the major version only, so that nothing else is
// known of it here; its versions are equal then, and are not judged.
func (r *Report) Check() error {
	_, old, _ := strings.Cut(r.Old, " ")
	_, now, _ := strings.Cut(r.New, " ")
	if old == now {
		return nil
	}
	return CheckStep(old, now, r.Step)
}

// CheckStep reports whether a change of the given step may be published as
// version now after version old; an [ErrVersion] says why not. Before 1.0.0 a
// minor step may be incompatible, as is usual.
func CheckStep(old, now string, step Step) error {
	a, b := numbers(old), numbers(now)
	allowed := None
	switch {
	case b[0] > a[0]:
		allowed = Major
	case b[0] == a[0] && b[1] > a[1]:
		allowed = Minor
	case b[0] == a[0] && b[1] == a[1] && b[2] > a[2]:
		allowed = Patch
	}
	if a[0] == 0 && b[0] == 0 && allowed > None {
		allowed++
	}
	if step <= allowed {
		return nil
	}
	return fmt.Errorf("%w: from %s to %s, but the change needs a %s step: %s", ErrVersion, old, now, step, next(a, step))
}

// next is the least version that a step leads to.
func next(v [3]int, step Step) string {
	if v[0] == 0 && step > Patch {
		step--
	}
	switch step {
	case Major:
		v = [3]int{v[0] + 1, 0, 0}
	case Minor:
		v = [3]int{v[0], v[1] + 1, 0}
	case Patch:
		v[2]++
	}
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

func numbers(v string) (out [3]int) {
	v, _, _ = strings.Cut(strings.TrimPrefix(v, "v"), "+")
	v, _, _ = strings.Cut(v, "-")
	for i, part := range strings.SplitN(v, ".", 3) {
		out[i], _ = strconv.Atoi(part)
	}
	return out
}

// Show writes a place for people: "file:line:col: ", "" for none.
type Show func(diag.Pos) string

// Text writes one line a change, and the verdict.
func (r *Report) Text(w io.Writer, show Show) error {
	var b strings.Builder
	for _, c := range r.Changes {
		at := c.Artifact
		if c.Path != "" {
			at += " " + c.Path
		}
		fmt.Fprintf(&b, "%-5s  %s%s: %s\n", c.Step, show(c.Pos), at, c.Message)
	}
	fmt.Fprintf(&b, "%s\n", r.Step)
	_, err := io.WriteString(w, b.String())
	return err
}

// JSON writes the report for programs.
func (r *Report) JSON(w io.Writer, show Show) error {
	type change struct {
		Change
		Place string `json:"place,omitempty"`
	}
	out := struct {
		Old     string   `json:"old"`
		New     string   `json:"new"`
		Step    Step     `json:"step"`
		Changes []change `json:"changes"`
	}{r.Old, r.New, r.Step, []change{}}
	for _, c := range r.Changes {
		out.Changes = append(out.Changes, change{c, strings.TrimSuffix(show(c.Pos), ": ")})
	}
	text, err := jsondata.Indented(out)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}
