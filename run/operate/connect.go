package operate

import (
	"fmt"

	"kumiki.dev/live"
	"kumiki.dev/live/application"
	cluster "kumiki.dev/live/kubernetes"
	engine "kumiki.dev/live/swarm"
	"kumiki.dev/run/record"
	"kumiki.dev/targets/kubernetes"
	"kumiki.dev/targets/swarm"
)

// agent is what environments are told of who asks.
const agent = "kumikid"

// Here finds the environments that this machine reaches: those of a kubeconfig, "" for the one
// that kubectl would use, and docker's.
func Here(kubeconfig string) Connector {
	return func(e record.Environment) (live.System, application.Lowering, error) {
		switch e.Target {
		case "kubernetes":
			by := application.Lowering{Name: e.Target, Lower: kubernetes.Lower, Orchestrator: kubernetes.Orchestrator{}}
			if err := kubernetes.Check(e.Options); err != nil {
				return nil, by, err
			}
			c, err := cluster.Connect(cluster.Options{Kubeconfig: kubeconfig, Context: e.Context, Namespace: e.Options.Namespace, Agent: agent})
			return c, by, err
		case "swarm":
			by := application.Lowering{Name: e.Target, Lower: swarm.Lower, Orchestrator: swarm.Orchestrator{}}
			s, err := engine.Connect(engine.Options{Context: e.Context, Agent: agent})
			return s, by, err
		}
		return nil, application.Lowering{}, fmt.Errorf("target is %q; there are kubernetes and swarm", e.Target)
	}
}
