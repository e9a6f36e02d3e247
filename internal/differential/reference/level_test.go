package reference

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hidden is an if that cannot be decided beside the artifact of a role that
// contradicts itself as long as it has no config.
const hidden = `package service
import c "kumiki.example/m/c:component"
#Artifact: {
	ref: name: "s"
	description: {
		config: parameter: n: int
		role: web: {artifact: c.#Artifact, config: {scale: hsize: 1, parameter: min: description.config.parameter.n}}
		IF
	}
}
`

func TestHidden(t *testing.T) {
	for _, test := range []struct {
		decl    string
		refused bool
	}{
		{"", false}, {"if config.parameter.zz {srv: server: q: _}", true}, {"for x in config.parameter.zz {srv: server: q: _}", true},
		{"role: {if description.config.parameter.zz {x: {}}}", true},
		{"role: web: {if description.config.parameter.zz {meta: x: 1}}", true},
	} {
		for _, min := range []string{"*5 | int", "*1 | int", "int"} {
			app := App{Dir: "deploy", Files: map[string]string{
				"cue.mod/module.cue": "module: \"kumiki.example/m@v0\"\nlanguage: version: \"v0.17.0\"\n",
				"c/c.cue": `package component
#Artifact: {
	ref: name: "c"
	description: {
		config: parameter: {min: ` + min + `, max: *3 | int}
		_ok: true & (config.parameter.min < config.parameter.max)
		code: c: {image: tag: "t:1", size: {cpu: {size: 1, unit: ""}, memory: {size: 5, unit: "M"}}}
		size: bandwidth: {size: 10, unit: "M"}
	}
}`,
				"s/s.cue":      strings.Replace(hidden, "IF", test.decl, 1),
				"deploy/d.cue": "package deployment\nimport s \"kumiki.example/m/s:service\"\n#Deployment: {name: \"d\", artifact: s.#Artifact, config: parameter: n: 2}\n",
			}}
			got := Spread(NewModel(), app)
			require.Equal(t, min == "*5 | int", got.Undecided, "%v", got)
			require.Equal(t, test.refused && !got.Undecided, len(got.Refusals) > 0, "%s with %s: %v", test.decl, min, got.Refusals)
		}
	}
}

// TestTooLate has CUE refuse a field by the order in which it evaluates: without the
// reference by the hidden field it takes all.
func TestTooLate(t *testing.T) {
	t.Parallel()
	for condition, undecided := range map[string]bool{"len(_h.parameter.p) < 50": true, "true": false} {
		app := App{Dir: "deploy", Files: map[string]string{
			"cue.mod/module.cue": "module: \"kumiki.example/m@v0\"\nlanguage: version: \"v0.17.0\"\n",
			"c/c.cue": `package component
#Artifact: {
	_h: description.config
	ref: name: "c"
	if ` + condition + ` {}
	description: {
		for k, v in _h.parameter.p {}
		config: parameter: {
			p: {}
			for n in ["b"] {"n_\(n)": *80 | int}
		}
		code: c: {image: tag: "t:1", size: {cpu: {size: 1, unit: ""}, memory: {size: 5, unit: "M"}}}
		size: bandwidth: {size: 10, unit: "M"}
	}
}`,
			"deploy/d.cue": "package deployment\nimport c \"kumiki.example/m/c:component\"\n#Deployment: {name: \"d\", artifact: c.#Artifact, config: {parameter: {}, scale: hsize: 1}}\n",
		}}
		got := Spread(NewModel(), app)
		require.Empty(t, got.Refusals, condition)
		require.Equal(t, undecided, got.Undecided, condition)
	}
}
