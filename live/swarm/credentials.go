package swarm

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/distribution/reference"
	"github.com/docker/cli/cli/config"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/api/types/registry"
	api "github.com/moby/moby/api/types/swarm"
)

// hubRegistry is the name by which docker login keeps the credentials of Docker Hub.
const hubRegistry = "https://index.docker.io/v1/"

// credentials are those that a service's image is fetched with, "" for none. Without them the
// engine keeps those that the service has. What cannot be read is warned of: a public image
// needs none.
func (s *Swarm) credentials(spec api.ServiceSpec) string {
	image := spec.TaskTemplate.ContainerSpec.Image
	host, auth, err := credentialsOf(image)
	if err != nil {
		s.warn([]string{fmt.Sprintf("%s is fetched without credentials of %s: %v", image, host, err)})
	}
	return auth
}

// credentialsOf finds what docker login has left for the registry of an image, in docker's
// configuration or in the helper that this names, in the form in which the engine takes it.
// The engine keeps it with the service for its nodes, as after docker stack deploy
// --with-registry-auth: it is no part of a spec, and of no record.
func credentialsOf(image string) (host, auth string, err error) {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return "", "", err
	}
	host = reference.Domain(named)
	key := host
	if host == "docker.io" {
		key = hubRegistry
	}
	file, err := config.Load(config.Dir())
	if err != nil {
		return host, "", err
	}
	got, err := file.GetAuthConfig(key)
	if err != nil || cmp.Or(got.Username, got.Auth, got.IdentityToken, got.RegistryToken) == "" {
		return host, "", err
	}
	auth, err = authconfig.Encode(registry.AuthConfig{
		Username: got.Username, Password: got.Password, Auth: got.Auth, ServerAddress: got.ServerAddress,
		IdentityToken: got.IdentityToken, RegistryToken: got.RegistryToken,
	})
	return host, auth, err
}

// noImage is what the engine says of an instance whose image its node cannot get, whatever for.
const noImage = "No such image"

// withCredentials is why a service should be given its fields again: an instance lacks an image
// that there are credentials for now. "" where that is not so.
func withCredentials(t api.Task) string {
	box := t.Spec.ContainerSpec
	if box == nil || !strings.HasPrefix(t.Status.Err, noImage) {
		return ""
	}
	host, auth, _ := credentialsOf(box.Image)
	if auth == "" {
		return ""
	}
	return "its image could not be had, and there are credentials of " + host
}

// withLogin says how nodes get credentials for an image that has the name of its registry;
// those of Docker Hub are mostly public, or not there at all.
func withLogin(image string) string {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil || reference.Domain(named) == "docker.io" {
		return ""
	}
	return fmt.Sprintf("; if that is for want of credentials: docker login %s, then apply again", reference.Domain(named))
}
