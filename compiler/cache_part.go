package compiler

import (
	"kumiki.dev/diag"
	"kumiki.dev/internal/cache"
	"kumiki.dev/solution"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// minEntry is how many bytes are worth an entry of their own. What has fewer is
// within the entry of the service around it: hundreds of small files would take
// longer to read than a few small services to make.
const minEntry = 64 << 10

// An entry is a part: what is known of a service or builtin, its artifact and its
// config as the solution has them, and its roles. Those that became deployments of
// their own are parts again, or the keys of entries.

// How a role goes on in a part.
const (
	asComponent = iota
	asPart
	asEntry
)

// keep writes a node that has become the deployment of that name, and puts into
// the cache what is large enough. It returns nil for what was put there, or was
// there.
func (k *keeper) keep(n *value.Node, made *solution.Encoded, name string) (packer, error) {
	key, own := k.keys[n]
	if own && (n.Kept != nil || k.put[key]) {
		return nil, nil
	}
	p, err := k.part(n, made, name)
	if err != nil || !own || len(p) < minEntry && n != k.root {
		return p, err
	}
	k.put[key] = true
	return nil, k.cache.dir.Put(key, p)
}

func (k *keeper) part(n *value.Node, made *solution.Encoded, name string) (packer, error) {
	kept := made.Kept(name)
	var p packer
	p.ref(n.Ref)
	p.flag(n.Builtin)
	p.data(n.Description.Get("srv"))
	p.text(kept.Artifact)
	p.text(kept.Config)
	p.number(len(n.Roles))
	for _, r := range n.Roles {
		p.text([]byte(r.Name))
		p.data(r.Meta)
		if err := k.role(&p, r.Node, made, name+"."+r.Name); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (k *keeper) role(p *packer, n *value.Node, made *solution.Encoded, name string) error {
	if n.Ref.Kind == "component" && !n.Builtin {
		p.number(asComponent)
		p.ref(n.Ref)
		return nil
	}
	part, err := k.keep(n, made, name)
	switch {
	case err != nil:
		return err
	case part != nil:
		p.number(asPart)
		*p = append(*p, part...)
	default:
		key := k.keys[n]
		p.number(asEntry)
		p.text(key[:])
	}
	return nil
}

// read makes a node of an entry and of those below it; nil if one is not there.
func (k *keeper) read(pkg *spread.Package, key cache.Key) *value.Node {
	if n, ok := k.nodes[key]; ok {
		return n
	}
	k.nodes[key] = nil // for good if it is not there, or if it is within itself
	entry, ok := k.cache.dir.Get(key)
	if !ok {
		return nil
	}
	u := &unpacker{rest: entry}
	n := k.node(pkg, u)
	if u.bad || len(u.rest) > 0 {
		return nil
	}
	k.keys[n], k.nodes[key] = key, n
	return n
}

// node makes a node of a part. The package is that of whoever asked: nothing is
// reported about what is kept, so that nobody asks for its own.
func (k *keeper) node(pkg *spread.Package, u *unpacker) *value.Node {
	k.within++
	defer func() { k.within-- }()
	if u.bad = u.bad || k.within > maxPacked; u.bad {
		return nil
	}
	n := &value.Node{Package: pkg, Ref: u.ref(), Builtin: u.flag(), Config: value.NewStruct(diag.NoPos)}
	n.Description = value.NewStruct(diag.NoPos, value.Field{Name: "srv", Value: u.data(0)})
	n.Kept = &value.Kept{Artifact: u.text(), Config: u.text()}
	for range u.number() {
		r := &value.Role{Name: string(u.text()), Meta: u.data(0)}
		switch u.number() {
		case asComponent:
			r.Node = &value.Node{Package: pkg, Ref: u.ref()}
		case asPart:
			r.Node = k.node(pkg, u)
		case asEntry:
			var key cache.Key
			copy(key[:], u.text())
			r.Node = k.read(pkg, key)
		}
		if u.bad = u.bad || r.Node == nil; u.bad {
			return n
		}
		n.Roles = append(n.Roles, r)
	}
	return n
}
