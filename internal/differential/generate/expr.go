package generate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// scope is what expressions at a place of an artifact can refer to.
type scope struct {
	*gen
	at   *block
	vars []variable
	// within are the labels around the expression, from the block.
	within []string
}

// in is the same scope at another place.
func (s scope) in(b *block) scope { return scope{gen: s.gen, at: b, vars: s.vars} }

// with adds the variables of a comprehension.
func (s scope) with(vars ...variable) scope {
	return scope{s.gen, s.at, append(slices.Clip(s.vars), vars...), s.within}
}

// ref is a reference to a variable of a kind that is there, "" if there is none.
func (s scope) ref(kinds ...kind) string {
	var fit []variable
	for _, v := range s.vars {
		if v.sure && slices.Contains(kinds, v.kind) && s.sees(v) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return s.spell(one(s.gen, fit...))
}

// sees reports whether there is a way to refer to the variable.
func (s scope) sees(v variable) bool {
	return v.expr != "" || len(s.at.ways(v.path, s.within...)) > 0
}

func (s scope) spell(v variable) string {
	if v.expr != "" {
		return v.expr
	}
	way := s.refer(s.at, v.path, s.within...)
	if s.slip("a misspelt reference") {
		return strings.TrimSuffix(way, `"`) + "x" + way[len(strings.TrimSuffix(way, `"`)):]
	}
	return way
}

func (s scope) pkg(name string) string { return s.at.file.importing(name, name) }

// text is an expression for a string.
func (s scope) text(depth int) string {
	if depth <= 0 || s.chance(15) {
		if r := s.ref(text); r != "" && s.chance(70) {
			return r
		}
		return fmt.Sprintf("%q", s.name("t"))
	}
	forms := textForms()
	return one(s.gen, forms...)(s, depth-1)
}

// textForms are the forms of expressions for a string.
func textForms() []func(scope, int) string {
	return []func(scope, int) string{
		scope.interpolated, scope.interpolated, scope.concatenated, scope.chosen, scope.called, scope.called,
		scope.marshalled, scope.templated, scope.multiLine, scope.numberAsText, scope.indexed,
	}
}

func (s scope) interpolated(depth int) string {
	s.use("interpolation")
	if r := s.ref(text, number, flag); r != "" && s.chance(50) {
		return fmt.Sprintf(`"\(%s)"`, r)
	}
	if s.chance(10) {
		s.use("raw string")
		return fmt.Sprintf("#\"<\\#(%s)>\"#", oneLine(s.text(depth)))
	}
	return fmt.Sprintf(`"<\(%s)>"`, oneLine(one(s.gen, s.text, s.number, s.boolean)(depth)))
}

func (s scope) concatenated(depth int) string {
	return s.text(depth) + " + " + fmt.Sprintf("%q", s.name("s"))
}

func (s scope) chosen(depth int) string {
	s.use("list indexing")
	return fmt.Sprintf("[if %s {%s}, %s][0]", s.cond(depth), s.text(depth), s.text(depth))
}

func (s scope) called(depth int) string {
	switch s.IntN(8) {
	case 0:
		s.use("strings")
		return fmt.Sprintf("%s.%s(%s)", s.pkg("strings"), one(s.gen, "ToUpper", "TrimSpace", "ToTitle"), s.text(depth))
	case 1:
		s.use("strings", "list comprehension")
		return fmt.Sprintf("%s.Join(%s, \",\")", s.pkg("strings"), s.list(depth))
	case 2:
		s.use("regexp")
		return fmt.Sprintf("%s.ReplaceAll(\"[aeiou]\", %s, \"-\")", s.pkg("regexp"), s.text(depth))
	case 3:
		s.use("strings")
		return fmt.Sprintf("%s.Replace(%s, \"a\", %s, -1)", s.pkg("strings"), s.text(depth), s.text(0))
	case 4:
		s.use("encoding")
		return fmt.Sprintf("%s.Encode(null, %s)", s.named("base64", "encoding/base64"), s.text(depth))
	case 5:
		s.use("list")
		return fmt.Sprintf("%s.Join(%s.Sort(%s, %s.Ascending), \"-\")", s.pkg("strings"), s.pkg("list"), s.list(depth), s.pkg("list"))
	case 6:
		s.use("strings")
		return fmt.Sprintf("%s.Split(%s + \",b\", \",\")[0]", s.pkg("strings"), s.text(depth))
	}
	s.use("strings")
	return fmt.Sprintf("%s.Repeat(%s, 2)", s.pkg("strings"), s.text(depth))
}

func (s scope) marshalled(depth int) string {
	if s.chance(50) {
		s.use("json")
		return fmt.Sprintf("%s.Marshal(%s)", s.named("json", "encoding/json"), s.json(depth))
	}
	s.use("yaml")
	return fmt.Sprintf("%s.Marshal(%s)", s.named("yaml", "encoding/yaml"), s.json(depth))
}

func (s scope) templated(depth int) string {
	s.use("text/template")
	return fmt.Sprintf("%s.Execute(\"a={{.a}}\", {a: %s})", s.named("template", "text/template"), s.text(depth))
}

func (s scope) multiLine(int) string {
	s.use("multi-line string")
	return fmt.Sprintf("\"\"\"\n\tone \\(%s)\n\ttwo\n\t\"\"\"", oneLine(s.text(0)))
}

func (s scope) numberAsText(depth int) string {
	s.use("arithmetic", "interpolation")
	return fmt.Sprintf(`"%s\(%s)"`, one(s.gen, "", "n="), oneLine(s.number(depth)))
}

// indexed takes an element of a list, or a member of a struct, by a key.
func (s scope) indexed(depth int) string {
	s.use("lookup")
	return fmt.Sprintf(`{a: %s, b: %s}[%s]`, s.text(0), s.text(0), one(s.gen, `"a"`, fmt.Sprintf(`[if %s {"a"}, "b"][0]`, s.cond(depth))))
}

// oneLine is the expression, or a simple one for one that takes several lines,
// which an interpolation cannot.
func oneLine(expr string) string {
	if strings.Contains(expr, "\n") {
		return `"short"`
	}
	return expr
}

// named imports a package under a name.
func (s scope) named(name, path string) string { return s.at.file.importing(name, path) }

// number is an expression for a number.
func (s scope) number(depth int) string {
	r := s.ref(number)
	switch {
	case r != "" && depth > 0 && s.chance(40):
		return s.computed(r)
	case r != "" && s.chance(70):
		return r
	}
	if l := s.ref(texts, table, rows); l != "" && s.chance(50) {
		return "len(" + l + ")"
	}
	s.use("number literal")
	return one(s.gen, "1", "42", "0x10", "1_000", "2K", "7", "0b11", "1.5")
}

// computed is what comes of a number.
func (s scope) computed(r string) string {
	s.use("arithmetic")
	switch s.IntN(7) {
	case 0:
		s.use("math")
		return fmt.Sprintf("%s.%s(%s / 3)", s.pkg("math"), one(s.gen, "Floor", "Ceil", "Round"), r)
	case 1:
		return fmt.Sprintf("(%s / 4)", r)
	case 2:
		s.use("math")
		return fmt.Sprintf("%s.Abs(%s - 50)", s.pkg("math"), r)
	case 3:
		s.use("list")
		return fmt.Sprintf("%s.Max([%s, 7])", s.pkg("list"), r)
	}
	return one(s.gen, "("+r+" + 1)", "2 * "+r, "("+r+" - 1)", fmt.Sprintf("(%s + %s)", r, r))
}

// boolean is an expression for a bool.
func (s scope) boolean(depth int) string {
	if r := s.ref(flag); r != "" && s.chance(60) {
		return r
	}
	return "(" + s.cond(depth) + ")"
}

// cond is a condition.
func (s scope) cond(depth int) string {
	usual := s.usualCond(depth)
	if s.aside.IntN(100) < 10 {
		return cmp.Or(s.computedPresence(), usual)
	}
	return usual
}

func (s scope) usualCond(depth int) string {
	for range 4 {
		switch s.IntN(8) {
		case 0, 1:
			if r := s.ref(flag); r != "" {
				return one(s.gen, r, "!"+r)
			}
		case 2:
			if r := s.ref(number); r != "" {
				return fmt.Sprintf("%s %s %s", r, one(s.gen, ">", "<", "==", "!=", ">="), one(s.gen, "5", "80", "0"))
			}
		case 3:
			if r := s.ref(text); r != "" {
				return fmt.Sprintf("%s %s %q", r, one(s.gen, "==", "!="), one(s.gen, "info", "a", "some"))
			}
		case 4:
			if r := s.ref(texts, table, rows); r != "" {
				return fmt.Sprintf("len(%s) > %d", r, s.IntN(2))
			}
		case 5:
			if r := s.ref(text); r != "" {
				s.use("strings")
				return fmt.Sprintf("%s.HasPrefix(%s, \"a\")", s.pkg("strings"), r)
			}
		case 6:
			if depth > 0 {
				return fmt.Sprintf("(%s) %s (%s)", s.cond(depth-1), one(s.gen, "&&", "||"), s.cond(depth-1))
			}
		case 7:
			for _, v := range s.vars {
				if !v.sure && s.sees(v) {
					s.use("test of presence")
					return s.spell(v) + one(s.gen, " != _|_", " == _|_")
				}
			}
		}
	}
	return one(s.gen, "true", "false", "1 < 2")
}

// computedPresence is a condition that asks whether a computed expression has a value. The answer may differ
// between the default of a parameter and the same value where it is given. It is "" inside a config, and where no
// parameter can be referred to.
func (s scope) computedPresence() string {
	if slices.Contains(s.at.path, "config") || slices.Contains(s.within, "config") {
		return ""
	}
	aside := *s.gen
	aside.Rand, aside.wrong = s.aside, false
	s.gen = &aside
	r, with := s.ref(number), []string{"3", "80", "5"}
	if r == "" || s.chance(50) {
		r, with = s.ref(text), []string{`"info"`, `"debug"`, `"a"`}
	}
	if r == "" {
		return ""
	}
	s.use("test of presence of what is computed")
	x := fmt.Sprintf("(%s & %s)", r, one(s.gen, with...))
	return one(s.gen, x+" != _|_", x+" == _|_", "_|_ != "+x, x+" == (_|_)", "{z: "+x+"}.z != _|_", "["+x+"][0] == _|_")
}

// list is an expression for a list of texts.
func (s scope) list(depth int) string {
	s.use("list comprehension")
	switch r := s.ref(texts); {
	case r != "" && s.chance(30):
		return r
	case r != "" && s.chance(50):
		v := s.name("v")
		return fmt.Sprintf("[for %s in %s {%s}]", v, r, s.with(variable{expr: v, kind: text, sure: true}).text(depth))
	}
	if r := s.ref(table); r != "" && s.chance(50) {
		return fmt.Sprintf(`[for k, v in %s if k != "z" {"\(k)=\(v)"}]`, r)
	}
	if r := s.ref(rows); r != "" && s.chance(50) {
		return fmt.Sprintf(`[for i, r in %s let n = r.name {"\(i)\(n):\(r.port)"}]`, r)
	}
	return fmt.Sprintf("[%s, if %s {%s}]", s.text(depth-1), s.cond(depth), s.text(depth-1))
}

// json is an expression for a struct or anything else.
func (s scope) json(depth int) string {
	if r := s.ref(object, anything, table, rows, texts, number); r != "" && s.chance(50) {
		return r
	}
	return fmt.Sprintf("{a: %s, b: %s}", s.text(depth-1), s.number(depth-1))
}
