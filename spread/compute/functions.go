package compute

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"html"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/syntax"
)

// call is what a function gives: one of CUE's own, or of a package that comes with it.
func (r *run) call(x *ast.CallExpr, vars *variables) (any, bool) {
	name, ok := functionOf(x.Fun, vars)
	if !ok {
		return nil, false
	}
	if keeps, _ := syntax.ListsItems(x); keeps && name != "list.Concat" && len(x.Args) > 0 {
		return r.listPicked(name, x.Args, vars)
	}
	args := make([]any, len(x.Args))
	for i, a := range x.Args {
		if args[i], ok = r.eval(a, vars); !ok {
			return nil, false
		}
	}
	switch name {
	case "text/template.Execute":
		return r.executed(args)
	case "encoding/yaml.Marshal":
		return r.marshalYAML(args)
	}
	if f, ok := strings.CutPrefix(name, "regexp."); ok {
		return r.matched(f, args)
	}
	f := functions[name]
	if f == nil {
		return nil, false
	}
	return f(args)
}

// functionOf is the name of a function with the path of its package, or without if it has none. It is false for
// a name that a variable or field hides.
func functionOf(x ast.Expr, vars *variables) (string, bool) {
	switch x := x.(type) {
	case *ast.Ident:
		_, hidden := vars.get(x.Name)
		return x.Name, x.Node == nil && x.Scope == nil && !hidden
	case *ast.SelectorExpr:
		path, name := syntax.Function(x)
		if path == "" {
			return "", false
		}
		_, hidden := vars.get(identOf(x.X).Name)
		return path + "." + name, !hidden
	}
	return "", false
}

// functions are those whose results are those of Go's for the same arguments. One is false for other
// arguments, and where CUE tells a mistake.
var functions = map[string]func([]any) (any, bool){
	"len":                    length,
	"div":                    divided((*big.Int).Div),
	"mod":                    divided((*big.Int).Mod),
	"quo":                    divided((*big.Int).Quo),
	"rem":                    divided((*big.Int).Rem),
	"strings.Contains":       of2(strings.Contains),
	"strings.ContainsAny":    of2(strings.ContainsAny),
	"strings.Count":          of2(func(a, b string) int64 { return int64(strings.Count(a, b)) }),
	"strings.Fields":         of1(func(s string) []any { return texts(strings.Fields(s)) }),
	"strings.HasPrefix":      of2(strings.HasPrefix),
	"strings.HasSuffix":      of2(strings.HasSuffix),
	"strings.Index":          of2(func(a, b string) int64 { return int64(strings.Index(a, b)) }),
	"strings.Join":           join,
	"strings.LastIndex":      of2(func(a, b string) int64 { return int64(strings.LastIndex(a, b)) }),
	"strings.Repeat":         repeat,
	"strings.Replace":        replace,
	"strings.Split":          of2(func(a, b string) []any { return texts(strings.Split(a, b)) }),
	"strings.SplitN":         splitN,
	"strings.ToLower":        of1(strings.ToLower),
	"strings.ToUpper":        of1(strings.ToUpper),
	"strings.Trim":           of2(strings.Trim),
	"strings.TrimLeft":       of2(strings.TrimLeft),
	"strings.TrimPrefix":     of2(strings.TrimPrefix),
	"strings.TrimRight":      of2(strings.TrimRight),
	"strings.TrimSpace":      of1(strings.TrimSpace),
	"strings.TrimSuffix":     of2(strings.TrimSuffix),
	"strconv.FormatBool":     of1(strconv.FormatBool),
	"strconv.FormatInt":      formatInt,
	"strconv.Quote":          of1(strconv.Quote),
	"html.Escape":            of1(html.EscapeString),
	"list.Contains":          contains,
	"list.Max":               largest,
	"list.Min":               smallest,
	"list.Range":             ranged,
	"list.Sum":               sum,
	"list.SortStrings":       sorted,
	"encoding/base64.Encode": base64Of,
	"encoding/hex.Encode":    ofBytes(func(b []byte) any { return hex.EncodeToString(b) }),
	"encoding/json.Indent":   indent,
	"encoding/json.Marshal":  marshal,
	"crypto/md5.Sum":         ofBytes(func(b []byte) any { x := md5.Sum(b); return x[:] }),
	"crypto/sha1.Sum":        ofBytes(func(b []byte) any { x := sha1.Sum(b); return x[:] }),
	"crypto/sha256.Sum256":   ofBytes(func(b []byte) any { x := sha256.Sum256(b); return x[:] }),
	"list.Concat":            concat,
}

