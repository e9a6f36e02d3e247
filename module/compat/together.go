package compat

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/internal/filter"
)

// maxTogether bounds how many configs are tried to find one that a relation
// refuses.
const maxTogether = 1000

// together looks for a config that the old version takes and the new one refuses,
// in which the fields of a relation have values that its own constants suggest.
func (c *comparison) together(r relation, was, is cue.Value, old separated, section string) (string, bool) {
	if r.path != section && !strings.HasPrefix(r.path, section+".") {
		return "", false
	}
	fields := members(old.free)
	configs := []string{""}
	for _, name := range fields.names {
		f := fields.fields[name]
		var values []string
		if r.names[name] && !plainStruct(f.value) {
			values = c.suggested(r, f.value)
		} else if f.required {
			values = c.suggested(r, f.value)
			values = values[:min(len(values), 1)]
		}
		if !f.required || len(values) == 0 {
			values = append(values, "")
		}
		configs = combined(configs, name, values)
	}
	for _, text := range configs {
		v := c.ctx.CompileString("{" + text + "}")
		if v.Err() == nil && takes(was, v) && !takes(is, v) {
			return "{" + text + "}", true
		}
	}
	return "", false
}

// combined are all configs with each of the values for one more field; "" leaves
// it out.
func combined(configs []string, name string, values []string) []string {
	var out []string
	for _, config := range configs {
		for _, value := range values {
			next := config
			if value != "" {
				next = strings.TrimPrefix(config+", "+label(name)+": "+value, ", ")
			}
			if out = append(out, next); len(out) == maxTogether {
				return out
			}
		}
	}
	return out
}

func label(name string) string { return cue.Str(name).String() }

// suggested are values that a field takes by itself and that a relation may tell
// apart.
func (c *comparison) suggested(r relation, v cue.Value) []string {
	candidates := []string{"true", "false"}
	for _, name := range sorted(r.names) {
		if n, err := strconv.Atoi(name); err == nil {
			candidates = append(candidates, strconv.Itoa(n-1), name, strconv.Itoa(n+1))
		}
		candidates = append(candidates, strconv.Quote(name))
	}
	candidates = append(append([]string{"0", "1", "2"}, candidates...), mentioned(v, 0)...)
	var out []string
	for _, text := range append(candidates, usual...) {
		x := c.ctx.CompileString(text)
		if x.Err() == nil && !filter.Contains(out, text) && takes(v, x) {
			if out = append(out, text); len(out) == 12 {
				break
			}
		}
	}
	return out
}
