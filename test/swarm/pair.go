package swarm

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// StartPair starts two engines that are joined by a cable and are one swarm: a manager,
// whose hostname is one, and a worker, two. See [Start].
func StartPair(ctx context.Context, image string) (manager, worker *Engine, err error) {
	var engines [2]*Engine
	var errs [2]error
	var both sync.WaitGroup
	for i, hostname := range []string{"one", "two"} {
		both.Go(func() { engines[i], errs[i] = alone(ctx, image, hostname) })
	}
	both.Wait()
	for _, one := range errs {
		if one != nil {
			err = one
		}
	}
	if err == nil {
		err = join(ctx, engines[0], engines[1])
	}
	if err != nil {
		for _, e := range engines {
			if e != nil {
				e.Stop()
			}
		}
		return nil, nil, err
	}
	return engines[0], engines[1], nil
}

// join lays the cable, which ends with the engines' networks, and makes the swarm.
func join(ctx context.Context, manager, worker *Engine) error {
	const to, from = "198.51.100.1", "198.51.100.2"
	pid := func(e *Engine) string { return strconv.Itoa(e.child()) }
	commands := []*exec.Cmd{
		exec.CommandContext(ctx, "ip", "link", "add", "cable", "netns", pid(manager), "type", "veth", "peer", "name", "cable", "netns", pid(worker)),
		manager.Inside("ip", "address", "add", to+"/24", "dev", "cable"), manager.Inside("ip", "link", "set", "cable", "up"),
		worker.Inside("ip", "address", "add", from+"/24", "dev", "cable"), worker.Inside("ip", "link", "set", "cable", "up"),
	}
	for _, cmd := range commands {
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, out)
		}
	}
	if _, err := manager.Docker(ctx, "", "swarm", "init", "--advertise-addr", to); err != nil {
		return err
	}
	token, err := manager.Docker(ctx, "", "swarm", "join-token", "-q", "worker")
	if err != nil {
		return err
	}
	_, err = worker.Docker(ctx, "", "swarm", "join", "--advertise-addr", from, "--token", strings.TrimSpace(token), to+":2377")
	return err
}
