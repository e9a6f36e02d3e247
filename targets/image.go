package targets

import (
	"strings"

	"kumiki.dev/solution"
)

// dockerHub is what manifests call the registry that needs no name.
const dockerHub = "registry.hub.docker.com"

// Image is the full name of an image, HOST/NAME:TAG@DIGEST, with the digest that wins
// over the tag.
func Image(i solution.Image) string {
	name := i.Tag
	if hub := strings.TrimSuffix(i.Hub.Name, "/"); hub != "" && hub != dockerHub && !strings.HasPrefix(name, hub+"/") {
		name = hub + "/" + name
	}
	if i.Digest != "" && !strings.Contains(name, "@") {
		name += "@" + i.Digest
	}
	return name
}
