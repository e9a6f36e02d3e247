package compiler_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kumiki.dev/compiler"
	"kumiki.dev/value"
)

// connectApp is a service with three roles. «connect» is what stands beside them, «more» beside the artifact.
const connectApp = `
-- cue.mod/module.cue --
module: "forms.example/app"
language: version: "v0.12.0"
-- web/web.cue --
package component
import k "kumori.systems/kumori:kumori"
#Artifact: k.#Component & {ref: name: "web", description: {
	srv: {
		server: http: port: 8080
		duplex: peer: {protocol: "tcp", port: 7000}
		client: {db: protocol: "tcp", out: protocol: "http"}
	}
	config: {parameter: name: *"n" | string, scale: hsize: *1 | uint}
	code: main: {image: tag: "web:1", mapping: env: N: value: config.parameter.name, size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}
	size: bandwidth: {size: 9, unit: "M"}
}}
-- svc/svc.cue --
package service
import (
	"strings"
	k "kumori.systems/kumori:kumori"
	w "forms.example/app/web:component"
)
#Artifact: k.#Service & {ref: name: "svc", description: {
	config: parameter: {on: *true | bool, ch: *"db" | string}
	srv: {server: entry: port: 80, client: away: protocol: "http"}
	role: {
		a: {artifact: w.#Artifact, config: parameter: name: "a"}
		b: {artifact: w.#Artifact, config: parameter: name: strings.ToLower(description.config.parameter.ch)}
		c: {artifact: w.#Artifact}
	}
	connect: entry: {from: self: "entry", to: a: http: _}
	«connect»
}}
«more»
-- deploy/d.cue --
package deployment
import s "forms.example/app/svc:service"
#Deployment: {name: "d", artifact: s.#Artifact, config: parameter: ch: "out"}
`

