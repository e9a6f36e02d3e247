package targets

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/solution"
)

func TestImage(t *testing.T) {
	tests := []struct {
		name  string
		image solution.Image
		want  string
	}{
		{"tag", solution.Image{Tag: "shop/web:1"}, "shop/web:1"},
		{"hub", solution.Image{Hub: solution.Hub{Name: "ghcr.example"}, Tag: "shop/web:1"}, "ghcr.example/shop/web:1"},
		{"hub with a slash", solution.Image{Hub: solution.Hub{Name: "ghcr.example/"}, Tag: "shop/web:1"}, "ghcr.example/shop/web:1"},
		{"hub that the tag has", solution.Image{Hub: solution.Hub{Name: "ghcr.example"}, Tag: "ghcr.example/shop/web:1"}, "ghcr.example/shop/web:1"},
		{"Docker's hub", solution.Image{Hub: solution.Hub{Name: "registry.hub.docker.com"}, Tag: "shop/web:1"}, "shop/web:1"},
		{"digest", solution.Image{Tag: "shop/web:1", Digest: "sha256:12"}, "shop/web:1@sha256:12"},
		{"digest in the tag", solution.Image{Tag: "shop/web:1@sha256:34", Digest: "sha256:12"}, "shop/web:1@sha256:34"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, Image(test.image)) })
	}
}
