package wording

import (
	"fmt"
	"regexp"
	"strings"

	"cuelang.org/go/cue/errors"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
)

// What depends on how CUE words an error is here, and nowhere else in spread.
// TestCUE says which words those are in the version that is built with.

const notAllowed = "field not allowed"

// IsRefusal reports whether an error says that a struct does not take a field.
func IsRefusal(e errors.Error) bool {
	format, _ := e.Msg()
	return format == notAllowed
}

// IsOpen reports whether an error says nothing but that a value is a type.
func IsOpen(e errors.Error) bool {
	format, _ := e.Msg()
	return format == "incomplete value %v"
}

// SaysNoValue reports whether a message has CUE's words for something that has no value, and not two.
func SaysNoValue(message string) bool {
	return filter.Any([]string{"index out of range", "incomplete value", "non-concrete value", "unresolved disjunction"}, func(words string) bool {
		return strings.Contains(message, words)
	})
}

// RefersToNothing reports whether an error says that a reference leads to a field that is not there.
func RefersToNothing(e errors.Error) bool {
	_, ok := undefinedField(e)
	return ok
}

// undefinedField is the field that a reference leads to and that is not there.
func undefinedField(e errors.Error) (name string, ok bool) { return matched(e, undefined()) }

var undefined = lazyregexp.New(`undefined field: (\S+)`)

// optionalField is the optional field that a reference leads to and that nobody has given.
func optionalField(e errors.Error) (name string, ok bool) { return matched(e, optional()) }

var optional = lazyregexp.New(`cannot reference optional field: (\S+)`)

// unknownName is the name that nothing has.
func unknownName(e errors.Error) (name string, ok bool) {
	format, args := e.Msg()
	if !strings.HasPrefix(format, "reference %q not found") {
		return "", false
	}
	if len(args) == 0 {
		return "a field", true
	}
	return text(args[len(args)-1]), true
}

// isEndless reports whether an error says that a value contains itself.
func isEndless(e errors.Error) bool {
	format, _ := e.Msg()
	return strings.Contains(format, "structural cycle")
}

// excluding are two values that exclude each other.
func excluding(e errors.Error) (a, b any, ok bool) { return two(e, "conflicting values") }

// outOfBound is a value, and the bound that it does not keep.
func outOfBound(e errors.Error) (found, bound any, ok bool) {
	return two(e, "invalid value %v (out of bound")
}

// two are the first two arguments of an error whose format begins in a certain way.
func two(e errors.Error, beginning string) (a, b any, ok bool) {
	format, args := e.Msg()
	if !strings.HasPrefix(format, beginning) || len(args) < 2 {
		return nil, nil, false
	}
	return args[0], args[1], true
}

// matched is the part of an error's text that is in the parentheses of a pattern.
func matched(e errors.Error, pattern *regexp.Regexp) (part string, ok bool) {
	found := pattern.FindStringSubmatch(e.Error())
	if found == nil {
		return "", false
	}
	return found[1], true
}

// missingFunction matches what is no function of a package.
var missingFunction = lazyregexp.New(`cannot call non-function (\w+)\.(\w+) \(type _\|_\)`)

// remedyOfCUE says what to write where CUE's words alone do not.
func remedyOfCUE(message string) string {
	switch {
	case strings.Contains(message, "(- string)") || strings.Contains(message, "(- struct)"):
		return "; a list is in brackets: write [\"…\", \"…\"]"
	case strings.Contains(message, "as type bool in ||") || strings.Contains(message, "'||' requires"):
		return "; alternatives are written A | B, and with a default *A | B"
	case strings.Contains(message, "preference mark not allowed"):
		return "; a * says which of several alternatives is the default: write *A | B, with one |, and no * where there is one value only"
	case missingFunction().MatchString(message):
		found := missingFunction().FindStringSubmatch(message)
		return fmt.Sprintf("; package %s has no %s", found[1], found[2])
	case strings.Contains(message, "cannot call non-function"):
		return "; a function is of a package: import \"strings\", and write strings.ToUpper(…)"
	case strings.Contains(message, "integer fields not supported"):
		return "; names of fields are texts, and a number becomes one by \"\\(…)\""
	case strings.Contains(message, "invalid index"):
		return "; names of fields are texts, and a list is asked for numbers, from 0"
	case strings.Contains(message, "unreferenced alias or let clause"):
		return "; delete it"
	case strings.Contains(message, "requires @experiment"):
		return "; refer to a field by its path, such as config.parameter.NAME"
	case strings.Contains(message, "(found string, want list or struct)"):
		return "; a text has no parts: texts are joined by +"
	case strings.Contains(message, "invalid operands") && strings.Contains(message, "to '+'") && strings.Contains(message, "string"):
		return "; a value is put into a text by \"\\(x)\""
	}
	return ""
}
