package partial

import (
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// eachScope makes values of a slice without CUE: structs with fields for the members of lists and maps.
// As with a slice in scope, it is learnt of a level that CUE makes where the values have to lie.
type eachScope struct {
	structs []*depends.Each
	bare    *bareScope
	at      *places
}

// newEachScope is nil if one of the values is anything else.
func newEachScope(d *depends.Sources, paths [][]string, bare *bareScope) *eachScope {
	if bare == nil {
		return nil
	}
	e := &eachScope{bare: bare}
	for _, path := range paths {
		x := d.Each(path)
		if x == nil {
			return nil
		}
		e.structs = append(e.structs, x)
	}
	return e
}

// level makes the values; nil if CUE has to.
func (e *eachScope) level(config *value.Data) (out []*value.Data) {
	if e == nil || e.at.isUnclear() {
		return nil
	}
	for _, x := range e.structs {
		d := structOf(x, config)
		if d == nil {
			return nil
		}
		out = append(out, d)
	}
	return e.bare.typed(out)
}

// turn is one of a loop, with what its names stand for.
type turn struct{ key, member, config *value.Data }

// structOf makes the struct; nil if two turns make the same field, or one makes anything that is not
// certain.
func structOf(x *depends.Each, config *value.Data) *value.Data {
	out := value.NewStruct(fromcue.Pos(x.Loops[0].At))
	for _, l := range x.Loops {
		over := config.Get(l.Source...)
		if over == nil || !over.IsComposite() {
			return nil
		}
		for i, m := range over.Members() {
			t := turn{member: m.Value, config: config}
			if t.key = value.NewString(diag.NoPos, m.Name); over.Kind == value.List {
				t.key = value.NewInt(diag.NoPos, int64(i))
			} else if syntax.IsAside(m.Name) {
				return nil
			}
			fields, ok := t.fields(l.Fields)
			if !ok {
				return nil
			}
			out.Fields = append(out.Fields, fields...)
		}
	}
	return sorted(out)
}

// sorted puts the fields of a struct in order; nil if two have one name.
func sorted(d *value.Data) *value.Data {
	d = value.NewStruct(d.Pos, d.Fields...)
	if !isSet(d) {
		return nil
	}
	return d
}

func (t turn) fields(made []depends.Made) (out []value.Field, ok bool) {
	for _, m := range made {
		name, ok := t.text(m.Name)
		d := t.value(m)
		if !ok || d == nil || !isPlainName(name) {
			return nil, false
		}
		out = append(out, value.Field{Name: name, Value: d})
	}
	return out, true
}

// isPlainName reports whether a text is the name of a field as it is: CUE joins characters that are made
// of several in names, and the names of hidden fields and definitions begin with _ and #.
func isPlainName(s string) bool {
	return !strings.HasPrefix(s, "_") && !strings.HasPrefix(s, "#") && strconv.CanBackquote(s) &&
		!strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// value makes one value; nil if that is not certain.
func (t turn) value(m depends.Made) *value.Data {
	pos := fromcue.Pos(m.At)
	switch {
	case m.Literal != nil:
		return spread.Literal(m.Literal, pos)
	case m.Fields != nil:
		fields, ok := t.fields(m.Fields)
		if !ok {
			return nil
		}
		if !pos.IsValid() {
			pos = fromcue.Pos(m.Label)
		}
		return sorted(&value.Data{Pos: pos, Fields: fields})
	case m.Value.Text:
		text, ok := t.text(m.Value.Pieces)
		if !ok {
			return nil
		}
		return value.NewString(pos, text)
	}
	d := t.piece(m.Value.Pieces[0])
	if d == nil || d.IsComposite() {
		return nil
	}
	if m.Value.Pieces[0].Of == depends.Key {
		return &value.Data{Kind: d.Kind, Text: d.Text, Pos: pos}
	}
	return &value.Data{Kind: d.Kind, Text: d.Text, Pos: d.Pos}
}

// piece is what a piece stands for; nil if there is nothing, as for a text.
func (t turn) piece(p depends.Piece) *value.Data {
	switch {
	case p.Of == depends.Member:
		return t.member
	case p.Of == depends.Key:
		return t.key
	case p.Path != nil:
		return t.config.Get(p.Path...)
	}
	return nil
}

// textKinds are those of values that CUE writes into a text as they are.
var textKinds = []value.Kind{value.String, value.Int, value.Bool}

// text joins pieces; false if one is for CUE to write.
func (t turn) text(pieces []depends.Piece) (string, bool) {
	var b strings.Builder
	for _, p := range pieces {
		if p.Of == depends.None && p.Path == nil {
			b.WriteString(p.Text)
			continue
		}
		d := t.piece(p)
		if d == nil || !slices.Contains(textKinds, d.Kind) {
			return "", false
		}
		b.WriteString(d.Text)
	}
	return b.String(), true
}
