package swarm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/client"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/targets"
)

// requestTimeout is how long the engine may take to answer one request other than for events.
const requestTimeout = 30 * time.Second

// Options say which engine it is; the zero value is what docker would use.
type Options struct {
	// Context is the name of a docker context.
	Context string
	// Agent is what the engine is told of who asks.
	Agent string
}

// Swarm is a swarm, seen from one of its managers. It is for several goroutines.
type Swarm struct {
	// Name is the docker context's, or the engine's address: nothing of its credentials.
	Name string

	client *client.Client

	mu     sync.Mutex
	found  map[engine.ID]found // as they were listed or written last
	bodies map[engine.ID]body  // what the fields of networks and configs do not have
	needs  map[string]string   // what makes an external object, by kind and name
	ids    map[string]string   // of networks, configs and secrets, by kind and name
	nodes  map[string]string   // names, by IDs
	taken  map[uint32]string   // published ports, with the services that publish them
	owned  map[string]bool     // configs and networks that are made with the services, by kind and name
	warned []string
}

// body is what is written with an object beside its fields.
type body struct {
	labels map[string]string
	data   []byte
}

// Connect reads docker's configuration, and asks the engine nothing yet.
func Connect(o Options) (*Swarm, error) {
	s := &Swarm{found: map[engine.ID]found{}, bodies: map[engine.ID]body{}, needs: map[string]string{}, ids: map[string]string{}, owned: map[string]bool{}}
	e, err := endpointOf(o.Context)
	if err != nil {
		return nil, err
	}
	s.Name = cmp.Or(e.name, e.Host, client.DefaultDockerHost)
	options := []client.Opt{client.WithUserAgent(o.Agent), client.WithAPIVersionFromEnv()}
	switch {
	case strings.HasPrefix(e.Host, "ssh://"):
		dial, err := overSSH(e.Host)
		if err != nil {
			return nil, err
		}
		options = append(options, client.WithHost("http://docker.example.com"), client.WithDialContext(dial))
	case e.name == "":
		options = append([]client.Opt{client.FromEnv}, options...)
	default:
		options = append(options, e.options()...)
	}
	if s.client, err = client.New(options...); err != nil {
		return nil, fmt.Errorf("no docker engine: %w; DOCKER_HOST or --context NAME says which", err)
	}
	return s, nil
}

// endpoint is where an engine is.
type endpoint struct {
	Host          string
	SkipTLSVerify bool

	name string // of the context, "" for what the environment says
	tls  string // the directory of its keys, which may not be there
}

// endpointOf finds the engine as docker does: --context, DOCKER_HOST, DOCKER_CONTEXT, the
// current context, in this order.
func endpointOf(name string) (endpoint, error) {
	home := os.Getenv("DOCKER_CONFIG")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return endpoint{}, err
		}
		home = filepath.Join(user, ".docker")
	}
	host := os.Getenv(client.EnvOverrideHost)
	if name == "" && host == "" {
		if name = os.Getenv("DOCKER_CONTEXT"); name == "" {
			name = currentContext(home)
		}
	}
	if name == "" || name == "default" {
		return endpoint{Host: host}, nil
	}
	return contextOf(home, name)
}

// currentContext is the one that docker context use has set, "" for none.
func currentContext(home string) string {
	var config struct {
		CurrentContext string `json:"currentContext"`
	}
	text, err := os.ReadFile(filepath.Join(home, "config.json"))
	if err != nil || json.Unmarshal(text, &config) != nil {
		return ""
	}
	return config.CurrentContext
}

// contextOf reads a docker context: its directory is called for a hash of its name.
func contextOf(home, name string) (endpoint, error) {
	sum := sha256.Sum256([]byte(name))
	id := hex.EncodeToString(sum[:])
	text, err := os.ReadFile(filepath.Join(home, "contexts", "meta", id, "meta.json"))
	if errors.Is(err, os.ErrNotExist) {
		return endpoint{}, fmt.Errorf("there is no docker context %q: docker context ls lists them", name)
	}
	var meta struct {
		Endpoints map[string]endpoint
	}
	if err == nil {
		err = json.Unmarshal(text, &meta)
	}
	if err != nil {
		return endpoint{}, fmt.Errorf("the docker context %q: %w", name, err)
	}
	e, ok := meta.Endpoints["docker"]
	if !ok {
		return endpoint{}, fmt.Errorf("the docker context %q has no docker endpoint", name)
	}
	e.name, e.tls = name, filepath.Join(home, "contexts", "tls", id, "docker")
	return e, nil
}

// options are those of the client for a context.
func (e endpoint) options() []client.Opt {
	var out []client.Opt
	file := func(name string) string {
		path := filepath.Join(e.tls, name)
		if _, err := os.Stat(path); err != nil {
			return ""
		}
		return path
	}
	if ca, cert, key := file("ca.pem"), file("cert.pem"), file("key.pem"); ca != "" || cert != "" {
		out = append(out, client.WithTLSClientConfig(ca, cert, key))
	}
	if e.Host != "" {
		out = append(out, client.WithHost(e.Host))
	}
	return out
}

// Where implements [live.System].
func (s *Swarm) Where() string { return "swarm " + s.Name }

// Warnings implements [live.System].
func (s *Swarm) Warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	texts := s.warned
	s.warned = nil
	return texts
}

func (s *Swarm) warn(texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		if !filter.Contains(s.warned, text) {
			s.warned = append(s.warned, text)
		}
	}
}

// limited is a context for one request.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, requestTimeout)
}

// real is the name that an object has in the swarm: that of its stack goes before it.
func real(id engine.ID) string {
	if id.Namespace == "" {
		return id.Name
	}
	return id.Namespace + "_" + id.Name
}

// solutionLabel is the label's value of the objects of a solution.
func solutionLabel(solution string) string {
	return targets.ForeignLabels(solution, "", "")[targets.SolutionLabel]
}
