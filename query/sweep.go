package query

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/solution"
)

// Range is a load (scale.qos) that grows.
type Range struct {
	// Field is the path of the load in config.scale; "" for the only one that there is.
	Field          string
	From, To, Step int64
}

// The steps of a range of which nobody says how long they are, and the most there may be.
const (
	usualSteps = 9
	mostSteps  = 1000
)

// ParseRange reads [FIELD=]FROM..TO[/STEP].
func ParseRange(text string) (r Range, err error) {
	field, rest, ok := strings.Cut(text, "=")
	if !ok {
		field, rest = "", text
	}
	bounds, step, stepped := strings.Cut(rest, "/")
	from, to, both := strings.Cut(bounds, "..")
	if r.From, err = strconv.ParseInt(from, 10, 32); err == nil && both {
		r.To, err = strconv.ParseInt(to, 10, 32)
	}
	r.Field, r.Step = field, max(1, (r.To-r.From)/usualSteps)
	if stepped && err == nil {
		r.Step, err = strconv.ParseInt(step, 10, 32)
	}
	switch {
	case err != nil || !both || r.From < 0 || ok && field == "":
		return r, fmt.Errorf("%q is no range of loads: write FROM..TO, such as 100..1000, FROM..TO/STEP, or FIELD=FROM..TO", text)
	case r.To < r.From || r.Step < 1:
		return r, fmt.Errorf("%q leads nowhere: it begins at %d, ends at %d, and goes on by %d", text, r.From, r.To, r.Step)
	case (r.To-r.From)/r.Step >= mostSteps:
		return r, fmt.Errorf("%q has %d steps: there may be %d", text, (r.To-r.From)/r.Step+1, mostSteps)
	}
	return r, nil
}

// Path is the path of the load in the deployment's config.
func (r Range) Path() []string {
	path := strings.Split(r.Field, ".")
	if path[0] != "qos" && path[0] != "detail" {
		path = slices.Insert(path, 0, "qos")
	}
	return slices.Insert(path, 0, "scale")
}

// Loads are the fields of the load that a deployment says it bears, as paths in its scale:
// all that are numbers.
func Loads(s *solution.Solution) []string {
	var out []string
	scale := s.Deployments[s.Top].Config.Scale
	if role := s.Alone(s.Top); role != "" {
		scale = *scale.Detail[role] // in the manifest, it is the component's own
	}
	var walk func(path string, scale *solution.Scale)
	walk = func(path string, scale *solution.Scale) {
		numbers(path+"qos", scale.Qos, func(field string) { out = append(out, field) })
		for name, below := range scale.Detail {
			walk(path+"detail."+name+".", below)
		}
	}
	walk("", &scale)
	slices.Sort(out)
	return out
}

func numbers(path string, v any, tell func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			numbers(path+"."+name, member, tell)
		}
	case nil, string, bool, []any:
	default:
		tell(path)
	}
}

// Point is what the roles take at a load.
type Point struct {
	Load  int64  `json:"load"`
	Sizes []Size `json:"roles"`
}

// Total is what all roles take together.
func (p Point) Total() (t Size) {
	for _, s := range p.Sizes {
		t.Instances += s.Instances
		t.CPU += s.CPU
		t.Memory += s.Memory
	}
	return t
}

// Sweep is what a deployment takes as its load grows.
type Sweep struct {
	// Field is the load's path in the deployment.
	Field  string  `json:"field"`
	Points []Point `json:"points"`
	// Breaks is the first load that is not borne, and Why what is said of it; nil where all
	// of them are.
	Breaks *int64   `json:"breaks,omitempty"`
	Why    []string `json:"why,omitempty"`
}

// errBroken ends a sweep that was given up.
var errBroken = errors.New("the load is not borne")

// Grow solves a deployment for each load of a range, until the first that it does not bear.
// Between the last that is borne and that one, it looks for the least. Solve returns what is
// wrong in place of a solution.
func Grow(r Range, solve func(load int64) (*solution.Solution, []string, error)) (*Sweep, error) {
	out := &Sweep{Field: "config." + strings.Join(r.Path(), "."), Points: []Point{}}
	try := func(load int64) error {
		s, wrong, err := solve(load)
		switch {
		case err != nil:
			return err
		case s == nil:
			out.Breaks, out.Why = &load, wrong
			return errBroken
		}
		out.Points = append(out.Points, Point{load, Sizes(s)})
		return nil
	}
	for load := r.From; ; load = min(load+r.Step, r.To) {
		if err := try(load); errors.Is(err, errBroken) {
			break
		} else if err != nil {
			return nil, err
		}
		if load == r.To {
			return out, nil
		}
	}
	for good := out.last(r.From - 1); *out.Breaks-good > 1 && len(out.Points) > 0; good = out.last(good) {
		if err := try(good + (*out.Breaks-good)/2); err != nil && !errors.Is(err, errBroken) {
			return nil, err
		}
	}
	return out, nil
}

// last is the greatest load that was borne.
func (s *Sweep) last(none int64) int64 {
	if len(s.Points) == 0 {
		return none
	}
	return s.Points[len(s.Points)-1].Load
}

// CPUText is an amount of processors for people.
func CPUText(milli int64) string {
	return strings.TrimSuffix(strings.TrimRight(big.NewRat(milli, 1000).FloatString(3), "0"), ".")
}

// MemoryText is an amount of memory for people, without a loss.
func MemoryText(n int64) string {
	for _, unit := range []struct {
		name string
		of   int64
	}{{"Gi", 1 << 30}, {"G", 1e9}, {"Mi", 1 << 20}, {"M", 1e6}, {"Ki", 1 << 10}, {"k", 1e3}} {
		if n > 0 && n%unit.of == 0 {
			return strconv.FormatInt(n/unit.of, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// Rows are a line for each role at each load, and one for all of them.
func (s *Sweep) Rows() [][]string {
	rows := [][]string{{"LOAD", "ROLE", "INSTANCES", "CPU", "MEMORY"}}
	row := func(load int64, role string, x Size) {
		rows = append(rows, []string{strconv.FormatInt(load, 10), role, strconv.Itoa(x.Instances), CPUText(x.CPU), MemoryText(x.Memory)})
	}
	for _, p := range s.Points {
		for _, x := range p.Sizes {
			row(p.Load, x.Deployment+"/"+x.Role, x)
		}
		if len(p.Sizes) != 1 {
			row(p.Load, "all", p.Total())
		}
	}
	return rows
}

// CSV is a line for each role at each load, with cores in thousandths and memory in bytes.
func (s *Sweep) CSV() []byte {
	b := []byte("load,deployment,role,instances,cpu,memory\n")
	for _, p := range s.Points {
		for _, x := range p.Sizes {
			b = fmt.Appendf(b, "%d,%s,%s,%d,%d,%d\n", p.Load, field(x.Deployment), field(x.Role), x.Instances, x.CPU, x.Memory)
		}
	}
	return b
}

// field is a text as CSV has it.
func field(text string) string {
	if strings.ContainsAny(text, ",\"\r\n") {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}
