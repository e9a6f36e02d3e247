package swarm

import (
	"slices"

	"kumiki.dev/targets"
)

// Inventory is the configs and secrets of a stack: those that it owns, by the
// names that they have in the swarm, and those that have to be there before it.
type Inventory struct {
	Configs, Secrets                 []string
	ExternalConfigs, ExternalSecrets []string
}

// Names lists the configs and secrets of the stack that objects become under a
// name. docker stack deploy leaves those of earlier versions behind: what an
// older solution owns, and a newer one does not, can be removed.
func Names(stack string, objects []targets.Object) Inventory {
	var i Inventory
	for _, o := range objects {
		f, ok := o.Value.(*File)
		switch {
		case !ok:
		case f.External && o.Kind == ConfigKind:
			i.ExternalConfigs = append(i.ExternalConfigs, f.Name)
		case f.External:
			i.ExternalSecrets = append(i.ExternalSecrets, f.Name)
		case o.Kind == ConfigKind:
			i.Configs = append(i.Configs, stack+"_"+o.Name)
		default:
			i.Secrets = append(i.Secrets, stack+"_"+o.Name)
		}
	}
	for _, names := range [][]string{i.Configs, i.Secrets, i.ExternalConfigs, i.ExternalSecrets} {
		slices.Sort(names)
	}
	return i
}
