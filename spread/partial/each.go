package partial

import (
	"strconv"
	"strings"

	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// eachScope makes the values of a slice without CUE, if all of them are structs that [depends.Each]
// describes. The positions of the values are learnt from a level that CUE makes, as for [bareScope].
type eachScope struct {
	structs []*depends.Each
	bare    *bareScope
	at      *places
}

// newEachScope is nil if CUE has to make one of the values.
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

// level makes the values with a config. It is nil if CUE has to make them.
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

// turn is one turn of a loop: the values of its two variables, and the config.
type turn struct{ key, member, config *value.Data }

// structOf makes a struct with a config. It is nil if two turns make the same field, or if a value is
// one that Go cannot make.
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

// isPlainName reports whether CUE takes a text as the name of a field unchanged. It normalises names
// with other than ASCII characters, and _ and # begin the names of hidden fields and definitions.
func isPlainName(s string) bool {
	return !syntax.IsAside(s) && strconv.CanBackquote(s) && !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// value makes a value. It is nil if CUE has to make it.
func (t turn) value(m depends.Made) *value.Data {
	pos := fromcue.Pos(m.At)
	switch {
	case m.Literal != nil:
		return fromcue.Literal(m.Literal, pos)
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

// piece is the value that a piece stands for. It is nil for a text, and where config has no value.
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

// text joins pieces to a text. It is false if only CUE can write one of them.
func (t turn) text(pieces []depends.Piece) (string, bool) {
	var b strings.Builder
	for _, p := range pieces {
		if p.Of == depends.None && p.Path == nil {
			b.WriteString(p.Text)
			continue
		}
		d := t.piece(p)
		if !spread.IsInText(d) {
			return "", false
		}
		b.WriteString(d.Text)
	}
	return b.String(), true
}
