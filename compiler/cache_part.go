package compiler

import (
	"bytes"
	"encoding/hex"
	"encoding/json"

	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/cache"
	"kumiki.dev/solution"
	"kumiki.dev/spread"
)

// part is a service or builtin as the cache has it. An entry is a line of JSON,
// the part, and then the bytes of its artifact and config, and of those of the
// parts within it in the order of their roles.
type part struct {
	Ref     spread.Ref   `json:"ref"`
	Builtin bool         `json:"builtin,omitempty"`
	Srv     *spread.Data `json:"srv"`
	// Artifact and Config are lengths in bytes.
	Artifact int        `json:"artifact"`
	Config   int        `json:"config"`
	Roles    []partRole `json:"roles,omitempty"`
}

// partRole is a role of a part: that of a component, which is within the bytes
// of the part, or of what is a deployment of its own: kept apart under its key,
// or, having none, here.
type partRole struct {
	Name string       `json:"name"`
	Meta *spread.Data `json:"meta"`
	Ref  *spread.Ref  `json:"component,omitempty"`
	Key  string       `json:"key,omitempty"`
	Part *part        `json:"part,omitempty"`
}

// keep puts a node that has become the deployment of that name into the cache,
// and everything below it first. What has no key is returned as a part, with the
// bytes that belong to it.
func (k *keeper) keep(n *spread.Node, s *solution.Solution, name string) (partRole, []byte, error) {
	key, own := k.keys[n]
	role := partRole{Key: hex.EncodeToString(key[:])}
	if own && (n.Kept != nil || k.put[key]) {
		return role, nil, nil // it is there
	}
	p, body, err := k.part(n, s, name)
	if err != nil || !own {
		return partRole{Part: p}, body, err
	}
	head, err := json.Marshal(p)
	if err != nil {
		return role, nil, err
	}
	k.put[key] = true
	return role, nil, k.cache.dir.Put(key, append(append(head, '\n'), body...))
}

// part makes the part of a node, and the bytes that belong to it.
func (k *keeper) part(n *spread.Node, s *solution.Solution, name string) (*part, []byte, error) {
	bytes, err := s.Kept(name)
	if err != nil {
		return nil, nil, err
	}
	p := &part{Ref: n.Ref, Builtin: n.Builtin, Srv: n.Description.Get("srv"), Artifact: len(bytes.Artifact), Config: len(bytes.Config)}
	body := append(bytes.Artifact, bytes.Config...)
	for _, r := range n.Roles {
		role := partRole{Ref: &r.Node.Ref}
		if r.Node.Ref.Kind != "component" || r.Node.Builtin {
			var inner []byte
			if role, inner, err = k.keep(r.Node, s, name+"."+r.Name); err != nil {
				return nil, nil, err
			}
			body = append(body, inner...)
		}
		role.Name, role.Meta = r.Name, r.Meta
		p.Roles = append(p.Roles, role)
	}
	return p, body, nil
}

// read makes a node of an entry and of those below it; nil if one is not there.
func (k *keeper) read(p *spread.Package, key cache.Key) *spread.Node {
	entry, ok := k.cache.dir.Get(key)
	if !ok {
		return nil
	}
	head, body, _ := bytes.Cut(entry, []byte("\n"))
	var of part
	if json.Unmarshal(head, &of) != nil {
		return nil
	}
	n, _ := k.node(p, &of, body)
	if n != nil {
		k.keys[n] = key
	}
	return n
}

// node makes a node of a part and of the bytes that begin with its own, and
// returns the bytes that follow. The package is that of whoever asked: nothing
// is reported about what is kept, so that nobody asks for its own.
func (k *keeper) node(p *spread.Package, of *part, body []byte) (*spread.Node, []byte) {
	size := of.Artifact + of.Config
	if of.Artifact < 0 || of.Config < 0 || size > len(body) {
		return nil, nil
	}
	n := &spread.Node{
		Package: p, Ref: of.Ref, Builtin: of.Builtin,
		Config:      spread.NewStruct(token.NoPos),
		Description: spread.NewStruct(token.NoPos, spread.Field{Name: "srv", Value: of.Srv}),
		Kept:        &spread.Kept{Artifact: body[:of.Artifact], Config: body[of.Artifact:size]},
	}
	body = body[size:]
	for _, r := range of.Roles {
		role := &spread.Role{Name: r.Name, Meta: r.Meta}
		switch {
		case r.Ref != nil:
			role.Node = &spread.Node{Package: p, Ref: *r.Ref}
		case r.Part != nil:
			role.Node, body = k.node(p, r.Part, body)
		default:
			var key cache.Key
			if _, err := hex.Decode(key[:], []byte(r.Key)); err != nil || len(r.Key) != 2*len(key) {
				return nil, nil
			}
			role.Node = k.read(p, key)
		}
		if role.Node == nil {
			return nil, nil
		}
		n.Roles = append(n.Roles, role)
	}
	return n, body
}
