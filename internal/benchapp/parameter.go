package benchapp

import (
	"fmt"
	"slices"
	"strings"
)

// A component's parameters, in this order: texts, the first two of which have
// no default, then whole numbers, switches and choices.
const (
	required    = 2
	firstNumber = 10
	firstSwitch = 15
	firstChoice = 18
)

var choices = []string{`"info"`, `"debug"`, `"warn"`}

// declared is the type and the default of a component's parameter.
func declared(p int) string {
	switch {
	case p < required:
		return "string"
	case p < firstNumber:
		return fmt.Sprintf("*\"default %d\" | string", p)
	case p < firstSwitch:
		return fmt.Sprintf("*%d | (int & >=1 & <=1000)", p)
	case p < firstChoice:
		return "*true | bool"
	}
	return "*" + strings.Join(choices, " | ")
}

// taken is the type of a service's parameter.
func taken(p int) string {
	switch {
	case p < firstNumber || p >= firstChoice:
		return "string"
	case p < firstSwitch:
		return "int"
	}
	return "bool"
}

// literal is a value of parameter p; other seeds give other values, where there
// are as many.
func literal(p, seed int) string {
	switch {
	case p < firstNumber:
		return fmt.Sprintf("\"value %d of %d\"", p, seed)
	case p < firstSwitch:
		return fmt.Sprint(1 + (100*p+seed)%1000)
	case p < firstChoice:
		return fmt.Sprint(seed&(1<<(p-firstSwitch)) == 0)
	}
	return choices[(seed+p)%len(choices)]
}

// literals are values of the first n parameters.
func literals(n, seed int) settings {
	out := make(settings, n)
	for p := range out {
		out[p] = &setting{text: literal(p, seed)}
	}
	return out
}

// handedDown are the values of the service that a role is in.
func handedDown() settings {
	out := make(settings, parameters)
	for p := range out {
		out[p] = &setting{from: true}
	}
	return out
}

// expr is the setting in CUE, where reference stands for the service's value.
func (s setting) expr(reference string) string {
	switch {
	case !s.from:
		return s.text
	case s.text == "":
		return reference
	}
	return fmt.Sprintf(`"\(%s)%s"`, reference, s.text)
}

// fields writes a field for each parameter that is given; config is how the
// service's parameters are referred to.
func (s settings) fields(indent, config string) string {
	var b strings.Builder
	for p, x := range s {
		if x != nil {
			fmt.Fprintf(&b, "%sp%02d: %s\n", indent, p, x.expr(fmt.Sprintf("%s.p%02d", config, p)))
		}
	}
	return b.String()
}

// handsDown is whether any role gets a value of the service's: CUE objects to
// names that nothing refers to.
func (x artifact) handsDown() bool {
	return slices.ContainsFunc(x.roles, func(r role) bool {
		return slices.ContainsFunc(r.config, func(s *setting) bool { return s != nil && s.from })
	})
}

// each writes a line for each of n parameters.
func each(n int, line func(p int) string) string {
	var b strings.Builder
	for p := range n {
		b.WriteString(line(p) + "\n")
	}
	return b.String()
}

// declaration writes what an artifact takes.
func (a artifact) declaration(indent string) string {
	return each(a.parameters, func(p int) string {
		if a.roles == nil {
			return fmt.Sprintf("%sp%02d: %s", indent, p, declared(p))
		}
		return fmt.Sprintf("%sp%02d: %s", indent, p, taken(p))
	})
}
