// Package swarm holds the parts of Docker Swarm that the tests run the target's
// stacks through: the client's loader and converter, the manager's control API
// and loops on a store in memory, and a real engine in namespaces of its own.
package swarm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/distribution/reference"
	"github.com/docker/cli/cli/compose/convert"
	"github.com/docker/cli/cli/compose/loader"
	"github.com/docker/cli/cli/compose/schema"
	composetypes "github.com/docker/cli/cli/compose/types"
	"github.com/moby/moby/api/types/swarm"
	"github.com/moby/moby/client"

	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
)

// Specs is what docker stack deploy makes of a stack file and sends to a manager.
type Specs struct {
	Config   *composetypes.Config
	Services map[string]swarm.ServiceSpec
	Networks map[string]client.NetworkCreateOptions
	Secrets  []swarm.SecretSpec
	Configs  []swarm.ConfigSpec
	// Ignored is what docker stack deploy says it ignores.
	Ignored []string
}

// registry answers the two questions that the converter asks a manager. Every
// other one panics.
type registry struct {
	client.APIClient
	secrets []swarm.Secret
	configs []swarm.Config
}

func (r registry) SecretList(context.Context, client.SecretListOptions) (client.SecretListResult, error) {
	return client.SecretListResult{Items: r.secrets}, nil
}

func (r registry) ConfigList(context.Context, client.ConfigListOptions) (client.ConfigListResult, error) {
	return client.ConfigListResult{Items: r.configs}, nil
}

// Load does what docker stack deploy does before it speaks to a manager. The
// files of the stack are written to dir. External configs and secrets are taken
// to exist.
func Load(stack, dir string, objects []targets.Object) (*Specs, error) {
	var data bytes.Buffer
	if err := target.Encode(&data, objects); err != nil {
		return nil, err
	}
	if err := WriteFiles(dir, objects); err != nil {
		return nil, err
	}
	return Parse(stack, dir, data.Bytes())
}

// WriteFiles writes the contents of a stack's configs to where it expects them.
func WriteFiles(dir string, objects []targets.Object) error {
	for _, o := range objects {
		f, ok := o.Value.(*target.File)
		if !ok || f.External {
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.File))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Parse is [Load] for a stack file.
func Parse(stack, dir string, data []byte) (*Specs, error) {
	dict, err := loader.ParseYAML(data)
	if err != nil {
		return nil, fmt.Errorf("yaml: %w", err)
	}
	config, err := loader.Load(composetypes.ConfigDetails{
		Version: schema.Version(dict), WorkingDir: dir,
		ConfigFiles: []composetypes.ConfigFile{{Filename: "stack.yaml", Config: dict}},
	})
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	s := &Specs{Config: config, Ignored: loader.GetUnsupportedProperties(dict)}
	used := map[string]struct{}{}
	for _, service := range config.Services {
		if _, err := reference.ParseAnyReference(service.Image); err != nil || service.Image == "" {
			return nil, fmt.Errorf("invalid image reference for service %s: %q: %w", service.Name, service.Image, err)
		}
		for n := range service.Networks {
			used[n] = struct{}{}
		}
	}
	return s, s.convert(convert.NewNamespace(stack), used)
}

func (s *Specs) convert(ns convert.Namespace, used map[string]struct{}) error {
	var external []string
	s.Networks, external = convert.Networks(ns, s.Config.Networks, used)
	for _, name := range external { // that somebody has made before
		s.Networks[name] = client.NetworkCreateOptions{Driver: "overlay", Internal: true}
	}
	var err error
	if s.Secrets, err = convert.Secrets(ns, s.Config.Secrets); err != nil {
		return err
	}
	if s.Configs, err = convert.Configs(ns, s.Config.Configs); err != nil {
		return err
	}
	var r registry
	for _, f := range s.Config.Secrets {
		if f.External.External {
			s.Secrets = append(s.Secrets, swarm.SecretSpec{Annotations: swarm.Annotations{Name: f.Name}, Data: []byte("x")})
		}
	}
	for _, f := range s.Config.Configs {
		if f.External.External {
			s.Configs = append(s.Configs, swarm.ConfigSpec{Annotations: swarm.Annotations{Name: f.Name}, Data: []byte("x")})
		}
	}
	for _, spec := range s.Secrets {
		r.secrets = append(r.secrets, swarm.Secret{ID: "id-of-" + spec.Name, Spec: spec})
	}
	for _, spec := range s.Configs {
		r.configs = append(r.configs, swarm.Config{ID: "id-of-" + spec.Name, Spec: spec})
	}
	s.Services, err = convert.Services(context.Background(), ns, s.Config, r)
	return err
}
