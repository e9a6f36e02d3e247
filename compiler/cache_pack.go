package compiler

import (
	"encoding/binary"

	"kumiki.dev/value"
)

// packer is bytes that values are appended to, each in a form that says where it
// ends.
type packer []byte

func (p *packer) number(n int) { *p = binary.AppendUvarint(*p, uint64(n)) }

func (p *packer) text(b []byte) {
	p.number(len(b))
	*p = append(*p, b...)
}

func (p *packer) flag(is bool) {
	if is {
		p.number(1)
		return
	}
	p.number(0)
}

func (p *packer) ref(r value.Ref) {
	for _, s := range []string{r.BuildMetadata, r.Domain, r.Kind, r.Module, r.Name, r.Prerelease} {
		p.text([]byte(s))
	}
	p.number(len(r.Version))
	for _, n := range r.Version {
		p.number(n)
	}
}

func (p *packer) data(d *value.Data) {
	p.flag(d != nil)
	if d == nil {
		return
	}
	p.number(int(d.Kind))
	switch d.Kind {
	case value.Struct:
		p.number(len(d.Fields))
		for _, f := range d.Fields {
			p.text([]byte(f.Name))
			p.data(f.Value)
		}
	case value.List:
		p.number(len(d.Items))
		for _, x := range d.Items {
			p.data(x)
		}
	default:
		p.text([]byte(d.Text))
	}
}

// unpacker reads what a packer has written, in the same order. When that is not
// what is there, it is bad, and all values are zero from then on.
type unpacker struct {
	rest []byte
	bad  bool
}

// maxPacked is how deep values may lie in each other, more than any meta is.
const maxPacked = 1000

func (u *unpacker) number() int {
	n, size := binary.Uvarint(u.rest)
	if u.bad = u.bad || size <= 0 || n > uint64(maxCache); u.bad {
		return 0
	}
	u.rest = u.rest[size:]
	return int(n)
}

func (u *unpacker) text() []byte {
	n := u.number()
	if u.bad = u.bad || n > len(u.rest); u.bad {
		return nil
	}
	text := u.rest[:n:n]
	u.rest = u.rest[n:]
	return text
}

func (u *unpacker) flag() bool { return u.number() == 1 }

func (u *unpacker) ref() value.Ref {
	var r value.Ref
	for _, s := range []*string{&r.BuildMetadata, &r.Domain, &r.Kind, &r.Module, &r.Name, &r.Prerelease} {
		*s = string(u.text())
	}
	for n := u.number(); n > 0 && !u.bad; n-- {
		r.Version = append(r.Version, u.number())
	}
	return r
}

func (u *unpacker) data(depth int) *value.Data {
	if u.bad = u.bad || depth > maxPacked; !u.flag() || u.bad {
		return nil
	}
	d := &value.Data{Kind: value.Kind(u.number())}
	u.bad = u.bad || d.Kind > value.Struct
	switch d.Kind {
	case value.Struct:
		for n := u.number(); n > 0 && !u.bad; n-- {
			d.Fields = append(d.Fields, value.Field{Name: string(u.text()), Value: u.data(depth + 1)})
		}
	case value.List:
		for n := u.number(); n > 0 && !u.bad; n-- {
			d.Items = append(d.Items, u.data(depth+1))
		}
	default:
		d.Text = string(u.text())
	}
	return d
}