// of1 is a function of one argument.
func of1[A, R any](f func(A) R) func([]any) (any, bool) {
	return func(args []any) (any, bool) {
		if len(args) != 1 {
			return nil, false
		}
		a, ok := args[0].(A)
		if !ok {
			return nil, false
		}
		return f(a), true
	}
}

// of2 is a function of two.
func of2[A, B, R any](f func(A, B) R) func([]any) (any, bool) {
	return func(args []any) (any, bool) {
		if len(args) != 2 {
			return nil, false
		}
		a, ok := args[0].(A)
		b, also := args[1].(B)
		if !ok || !also {
			return nil, false
		}
		return f(a, b), true
	}
}

// ofBytes is a function of bytes, which also takes a text.
func ofBytes(f func([]byte) any) func([]any) (any, bool) {
	return func(args []any) (any, bool) {
		if len(args) != 1 {
			return nil, false
		}
		switch a := args[0].(type) {
		case string:
			return f([]byte(a)), true
		case []byte:
			return f(a), true
		}
		return nil, false
	}
}

func texts(all []string) []any {
	out := make([]any, len(all))
	for i, s := range all {
		out[i] = s
	}
	return out
}

// textsOf are the items of a list of texts.
func textsOf(v any) ([]string, bool) {
	items, ok := v.([]any)
	out := make([]string, 0, len(items))
	for _, x := range items {
		s, isText := x.(string)
		ok, out = ok && isText, append(out, s)
	}
	return out, ok
}

// numbersOf are the items of a list of numbers, of which there is at least one.
func numbersOf(args []any) ([]int64, bool) {
	if len(args) != 1 {
		return nil, false
	}
	items, _ := args[0].([]any)
	out := make([]int64, 0, len(items))
	for _, x := range items {
		n, ok := x.(int64)
		if !ok {
			return nil, false
		}
		out = append(out, n)
	}
	return out, len(out) > 0
}

func length(args []any) (any, bool) {
	if len(args) != 1 {
		return nil, false
	}
	switch a := args[0].(type) {
	case string:
		return int64(len(a)), true
	case []byte:
		return int64(len(a)), true
	case []any:
		return int64(len(a)), true
	case *object:
		return int64(len(a.names)), true
	}
	return nil, false
}

func join(args []any) (any, bool) {
	if len(args) != 2 {
		return nil, false
	}
	all, ok := textsOf(args[0])
	by, also := args[1].(string)
	return strings.Join(all, by), ok && also
}

// textsAndNumber are arguments of which all are texts but the last, which is a whole number.
func textsAndNumber(args []any, count int) (all []string, n int, ok bool) {
	if len(args) != count {
		return nil, 0, false
	}
	last, ok := args[count-1].(int64)
	all, also := textsOf(args[:count-1])
	return all, int(last), ok && also && int64(int(last)) == last
}

func replace(args []any) (any, bool) {
	all, n, ok := textsAndNumber(args, 4)
	if !ok {
		return nil, false
	}
	return strings.Replace(all[0], all[1], all[2], n), true
}

func splitN(args []any) (any, bool) {
	all, n, ok := textsAndNumber(args, 3)
	if !ok {
		return nil, false
	}
	return texts(strings.SplitN(all[0], all[1], n)), true
}

// maxRepeated bounds the texts that [repeat] makes. CUE makes larger ones, and tells when one is too large for it.
// maxRepeated bounds the texts and lists that functions make of shorter ones, and of numbers.
const maxRepeated = 4096

func repeat(args []any) (any, bool) {
	all, n, ok := textsAndNumber(args, 2)
	if !ok || n < 0 || n > maxRepeated || len(all[0])*n > maxRepeated {
		return nil, false
	}
	return strings.Repeat(all[0], n), true
}

