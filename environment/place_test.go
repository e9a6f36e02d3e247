package environment_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/environment"
)

// TestSolutionName: no two pairs have the same name, and none is long.
func TestSolutionName(t *testing.T) {
	t.Parallel()
	words := []string{"a", "b", "c", "ab", strings.Repeat("x", 40), strings.Repeat("x", 39) + "y"}
	var names []string
	for _, first := range words {
		names = append(names, first)
		for _, second := range words[:4] {
			names = append(names, first+"-"+second, first+"-"+second+"-a")
		}
	}
	seen := map[string]string{}
	for _, template := range names {
		for _, e := range names {
			for target, most := range map[string]int{"kubernetes": 48, "swarm": 17} {
				name := (&environment.Environment{Name: e, Target: target}).SolutionName(template)
				key, pair := target+" "+name, template+"+"+e
				require.Empty(t, seen[key], "%s and %s are both %s", pair, seen[key], name)
				require.LessOrEqual(t, len(name), most)
				seen[key] = pair
			}
		}
	}
	require.Equal(t, "shop-eu", (&environment.Environment{Name: "eu"}).SolutionName("shop"))
	require.Equal(t, "shop-eu--prod", (&environment.Environment{Name: "eu-prod"}).SolutionName("shop"))
}

// TestSelector: the grammar is that of labels, and name is the environment's.
func TestSelector(t *testing.T) {
	t.Parallel()
	e := &environment.Environment{Name: "eu", Labels: map[string]string{"stage": "prod", "tier": ""}}
	for text, want := range map[string]bool{
		"": true, "stage=prod": true, "stage in (dev, prod),!legacy": true, "stage notin (prod)": false, "stage": true, "tier=": true,
		"!stage": false, "name=eu": true, "name!=eu": false, "name in (us)": false, "kumiki.dev/environment=eu": true, "region!=eu": true,
	} {
		s, err := environment.ParseSelector(text)
		require.NoError(t, err)
		require.Equal(t, want, s.Matches(e), text)
	}
	_, err := environment.ParseSelector("stage is prod")
	require.Error(t, err)
}

// TestPlaceMany: a hundred templates in a thousand environments, of which the selectors of
// the former choose, in the order of what they require.
func TestPlaceMany(t *testing.T) {
	t.Parallel()
	var templates []*environment.Template
	var places []*environment.Environment
	for n := range 1000 {
		places = append(places, &environment.Environment{Name: fmt.Sprintf("e%04d", n), Labels: map[string]string{"stage": []string{"dev", "prod"}[n%2]}})
	}
	for n := range 100 {
		s, err := environment.ParseSelector([]string{"stage=prod", ""}[n%2])
		require.NoError(t, err)
		x := &environment.Template{Name: fmt.Sprintf("t%02d", n), Environments: s}
		if n > 1 {
			x.Requires = []environment.Named{{Name: fmt.Sprintf("t%02d", n-2)}}
		}
		templates = append(templates, x)
	}
	start := time.Now()
	p, problems := environment.Place(templates, places)
	t.Logf("placed in %v", time.Since(start))
	require.Empty(t, problems)
	require.Len(t, p.Cells, 50*500+50*1000)
	require.Len(t, p.Levels["e0001"], 50)
	for _, level := range p.Levels["e0001"] {
		require.Len(t, level, 2)
	}
	require.Len(t, p.Levels["e0000"][0], 1)
}
