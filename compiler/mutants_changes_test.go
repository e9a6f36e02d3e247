package compiler_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	member  = regexp.MustCompile(`^(\s*)([\w"]+|\[\w+\])([?!]?): (.+)$`)
	literal = regexp.MustCompile(`"(\\.|[^"\\])*"|\b\d+\b|\btrue\b|\bfalse\b`)
	name    = regexp.MustCompile(`\b[a-zA-Z_]\w*\b`)
	chain   = regexp.MustCompile(`\b(description\.)?config\.parameter\.\w+`)
	label   = regexp.MustCompile(`\b(\w+):`)
)

var otherValues = []string{"0", "-1", "7", "0x10", "1_000", "1K", "1.5", "1e3", `""`, `"other"`, `"é"`, `"a\nb"`, `#"ra"w"#`, "'bytes'", "null", "true", "[]", "[1]", "{}", "{a: 1}", "_", "string", "int", "_|_", `*"x" | string`, "*3 | int", `"\(config.parameter)"`, "1 + 1", `"a" + "b"`, "len([1])"}

// pick replaces one match of an expression in a line.
func pick(order *rand.Rand, re *regexp.Regexp, line string, by func(string) string) string {
	all := re.FindAllStringIndex(line, -1)
	if len(all) == 0 {
		return line
	}
	at := all[order.IntN(len(all))]
	return line[:at[0]] + by(line[at[0]:at[1]]) + line[at[1]:]
}

func one(order *rand.Rand, of ...string) string { return of[order.IntN(len(of))] }

// onValue changes the value of a line that is a field.
func onValue(line string, by func(value string) string) string {
	p := member.FindStringSubmatch(line)
	if p == nil || strings.HasSuffix(p[4], "{") || strings.HasSuffix(p[4], "[") || strings.HasSuffix(p[4], `"""`) {
		return line
	}
	return p[1] + p[2] + p[3] + ": " + by(p[4])
}

func onLine(by func(order *rand.Rand, line string) string) func(*rand.Rand, []string, int) []string {
	return func(order *rand.Rand, lines []string, i int) []string {
		lines[i] = by(order, lines[i])
		return lines
	}
}

