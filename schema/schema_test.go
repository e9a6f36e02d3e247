package schema_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	cuejson "cuelang.org/go/encoding/json"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/cases"
	"kumiki.dev/schema"
)

// sources are the files of the schema, by name.
func sources(tb testing.TB) map[string][]byte {
	tb.Helper()
	out := map[string][]byte{}
	require.NoError(tb, fs.WalkDir(schema.Files(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(schema.Files(), name)
		out[name] = data
		return err
	}))
	require.NotEmpty(tb, out)
	return out
}

// instance parses src as a package that may import the schema's modules.
func instance(tb testing.TB, src string) *build.Instance {
	tb.Helper()
	files := sources(tb)
	var ctx *build.Context
	ctx = build.NewContext(build.Loader(func(_ token.Pos, importPath string) *build.Instance {
		dir, _, _ := strings.Cut(importPath, ":")
		if dir == "strings" {
			return nil
		}
		inst := ctx.NewInstance(importPath, nil)
		inst.ImportPath = importPath
		for name, data := range files {
			if path.Dir(name) == dir {
				add(tb, inst, name, data)
			}
		}
		require.NoError(tb, inst.Complete())
		return inst
	}))
	inst := ctx.NewInstance("test", nil)
	add(tb, inst, "test.cue", src)
	require.NoError(tb, inst.Complete())
	return inst
}

func add(tb testing.TB, inst *build.Instance, name string, src any) {
	tb.Helper()
	f, err := parser.ParseFile(name, src, parser.ParseComments)
	require.NoError(tb, err)
	require.NoError(tb, inst.AddSyntax(f))
}

const header = "import (\n\tk \"kumori.systems/kumori:kumori\"\n\ti \"kumori.systems/builtins/inbound:service\"\n)\n_use: [k, i]\n"