// connectForms are ways to write connectors.
var connectForms = []struct{ name, connect, more string }{
	{"in one struct", `connect: {
		ab: {
			as: "full"
			from: a: "db"
			to: {b: http: _, c: http: {weight: 3, "deep": {x: "y", l: [1, {a: 2}, "s"]}}}
		}
		bc: {as: "lb", from: {b: "db"}, to: c: {http: {}}}
	}`, ``},
	{"one after the other", `connect: peer: {as: "full", from: a: "peer", to: b: peer: _}
		connect: "with-dash": {from: a: "out", to: self: away: _}
		connect: "\u0061": {from: b: "out", to: "self": "away": _}`, ``},
	{"in parts", `connect: peer: {as: "full", from: a: "peer", to: b: peer: _}
		connect: peer: {as: "full", to: c: peer: _}
		connect: two: from: c: "db"
		connect: two: to: b: http: _
		connect: two: to: b: http: _
		connect: two: to: b: http: weight: 3`, ``},
	{"with a pattern", `connect: [string]: as: "lb"
		connect: ab: {from: a: "db", to: b: http: _}`, ``},
	{"with a pattern that has facts", `connect: [=~"^a"]: to: b: http: zone: "z"
		connect: ab: {from: a: "db", to: b: http: weight: 2}
		connect: bc: {from: b: "db", to: c: http: _}`, ``},
	{"with a default of the author's", `connect: [string]: as: *"lb" | "full"
		connect: ab: {from: a: "db", to: b: http: _}`, ``},
	{"with a default", `connect: ab: {as: "full" | *"lb", from: a: *"db" | string, to: b: http: *{w: 1} | {w: int}}`, ``},
	{"with names from config", `connect: ab: {from: a: config.parameter.ch, to: b: http: w: config.parameter.on}
		connect: (config.parameter.ch): {from: b: "db", to: c: http: _}
		connect: "x-\(config.parameter.ch)": {from: c: "db", to: (["a", "b"][1]): http: _}`, ``},
	{"under conditions", `if config.parameter.on {connect: ab: {from: a: "db", to: b: http: _}}
		connect: bc: {from: b: "db", if config.parameter.on {as: "full"}, to: c: http: _}
		connect: {if !config.parameter.on {no: {from: b: "db", to: c: http: _}}, ca: {from: c: "db", to: {a: http: _, if config.parameter.on {b: http: _}}}}`, ``},
	{"in loops", `connect: {for r in ["a", "b"] {"\(r)c": {from: (r): "db", to: c: http: _}}, ca: {from: c: "db", to: {for r in ["a"] {(r): http: _}}}}
		connect: cb: {from: c: "out", to: b: http: _}`, ``},
	{"of a definition", `connect: ab: #c & {from: a: "db"}
		connect: bc: {#c, from: b: "db"}
		connect: cb: _c`, `#c: {as: "full", from: _, to: b: http: _}
_c: {from: c: "out", to: b: http: _}`},
	{"of the model", `connect: ab: k.#Connector & {from: a: "db", to: b: http: _}
		connect: {...}
		connect: {[string]: k.#Connector}
		connect: bc: {k.#Connector, from: b: "db", to: c: http: _}`, ``},
	{"that are read elsewhere", `connect: ab: {as: "full", from: a: "db", to: b: http: weight: 2}
		connect: bc: {as: connect.ab.as, from: b: "db", to: c: http: weight: connect.ab.to.b.http.weight}
		srv: server: extra: port: connect.ab.to.b.http.weight + 100
		connect: extra: {from: self: "extra", to: b: http: _}`, ``},
	{"whose number is read", `connect: ab: {from: a: "db", to: b: http: _}
		srv: server: extra: port: 8000 + len(connect)
		connect: extra: {from: self: "extra", to: b: http: _}`, ``},
	{"whose names are read by roles", `connect: ab: {from: a: "db", to: b: http: _}
		role: d: {artifact: w.#Artifact, config: parameter: name: strings.Join([for n, c in description.connect {"\(n)-\(c.as)"}], ",")}`, ``},
	{"with an alias", `connect: (ab2): {from: a: "db", to: b: http: _}
		let ab2 = "ab"
		connect: bc: X={from: b: "db", to: c: http: is: X.as}`, ``},
	{"with a let and a hidden field", `connect: ab: {let r = "db", _h: "full", as: _h, from: a: r, to: b: http: _}
		connect: bc: {_h: 1, #h: 2, from: b: "db", to: c: http: {_x: 1, y: 2}}
		connect: _no: {from: c: "out", to: b: http: _}
		connect: "_yes": {from: c: "out", to: b: http: _}`, ``},
	{"with an optional field", `connect: ab: {as?: "full", from: a: "db", to: b: http: {w?: 1, v: 2}}
		connect: no?: {from: c: "out", to: b: http: _}`, ``},
	{"with a required field", `connect: ab: {as!: "full", from: a: "db", to: b: http: _}
		connect: ab: as: "full"`, ``},
	{"with facts of all kinds", `connect: ab: {from: a: "db", to: b: http: {n: null, i: -3, f: 1.5, h: 0x10, t: true, s: "a\tb", m: """
			x
			y
			""", r: #"\n"#, l: [], e: {}, big: 1Ki, y: [{a: 1}, {a: 2}]}}`, ``},
	{"with facts of two", `connect: ab: {from: a: "db", to: b: http: {x: 1}}
		connect: ab: {from: a: "db", to: b: http: {x: int, y: 2} & {y: >1}}`, ``},
	{"with embedded structs", `connect: {{ab: {from: a: "db", to: b: http: _}}, bc: {{from: b: "db"}, to: {c: {http: _}}}}
		{connect: cb: {from: c: "out", to: b: http: _}}`, ``},
	{"in two files", `connect: ab: {from: a: "db", to: b: http: _}`, `-- svc/more.cue --
package service
#Artifact: description: connect: {bc: {from: b: "db", to: c: http: _}, ab: as: "full"}`},
	{"of a base", `connect: ab: {from: a: "db", to: b: http: _}`, `#Artifact: _base
_base: description: connect: {ab: as: "full", bc: {from: b: "db", to: c: http: _}}`},
	{"with an attribute", `connect: ab: {from: a: "db" @of(x), to: b: http: _} @all(y)`, ``},
	{"a struct that is empty", `connect: {}`, ``},
	{"without targets", `connect: ab: {from: {}, to: {}}
		connect: bc: {from: b: "db", to: c: {}}`, ``},
	{"all named alike", `connect: a: {from: a: "db", to: b: http: _}
		connect: b: {from: b: "db", to: c: http: _}
		connect: role: {from: c: "db", to: a: http: _}
		connect: connect: {from: c: "out", to: a: http: _}`, ``},
	{"of a version set", `vset: v: {roles: {a: meta: weight: 1, b: meta: weight: 2}, srv: server: http: port: 8080}
		connect: cv: {from: c: "db", to: v: http: _}`, ``},
	{"with what is wrong", `connect: ab: {as: "one", from: a: "db", to: b: http: _}`, ``},
	{"with what is too much", `connect: ab: {kind: "lb", from: a: "db", to: b: http: _}`, ``},
	{"without a source", `connect: ab: {as: "lb", to: b: http: _}`, ``},
	{"with a number for a channel", `connect: ab: {from: a: 5, to: b: http: _}`, ``},
	{"with a text for facts", `connect: ab: {from: a: "db", to: b: http: "x"}`, ``},
	{"to nothing there is", `connect: ab: {from: a: "db", to: q: http: _}`, ``},
	{"that contradict each other", `connect: ab: {as: "lb", from: a: "db", to: b: http: _}
		connect: ab: as: "full"`, ``},
}

// TestConnectors compares what is made of connectors with what CUE alone makes, down to where each
// struct lies.
func TestConnectors(t *testing.T) {
	t.Parallel()
	compiled := 0
	for _, form := range connectForms {
		dir := t.TempDir()
		write(t, dir, strings.NewReplacer("«connect»", form.connect, "«more»", form.more).Replace(connectApp))
		in := compiler.Input{}
		in.Dir = filepath.Join(dir, "deploy")
		if diff := partialDiffers(in); diff != "" {
			t.Errorf("%s (-CUE +partial):\n%s", form.name, diff)
		}
		places := placesOfDescription(in)
		if len(places) > 0 {
			compiled++
		}
		in.NoPartial = true
		if diff := cmp.Diff(placesOfDescription(in), places); diff != "" {
			t.Errorf("%s, places (-CUE +partial):\n%s", form.name, diff)
		}
	}
	if compiled < 25 {
		t.Errorf("only %d of %d forms compile", compiled, len(connectForms))
	}
}

// placesOfDescription are the places of all that the deployed artifact describes, empty if it does not compile.
func placesOfDescription(in compiler.Input) (places []string) {
	result, found := compiler.Run(context.Background(), in, compiler.ExtractStage)
	if found.HasErrors() {
		return nil
	}
	result.Tree.Root.Description.Walk(nil, func(path []string, d *value.Data) bool {
		places = append(places, fmt.Sprint(strings.Join(path, "."), " ", d.Kind, " ", d.Pos.Position(), " ", d.Origin))
		return true
	})
	return places
}
