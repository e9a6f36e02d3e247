package check

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/guards"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// choice is a field of the config and what it may be given.
type choice struct {
	path     guards.Path
	schema   cue.Value // what is declared for it; it need not exist
	optional bool
	values   []*value.Data   // worth trying one by one
	spare    []*value.Data   // see [checker.spare]; nil until they are looked for
	known    map[string]bool // the values that are the same as one of these, as JSON
	pos      diag.Pos        // of its values
}

// assignment is what is given, for some choices; for the others it is the base.
type assignment map[*choice]*value.Data

// maxChoices bounds the fields that are varied.
const maxChoices = 200

// choiceAt returns the choice of a path, a new one if there is none.
func (c *checker) choiceAt(key string) *choice {
	path := pathOf(key)
	i, found := slices.BinarySearchFunc(c.choices, path, func(ch *choice, p []string) int { return slices.Compare(ch.path, p) })
	if found {
		return c.choices[i]
	}
	ch := &choice{known: map[string]bool{}, path: path, schema: c.schemaAt(path), pos: diag.At(c.given.Pos(len(c.choices)+1, token.NoRelPos))}
	c.choices = append(c.choices, nil)
	copy(c.choices[i+1:], c.choices[i:])
	c.choices[i] = ch
	return ch
}

// schemaAt is what the artifact declares at a path of its config.
func (c *checker) schemaAt(path []string) cue.Value {
	v := c.unit.Config
	for _, name := range path {
		switch name {
		case guards.Member:
			item := v.LookupPath(cue.MakePath(cue.AnyIndex))
			if !item.Exists() {
				item = v.LookupPath(cue.MakePath(cue.AnyString))
			}
			v = item
		case guards.Label:
			return cue.Value{}
		default:
			v = fromcue.Lookup(v, []string{name})
		}
		if !v.Exists() {
			return cue.Value{}
		}
	}
	return v
}

// config is the configuration of an assignment.
func (c *checker) config(a assignment) *value.Data {
	out := value.OrEmpty(nil)
	for _, ch := range c.choices { // a struct comes before its fields
		if v := c.valueOf(ch, a); v != nil {
			out = c.put(out, nil, ch.path, v)
		}
	}
	return out
}

// valueOf is what an assignment gives, nil for nothing.
func (c *checker) valueOf(ch *choice, a assignment) *value.Data {
	if v, ok := a[ch]; ok {
		return v
	}
	return c.base[ch]
}

// put returns a copy of d, which lies at path, in which the part at rest is v. Of
// the members of a struct or list it is the first, one that stands in if there
// is none.
func (c *checker) put(d *value.Data, path, rest []string, v *value.Data) *value.Data {
	if len(rest) == 0 {
		return v
	}
	name, below := rest[0], append(slices.Clip(path), rest[0])
	switch name {
	case guards.Label:
		return value.NewStruct(v.Pos, value.Field{Name: v.Text, Value: c.member(append(slices.Clip(path), guards.Member), v.Pos)})
	case guards.Member:
		return c.putMember(d, below, rest[1:], v)
	}
	return d.Set(name, c.put(d.Get(name), below, rest[1:], v))
}

func (c *checker) putMember(d *value.Data, path, rest []string, v *value.Data) *value.Data {
	isList := c.schemaAt(path[:len(path)-1]).IncompleteKind()&cue.ListKind != 0
	var first *value.Data
	switch {
	case d != nil && len(d.Items) > 0:
		first = d.Items[0]
	case d != nil && len(d.Fields) > 0:
		first = d.Fields[0].Value
	default:
		first = c.member(path, v.Pos)
	}
	first = c.put(first, path, rest, v)
	switch {
	case d != nil && len(d.Fields) > 0:
		return d.Set(d.Fields[0].Name, first)
	case isList:
		return &value.Data{Kind: value.List, Items: []*value.Data{first}, Pos: v.Pos}
	}
	return value.NewStruct(v.Pos, value.Field{Name: memberName, Value: first})
}

// memberName is the label of a member that stands in.
const memberName = "a"

// member stands in for a member of the struct or list above path.
func (c *checker) member(path []string, pos diag.Pos) *value.Data {
	schema := c.schemaAt(path)
	if !schema.Exists() {
		return value.NewStruct(pos)
	}
	return c.eval.StandIn(schema, pos)
}

// survey finds the fields of the config that may be given, and what to try.
func (c *checker) survey() {
	for _, section := range []string{"parameter", "resource"} {
		c.surveyFields(c.unit.Config.LookupPath(spread.PathOf([]string{section})), []string{section})
	}
	c.surveyHints(c.sources.Hints())
	c.surveyRoles(c.first)
	for _, ch := range c.choices {
		c.fillValues(ch)
	}
}

// surveyFields makes choices of the fields of a struct that vary by their type.
func (c *checker) surveyFields(v cue.Value, path []string) {
	fields, err := fromcue.Fields(v, cue.Optional(true))
	if err != nil || len(c.choices) > maxChoices {
		return
	}
	for fields.Next() {
		field := fields.Value()
		at := append(slices.Clip(path), fields.Name())
		optional := fields.FieldType()&cue.OptionalConstraint != 0
		isResource := path[0] == "resource" && wording.ResourceKind(field) != ""
		if values := c.alternativesOf(field); optional || isResource || len(values) > 0 {
			ch := c.choiceAt(pathKey(at))
			ch.schema, ch.optional = field, optional
		}
		if !isResource {
			c.surveyFields(field, at)
		}
	}
}

// surveyHints makes choices of the fields that the sources compare.
func (c *checker) surveyHints(hints []*guards.Hints) {
	for _, h := range hints {
		path := c.whole(h.Path)
		if len(path) < 2 && (len(path) == 0 || path[0] != "resilience") {
			continue
		}
		if len(c.choices) < maxChoices {
			c.choiceAt(pathKey(path))
			c.hints[pathKey(path)] = append(c.hints[pathKey(path)], h)
		}
	}
}

// whole is the path of what a deployer gives as one: of a resource, not its parts.
func (c *checker) whole(path guards.Path) guards.Path {
	if path[0] == "resource" {
		for n := 2; n <= len(path); n++ {
			if wording.ResourceKind(c.schemaAt(path[:n])) != "" {
				return path[:n]
			}
		}
	}
	return path
}

// declaredAt is where the sources declare a choice.
func (c *checker) declaredAt(ch *choice) diag.Pos {
	for n := len(ch.path); n > 0; n-- {
		if x := c.sources.Declared(ch.path[:n]); len(x) > 0 {
			return fromcue.Pos(x[0])
		}
	}
	return diag.NoPos
}

// plainPath is the path of a choice as people write it.
func plainPath(path []string) []string {
	var out []string
	for _, name := range path {
		switch name {
		case guards.Member:
			out = append(out, memberName)
		case guards.Label:
		default:
			out = append(out, name)
		}
	}
	return out
}