// changes are those that people make, and some that they do not.
var changes = []func(order *rand.Rand, lines []string, i int) []string{
	0: func(_ *rand.Rand, lines []string, i int) []string { return slices.Delete(lines, i, i+1) },
	1: func(_ *rand.Rand, lines []string, i int) []string { return slices.Insert(lines, i, lines[i]) },
	2: func(order *rand.Rand, lines []string, i int) []string {
		return slices.Insert(lines, order.IntN(len(lines)), lines[i])
	},
	3: func(order *rand.Rand, lines []string, i int) []string { // swap two values
		j := order.IntN(len(lines))
		a, b := literal.FindString(lines[i]), literal.FindString(lines[j])
		if a != "" && b != "" {
			lines[i] = strings.Replace(lines[i], a, b, 1)
			lines[j] = strings.Replace(lines[j], b, a, 1)
		}
		return lines
	},
	4: onLine(func(order *rand.Rand, line string) string {
		if onValue(line, func(string) string { return "" }) == line {
			return line
		}
		return one(order, "if true", "if false", "for _ in [1]", `for k in ["a", "b"]`, "if config.parameter != _|_", "if description.config.resilience == 0", "let Y = 1, if Y == 1") + " {" + line + "}"
	}),
	5: func(order *rand.Rand, lines []string, i int) []string { // a literal becomes a let
		var value string
		changed := pick(order, literal, lines[i], func(s string) string { value = s; return "Q" + strconv.Itoa(i) })
		if value == "" || member.FindString(lines[i]) == "" {
			return lines
		}
		lines[i] = changed
		return slices.Insert(lines, i, one(order, fmt.Sprintf("let Q%d = %s", i, value), fmt.Sprintf("_Q: %s", value), fmt.Sprintf("Q%d: %s", i, value)))
	},
	6: onLine(func(order *rand.Rand, line string) string {
		return pick(order, name, line, func(s string) string { return s + one(order, "x", "_", "1") })
	}),
	7: onLine(func(order *rand.Rand, line string) string {
		return pick(order, literal, line, func(string) string { return one(order, otherValues...) })
	}),
	8: onLine(func(order *rand.Rand, line string) string {
		return pick(order, label, line, func(s string) string {
			key := strings.TrimSuffix(s, ":")
			return one(order, `"`+key+`":`, "A="+s, key+"?:", key+"!:", `("`+key+`"):`, `"\("`+key+`")":`, "_"+s, "#"+s, `"_`+key+`":`, `[=~"^`+key+`"]:`, "[string]:", key+": B=", s+" Z=", `"`+key+`é":`)
		})
	}),
	9: onLine(func(order *rand.Rand, line string) string {
		return pick(order, chain, line, func(s string) string {
			rest := strings.TrimPrefix(strings.TrimPrefix(s, "description."), "config.")
			return one(order, "config."+rest, "description.config."+rest, `description["config"].`+rest, "#Artifact.description.config."+rest, "("+s+")", s+" & string", `"\(`+s+`)"`, "*"+s+" | string", "config.parameter", "description.config.parameter", "config", "parameter"+strings.TrimPrefix(rest, "parameter"), "{v: "+s+"}.v", "["+s+"][0]", `config["parameter"]`+strings.TrimPrefix(rest, "parameter"))
		})
	}),
	10: onLine(func(order *rand.Rand, line string) string {
		return onValue(line, func(value string) string {
			return one(order, "("+value+")", value+" & _", value+" & {_}", "_ & "+value, value+" | *"+value, "*"+value+" | _", value+" @note(x)", value+" // note", "["+value+"]", "{v: "+value+"}", "{v: "+value+"}.v", value+"\n"+value, "string & "+value, "{"+value+"}", "close("+value+")", value+" & close({})")
		})
	}),
	11: func(order *rand.Rand, lines []string, i int) []string {
		return slices.Insert(lines, i, one(order, "...", "@note(x)", "// note", "_hidden: 1", "#Def: 1", "let L = 1", "let config = {}", "let c = {#Artifact: {}}", "description: {}", "config: {}", "config: parameter: {}", "parameter: {}", "if true {}", "{}", "_", "[string]: _", "role: {}", "extra: 1", "extra?: 1", "#Artifact: {...}", "string: int", "X=more: X", `"é": 1`, "scale: hsize: 2", "resilience: 1", "meta: a: 1"))
	},
	12: func(order *rand.Rand, lines []string, i int) []string {
		j := order.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return lines
	},
	13: func(order *rand.Rand, lines []string, i int) []string { // another path
		var paths []string
		for _, l := range lines {
			paths = append(paths, chain.FindAllString(l, -1)...)
			if p := member.FindStringSubmatch(l); p != nil {
				paths = append(paths, "config.parameter."+strings.Trim(p[2], `"[]`), "description.config.parameter."+strings.Trim(p[2], `"[]`), strings.Trim(p[2], `"[]`))
			}
		}
		if len(paths) > 0 {
			path := paths[order.IntN(len(paths))]
			lines[i] = onValue(lines[i], func(string) string { return one(order, path, `"<\(`+path+`)>"`) })
		}
		return lines
	},
	14: func(order *rand.Rand, lines []string, i int) []string { // a path by way of a name
		var path string
		changed := pick(order, chain, lines[i], func(s string) string { path = s; return one(order, "_P", "P", "P.v") })
		if path == "" || member.FindString(lines[i]) == "" {
			return lines
		}
		lines[i] = changed
		return slices.Insert(lines, order.IntN(i+1), one(order, "let P = "+path, "_P: "+path, "P: "+path, "let P = {v: "+path+"}", "P: v: "+path))
	},
	15: onLine(func(order *rand.Rand, line string) string {
		return pick(order, name, line, func(string) string {
			return one(order, "config", "description", "parameter", "role", "artifact", "scale", "hsize", "resource", "c", "k", "string", "int", "_", "#Artifact", "value")
		})
	}),
}