// evaluate gives the problems of x in src, one on a line, "" for none. Of those
// of a disjunction it gives every alternative's.
func evaluate(tb testing.TB, src string) string {
	tb.Helper()
	v := cuecontext.New().BuildInstance(instance(tb, header+src)).LookupPath(cue.ParsePath("x"))
	var lines []string
	for _, e := range errors.Errors(v.Validate(cue.Concrete(true))) {
		form, args := e.Msg()
		at := strings.Join(e.Path(), ".") + ": "
		for _, text := range strings.Split(fmt.Sprintf(form, args...), "\n") {
			if !strings.HasSuffix(text, "errors in empty disjunction:") {
				lines = append(lines, at+strings.TrimPrefix(text, at))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

func TestFilesAreFormatted(t *testing.T) {
	for name, data := range sources(t) {
		want, err := format.Source(data)
		require.NoError(t, err, name)
		if diff := cmp.Diff(string(want), string(data)); diff != "" {
			t.Errorf("%s (-formatted +found):\n%s", name, diff)
		}
	}
}

// TestEverythingIsExplained wants a comment, a whole sentence, on all that a
// reader can point at in an editor.
func TestEverythingIsExplained(t *testing.T) {
	for name, data := range sources(t) {
		f, err := parser.ParseFile(name, data, parser.ParseComments)
		require.NoError(t, err)
		ast.Walk(f, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok {
				return true
			}
			label, _, err := ast.LabelName(field.Label)
			if err != nil {
				return true // a pattern: the field around it is explained
			}
			if strings.HasSuffix(name, "policy/library.cue") && !strings.HasPrefix(label, "#") && field.Pos().Position().Column == 2 {
				return label == "with" // #Policy explains them
			}
			if text := doc(field); !strings.HasSuffix(text, ".") && !strings.Contains(text, "\n\n") {
				t.Errorf("%s: %s has no comment that ends in a full stop", field.Pos(), label)
			}
			// What stands on one line is explained by the comment above it.
			return field.Pos().Line() != field.Value.End().Line()
		}, nil)
	}
}

func doc(n ast.Node) string {
	for _, g := range ast.Comments(n) {
		if g.Doc {
			return strings.TrimSpace(g.Text())
		}
	}
	return ""
}

// component is a component that has all a component can have.
const component = `
x: k.#Component & {
	spec: [1, 0]
	ref: {name: "api", domain: "example.com", module: "shop", version: [1, 2, 3]}
	description: {
		srv: {
			server: rest: port: 8080
			server: admin: {protocol: "grpc", port: 9090}
			client: db: protocol: "tcp"
			client: cache: _
			duplex: peers: {protocol: "tcp", port: 7000}
		}
		config: {
			parameter: {
				database: string
				poolSize: *10 | (int & >=1 & <=200)
				orders:   *true | bool
				level:    *"info" | "debug" | "error"
				pages: {itemsPerPage: *24 | int, theme?: string}
			}
			resource: {
				dbPassword: k.#Secret
				spool:      k.#Volume
			}
		}
		probe: api: {
			liveness: {
				protocol: http: {port: srv.server.rest.port, path: "/healthz"}
				startupGraceWindow: {unit: "ms", duration: 20000, probe: true}
				timeout: 2000
			}
			readiness: protocol: tcp: port: srv.server.rest.port
		}
		code: api: {
			image: {
				hub: {name: "registry.example", secret: "pull"}
				tag: "shop/api:2.3.1"
			}
			user: {userid: 1000, groupid: 1000}
			entrypoint: ["/api"]
			mapping: {
				env: {
					DB_HOST: value:         "0.db:80"
					DB_NAME: parameter:     "database"
					DB_POOL: parameter:     "poolSize"
					TAKE_ORDERS: parameter: "orders"
					LEVEL: value:           config.parameter.level
					DB_PASSWORD: secret:    "dbPassword"
				}
				filesystem: {
					"/var/spool/shop": volume: "spool"
					"/etc/pages.json": {data: value: config.parameter.pages, format: "json"}
					"/etc/motd": {data: value: "hello", mode: 0o444}
				}
			}
			size: {
				cpu: {size: 1, unit: ""}
				mincpu: 0.25
				memory: {size: 512, unit: "M"}
			}
		}
		size: bandwidth: {size: 200, unit: "M"}
	}
}
`

// given is a config for component.
const given = `{
	parameter: database: "shop"
	resource: {
		dbPassword: secret: "db"
		spool: volume: {size: 1, unit: "G"}
	}
	scale: hsize: 3
	resilience: 1
}`

// configured is the component with that config.
const configured = component + "x: description: config: " + given + "\n"

func TestSnippets(t *testing.T) {
	tests := []struct {
		name, src string
		want      string // the problems, "" for none
	}{
		{"component with config", configured, ""},
		{"another version of the model", `x: k.#Artifact.spec & [2, 0]`, `x.0: conflicting values 1 and 2`},
		{"another kind", `x: k.#Ref & {kind: "job"}`, `x.kind: conflicting values "component" and "job"
x.kind: conflicting values "service" and "job"`},
		{"unknown section", configured + `x: description: cod: {}`, `x.description.cod: field not allowed`},
		{"section of services in a component", configured + `x: description: role: {}`, `x.description.role: field not allowed`},
		{"section of components in a service", `x: k.#Service & {description: code: {}}`, `x.description.code: field not allowed`},
		{"authors' own definitions, hidden fields and lets", configured + `x: description: {#init: [], _size: 1, let two = 2, code: api: user: userid: _size + two - 2 + 999}`, ""},
		{"unknown field of a container", configured + `x: description: code: api: comand: ["x"]`, `x.description.code.api.comand: field not allowed`},
		{"unknown field of an image", configured + `x: description: code: api: image: name: "x"`, `x.description.code.api.image.name: field not allowed`},
		{"unknown field of a mapping", configured + `x: description: code: api: mapping: files: {}`, `x.description.code.api.mapping.files: field not allowed`},
		{"unknown form of a variable", configured + `x: description: code: api: mapping: env: DB_HOST: val: "x"`, `x.description.code.api.mapping.env.DB_HOST.val: field not allowed`},
		{"number as a variable", configured + `x: description: code: api: mapping: env: DB_PORT: value: 80`, `x.description.code.api.mapping.env.DB_PORT.value: conflicting values 80 and string (mismatched types int and string)`},
		{"mode of a volume", configured + `x: description: code: api: mapping: filesystem: "/var/spool/shop": mode: 0o600`, `x.description.code.api.mapping.filesystem."/var/spool/shop".mode: field not allowed`},
		{"mode with too many bits", configured + `x: description: code: api: mapping: filesystem: "/etc/conf": {data: value: "", mode: 0o17777}`, `x.description.code.api.mapping.filesystem."/etc/conf".mode: conflicting values 420 and 8191
x.description.code.api.mapping.filesystem."/etc/conf".mode: invalid value 8191 (out of bound <=4095)`},
		{"unknown format", configured + `x: description: code: api: mapping: filesystem: "/etc/conf": {data: value: {}, format: "toml"}`, `x.description.code.api.mapping.filesystem."/etc/conf".format: conflicting values "json" and "toml"
x.description.code.api.mapping.filesystem."/etc/conf".format: conflicting values "text" and "toml"
x.description.code.api.mapping.filesystem."/etc/conf".format: conflicting values "yaml" and "toml"`},
		{"port of a client channel", configured + `x: description: srv: client: db: port: 80`, `x.description.srv.client.db.port: field not allowed`},
		{"unknown protocol", configured + `x: description: srv: client: mq: protocol: "amqp"`, `x.description.srv.client.mq.protocol: conflicting values "grpc" and "amqp"
x.description.srv.client.mq.protocol: conflicting values "http" and "amqp"
x.description.srv.client.mq.protocol: conflicting values "tcp" and "amqp"
x.description.srv.client.mq.protocol: conflicting values "udp" and "amqp"`},
		{"port out of range", configured + `x: description: srv: server: far: port: 70000`, `x.description.srv.server.far.port: conflicting values 80 and 70000
x.description.srv.server.far.port: invalid value 70000 (out of bound <=65535)`},
		{"unit of bandwidth", `x: k.#ComponentSize & {bandwidth: {size: 1, unit: "Mi"}}`, `x.bandwidth.unit: conflicting values "G" and "Mi"
x.bandwidth.unit: conflicting values "M" and "Mi"
x.bandwidth.unit: conflicting values "T" and "Mi"
x.bandwidth.unit: conflicting values "k" and "Mi"`},
		{"negative size", `x: k.#ContainerSize & {cpu: size: -1}`, `x.cpu.size: invalid value -1 (out of bound >=0)`},
		{"cpu in megahertz", `x: k.#ContainerSize & {cpu: {size: 1, unit: "MHz"}}`, `x.cpu.unit: conflicting values "" and "MHz"
x.cpu.unit: conflicting values "m" and "MHz"`},
		{"unknown section of config", configured + `x: description: config: parameters: {}`, `x.description.config.parameters: field not allowed`},
		{"unknown probe", configured + `x: description: probe: api: startup: {}`, `x.description.probe.api.startup: field not allowed`},
		{"unknown protocol of a probe", configured + `x: description: probe: api: readiness: protocol: udp: port: 1`, `x.description.probe.api.readiness.protocol.udp: field not allowed`},
		{"grace window in minutes", `x: k.#Probe & {liveness: startupGraceWindow: unit: "min"}`, `x.liveness.startupGraceWindow.unit: conflicting values "attempts" and "min"
x.liveness.startupGraceWindow.unit: conflicting values "ms" and "min"`},
		{"minimal service", `x: k.#Service & {spec: [1, 0], ref: {name: "s", domain: "d", module: "m", version: [1, 0, 0]}, description: {srv: {}, config: {parameter: {}, resource: {}, scale: {}, resilience: 0}, role: web: {artifact: ref: {}, meta: {}, config: {parameter: {}, resource: {}, scale: hsize: 1, resilience: 0}}, connect: c: {from: self: "in", to: web: entry: {}}, srv: server: in: port: 80, vset: v: {srv: server: entry: _, roles: web: meta: share: 10}}}`, ""},
		{"unknown connector kind", `x: k.#Service & {description: connect: c: as: "rr"}`, `x.description.connect.c.as: conflicting values "full" and "rr"
x.description.connect.c.as: conflicting values "lb" and "rr"`},
		{"list of clients", `x: k.#Service & {description: connect: c: from: web: ["a"]}`, `x.description.connect.c.from.web: conflicting values ["a"] and string (mismatched types list and string)`},
		{"unknown field of a connector", `x: k.#Service & {description: connect: c: kind: "lb"}`, `x.description.connect.c.kind: field not allowed`},
		{"unknown field of a role", `x: k.#Service & {description: role: web: artefact: {}}`, `x.description.role.web.artefact: field not allowed`},
		{"role of another name", `x: k.#Service & {description: role: web: name: "api"}`, `x.description.role.web.name: conflicting values "web" and "api"`},
		{"negative instances", `x: k.#Scale & {hsize: -1}`, `x.hsize: invalid value -1 (out of bound >=0)`},
		{"nested scale", `x: k.#Scale & {detail: shop: detail: web: hsize: 2}`, ""},
		{"unknown field of scale", `x: k.#Scale & {detailed: web: hsize: 2}`, `x.detailed: field not allowed`},
		{"registered volume", `x: k.#Volume & {volume: "owner/data"}`, ""},
		{"volatile volume", `x: k.#Volume & {volume: {size: 512, unit: "M"}}`, ""},
		{"volatile volume without unit", `x: k.#Volume & {volume: size: 512}`, `x.volume.unit: incomplete value "k" | "M" | "G" | "T" | "Ki" | "Mi" | "Gi" | "Ti"`},
		{"resource of another kind", `x: k.#Secret & {volume: "x"}`, `x.volume: field not allowed`},
		{"deployment", `x: k.#Deployment & {name: "d", meta: {team: "a"}, artifact: ref: {name: "s"}, config: {parameter: {a: 1}, resource: {b: secret: "c"}, scale: hsize: 1, resilience: 0}}`, ""},
		{"unknown field of a deployment", `x: k.#Deployment & {configuration: {}}`, `x.configuration: field not allowed`},
		{"unknown section of a deployment's config", `x: k.#Deployment & {config: resources: {}}`, `x.config.resources: field not allowed`},
		{"up to a number", `x: k.#Deployment & {up: 1}`, `x.up: conflicting values 1 and null (mismatched types int and null)
x.up: conflicting values 1 and string (mismatched types int and string)`},
		{"solution with an unknown field", `x: k.#Solution & {deployment: {}}`, `x.deployment: field not allowed`},
		{"channels of a solution with an unknown field", `x: k.#FlatMicroService & {client: {}, server: {}, duplex: {}, peer: {}}`, `x.peer: field not allowed`},
		{"https inbound", `x: i.#Artifact & {spec: [1, 0], ref: {domain: "kumori.systems", module: "builtins/inbound", version: [1, 1, 0]}, description: config: {scale: {}, resilience: 0, parameter: {type: "https", websocket: true}, resource: {serverdomain: domain: "d", servercert: certificate: "c"}}}`, ""},
		{"inbound without parameters", `x: i.#Artifact & {spec: [1, 0], ref: {domain: "kumori.systems", module: "builtins/inbound", version: [1, 1, 0]}, description: config: {scale: {}, resilience: 0, parameter: {}, resource: {serverdomain: domain: "d", servercert: certificate: "c"}}}`, ""},
		{"https inbound without a certificate", `x: i.#Artifact & {spec: [1, 0], ref: {domain: "kumori.systems", module: "builtins/inbound", version: [1, 1, 0]}, description: config: {scale: {}, resilience: 0, parameter: {}, resource: serverdomain: domain: "d"}}`, `x.description.config.resource.servercert.certificate: incomplete value string`},
		{"http inbound", `x: i.#Artifact & {spec: [1, 0], ref: {domain: "kumori.systems", module: "builtins/inbound", version: [1, 1, 0]}, description: config: {scale: {}, resilience: 0, parameter: type: "http", resource: serverdomain: domain: "d"}}`, ""},
		{"http inbound with a certificate", `x: i.#Artifact & {spec: [1, 0], ref: {domain: "kumori.systems", module: "builtins/inbound", version: [1, 1, 0]}, description: config: {scale: {}, resilience: 0, parameter: type: "http", resource: {serverdomain: domain: "d", servercert: certificate: "c"}}}`, ""},
		{"http inbound that wants certificates", `x: i.#Artifact & {spec: [1, 0], ref: {domain: "kumori.systems", module: "builtins/inbound", version: [1, 1, 0]}, description: config: {scale: {}, resilience: 0, parameter: {type: "http", clientcert: true}, resource: serverdomain: domain: "d"}}`, ""},
		{"tcp inbound", `x: i.#Artifact & {spec: [1, 0], ref: {domain: "kumori.systems", module: "builtins/inbound", version: [1, 1, 0]}, description: config: {scale: {}, resilience: 0, parameter: type: "tcp", resource: port: port: "p"}}`, ""},
		{"tcp inbound with a domain", `x: i.#Artifact & {spec: [1, 0], ref: {domain: "kumori.systems", module: "builtins/inbound", version: [1, 1, 0]}, description: config: {scale: {}, resilience: 0, parameter: type: "tcp", resource: {port: port: "p", serverdomain: domain: "d"}}}`, ""},
		{"tcp inbound with websockets", `x: i.#Artifact & {spec: [1, 0], ref: {domain: "kumori.systems", module: "builtins/inbound", version: [1, 1, 0]}, description: config: {scale: {}, resilience: 0, parameter: {type: "tcp", websocket: true}, resource: port: port: "p"}}`, ""},
		{"inbound of another type", `x: i.#Artifact & {spec: [1, 0], ref: {domain: "kumori.systems", module: "builtins/inbound", version: [1, 1, 0]}, description: config: {scale: {}, resilience: 0, parameter: type: "udp", resource: {}}}`, `x.description.config.parameter.type: conflicting values "http" and "udp"
x.description.config.parameter.type: conflicting values "https" and "udp"
x.description.config.parameter.type: conflicting values "tcp" and "udp"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, evaluate(t, test.src)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSolutions checks solutions that the compiler and the vendor's own tool
// have written.
func TestSolutions(t *testing.T) {
	written := map[string][]byte{}
	for name, s := range cases.Solutions(t, "../testdata/cases/*.txtar") {
		data, err := s.Bytes()
		require.NoError(t, err)
		written[name] = data
	}
	oracle, err := os.ReadFile("../testdata/cases/kam-kafka/oracle.json")
	require.NoError(t, err)
	written["the vendor's"] = oracle
	ctx := cuecontext.New()
	definition := ctx.BuildInstance(instance(t, header)).LookupPath(cue.MakePath(cue.Hid("_use", "_"), cue.Index(0), cue.Def("#Solution")))
	require.NoError(t, definition.Err())
	for name, data := range written {
		expr, err := cuejson.Extract(name, data)
		require.NoError(t, err)
		v := definition.Unify(ctx.BuildExpr(expr))
		require.NoError(t, v.Validate(cue.Concrete(true)), name)
		same, err := json.Marshal(v)
		require.NoError(t, err)
		require.JSONEq(t, string(data), string(same), "%s: the schema adds something", name)
	}
}

// BenchmarkFill measures what a role costs: one config, filled into a component.
func BenchmarkFill(b *testing.B) {
	ctx := cuecontext.New()
	artifact := ctx.BuildInstance(instance(b, header+component)).LookupPath(cue.ParsePath("x"))
	config, err := parser.ParseExpr("given", given)
	require.NoError(b, err)
	for b.Loop() {
		v := artifact.FillPath(cue.ParsePath("description.config"), config)
		if err := v.Validate(cue.Concrete(true)); err != nil {
			b.Fatal(err)
		}
	}
}