// matched is what a function of package regexp gives for a pattern and other texts.
func (r *run) matched(name string, args []any) (any, bool) {
	all, ok := textsOf(args)
	if !ok || len(all) < 2 {
		return nil, false
	}
	re := r.pattern(all[0])
	switch {
	case re == nil:
	case name == "Match" && len(all) == 2:
		return re.MatchString(all[1]), true
	case name == "Find" && len(all) == 2:
		at := re.FindStringIndex(all[1])
		if at == nil {
			return nil, false
		}
		return all[1][at[0]:at[1]], true
	case name == "FindSubmatch" && len(all) == 2:
		found := re.FindStringSubmatch(all[1])
		return texts(found), found != nil
	case name == "ReplaceAll" && len(all) == 3:
		return re.ReplaceAllString(all[1], all[2]), true
	case name == "ReplaceAllLiteral" && len(all) == 3:
		return re.ReplaceAllLiteralString(all[1], all[2]), true
	}
	return nil, false
}

// pattern is a regular expression, nil for what is none.
func (r *run) pattern(text string) *regexp.Regexp {
	re := r.regexps[text]
	if re == nil {
		var err error
		if re, err = regexp.Compile(text); err != nil {
			return nil
		}
		r.regexps[text] = re
	}
	return re
}

func formatInt(args []any) (any, bool) {
	if len(args) != 2 {
		return nil, false
	}
	n, ok := args[0].(int64)
	base, also := args[1].(int64)
	if !ok || !also || base < 2 || base > 36 {
		return nil, false
	}
	return strconv.FormatInt(n, int(base)), true
}

// contains looks for a leaf in a list of leaves of its kind. CUE compares others in ways of its own.
func contains(args []any) (any, bool) {
	if len(args) != 2 {
		return nil, false
	}
	items, ok := args[0].([]any)
	found := false
	for _, x := range items {
		switch a := x.(type) {
		case string:
			b, isText := args[1].(string)
			ok, found = ok && isText, found || a == b
		case int64:
			b, isNumber := args[1].(int64)
			ok, found = ok && isNumber, found || a == b
		default:
			ok = false
		}
	}
	return found, ok
}

func largest(args []any) (any, bool) {
	all, ok := numbersOf(args)
	if !ok {
		return nil, false
	}
	return slices.Max(all), true
}

func smallest(args []any) (any, bool) {
	all, ok := numbersOf(args)
	if !ok {
		return nil, false
	}
	return slices.Min(all), true
}

func sum(args []any) (any, bool) {
	all, ok := numbersOf(args)
	if !ok {
		return nil, false // also of no numbers
	}
	total := new(big.Int)
	for _, n := range all {
		total.Add(total, big.NewInt(n))
	}
	return whole(total)
}

// ranged is the list of the numbers from one to before another, by a step.
func ranged(args []any) (any, bool) {
	if len(args) != 3 {
		return nil, false
	}
	n, ok := numbersOf([]any{args})
	if !ok || n[2] == 0 || (n[2] > 0) != (n[0] < n[1]) && n[0] != n[1] {
		return nil, false // CUE says that it is an error
	}
	out := []any{}
	for x := n[0]; x != n[1] && (x < n[1]) == (n[2] > 0); x += n[2] {
		if out = append(out, x); len(out) > maxRepeated {
			return nil, false
		}
	}
	return out, true
}

func sorted(args []any) (any, bool) {
	if len(args) != 1 {
		return nil, false
	}
	all, ok := textsOf(args[0])
	slices.Sort(all)
	return texts(all), ok
}

func concat(args []any) (any, bool) {
	if len(args) != 1 {
		return nil, false
	}
	lists, ok := args[0].([]any)
	out := []any{}
	for _, x := range lists {
		items, isList := x.([]any)
		ok, out = ok && isList, append(out, items...)
	}
	return out, ok
}

func base64Of(args []any) (any, bool) {
	if len(args) != 2 || args[0] != any(null{}) {
		return nil, false
	}
	switch a := args[1].(type) {
	case string:
		return base64.StdEncoding.EncodeToString([]byte(a)), true
	case []byte:
		return base64.StdEncoding.EncodeToString(a), true
	}
	return nil, false
}

// divided is a division of whole numbers.
func divided(f func(z, x, y *big.Int) *big.Int) func([]any) (any, bool) {
	return func(args []any) (any, bool) {
		if len(args) != 2 {
			return nil, false
		}
		a, ok := args[0].(int64)
		b, also := args[1].(int64)
		if !ok || !also || b == 0 {
			return nil, false
		}
		return whole(f(new(big.Int), big.NewInt(a), big.NewInt(b)))
	}
}
