package swarm

import (
	"fmt"
	"path"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// What Swarm allows: the names of services with the stack's name before them,
// and those of configs and secrets likewise.
const (
	maxServiceName = 63
	maxFileName    = 64
	minRoom        = maxServiceName - 1 - targets.MaxStackName // what must be left for names, with the hashes in them
)

// names makes the names of a stack's parts. A stack is given its name when it
// is deployed; that it is [StackName], or not longer, is assumed.
type names struct {
	room int // for the name of a part, in front of which the stack's name and a _ go
	top  string
}

func newNames(s *solution.Solution) names {
	return names{room: maxServiceName - len(StackName(s.Ref.Name)) - 1, top: s.Top}
}

// begins is what the names of services may begin with, as those of a stack's do
// with that of the stack.
var begins = lazyregexp.New(`^[a-zA-Z0-9]([-_]*[a-zA-Z0-9])*$`)

// StackName is the name that the stack of a solution is deployed under: the
// solution's, or one with a hash where Swarm takes no services of a stack called
// so.
func StackName(solution string) string {
	if begins().MatchString(solution) {
		return solution
	}
	return targets.Hashed(maxServiceName-minRoom-1, solution)
}

// of is the name of a part, made of the path of what it stands for.
func (n names) of(path ...string) string { return targets.Name(n.room, path...) }

// maxBase is how much of a file's own name is kept in that of its config.
const maxBase = 20

// hashed is the name of a config with this content: of a role, and ending with
// the file's name and a hash. What has the same name has the same content.
func (n names) hashed(content []byte, deployment, role, file string) string {
	base := strings.Trim(strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, path.Base(file)), "._-")
	suffix := "-" + base[max(0, len(base)-maxBase):] + "-" + targets.Hash(content)
	return targets.Name(n.room-len(suffix), deployment, role) + suffix
}

// network is the name of the network of a client channel. A container that asks
// for a name is answered from its networks in the order of their names: those of
// a higher rank sort behind all of a lower one, as "_" does behind "-".
func (n names) network(rank int, path ...string) string {
	name := targets.Name(n.room-len("_000"), path...)
	label, rest, ok := strings.Cut(name, "-")
	if rank == 0 || !ok {
		return name
	}
	return fmt.Sprintf("%s_%03d-%s", label, rank, rest)
}

// outside is the name of the network by which a role connects to the world outside. A network
// never changes: one that leads outside cannot have the name of one that does not.
func (n names) outside(path ...string) string {
	const suffix = "_outside"
	return targets.Name(n.room-len(suffix), path...) + suffix
}

var registrable = lazyregexp.New(`^[a-zA-Z0-9]([a-zA-Z0-9_.-]*[a-zA-Z0-9])?$`)

// registeredName is the name under which Swarm has to know a registered resource:
// its id, "owner-name" for that of somebody else, with a suffix that says what it
// is where it is no secret, and with a hash where Swarm takes no such name.
func registeredName(kind, id, suffix string) string {
	name := strings.ReplaceAll(id, "/", "-")
	short := kind == VolumeKind && len(name) == 1 // Docker has no volumes of one letter
	if !registrable().MatchString(name) || len(name)+len(suffix) > maxFileName || short {
		name = targets.Hashed(min(targets.MaxName, maxFileName-len(suffix)), id)
	}
	return name + suffix
}

// registeredAs is [registeredName]. Ids that come out the same are reported.
func (b *builder) registeredAs(kind, id, suffix string) string {
	name := registeredName(kind, id, suffix)
	key := kind + "/" + name
	if old, ok := b.registered[key]; ok && old != id {
		b.broken(diag.TargetName, "%q and %q, which are registered in the cluster, would both be called %s there: rename one of them", old, id, name)
	}
	b.registered[key] = id
	return name
}

// The suffixes of registered resources.
const (
	secretSuffix      = ""
	certificateSuffix = ".pem"
	caSuffix          = ".ca.pem"
	domainSuffix      = ".domain"
	portSuffix        = ".port"
)
