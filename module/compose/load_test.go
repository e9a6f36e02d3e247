package compose

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestLoad compares what is read of a Compose file with what Compose's own library reads
// of it: of the files that the scripts have, and of forms that they do not have.
func TestLoad(t *testing.T) {
	texts := map[string]string{"forms": forms}
	scripts, err := filepath.Glob("../../testdata/script/compose-*.txtar")
	require.NoError(t, err)
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		require.NoError(t, err)
		for _, f := range archive.Files {
			if f.Name == "compose.yaml" || f.Name == "docker-compose.yml" {
				texts[script] = string(f.Data)
			}
		}
	}
	require.Greater(t, len(texts), 4)
	for name, text := range texts {
		t.Run(filepath.Base(name), func(t *testing.T) {
			root, err := os.OpenRoot(t.TempDir())
			require.NoError(t, err)
			defer root.Close()
			a := &application{name: "x", dir: root}
			require.NoError(t, a.load("compose.yaml", []byte(text)))
			want, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
				WorkingDir: ".", Environment: types.Mapping{}, ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: []byte(text)}},
			}, func(o *loader.Options) {
				o.SetProjectName("x", true)
				o.ResolvePaths, o.SkipNormalization, o.SkipResolveEnvironment, o.SkipResolveLabels = false, true, true, true
				o.Profiles = []string{"*"}
				o.Interpolate.Substitute = variables(nil).substitute
			})
			require.NoError(t, err)
			require.JSONEq(t, services(t, want), services(t, a.project))
		})
	}
}

// services is what a project consists of, without its name and extensions.
func services(t *testing.T, p *types.Project) string {
	for name, s := range p.Services {
		s.Extensions = nil
		p.Services[name] = s
	}
	data, err := json.Marshal(map[string]any{"services": p.Services, "volumes": p.Volumes, "configs": p.Configs, "secrets": p.Secrets})
	require.NoError(t, err)
	return string(data)
}

const forms = `
x-common: &common
  restart: unless-stopped
  ulimits: {nofile: {soft: 1, hard: 2}, nproc: 3}
services:
  a:
    <<: *common
    image: a:${TAG:-1}
    ports: ["80", "127.0.0.1:81:82/udp", "3000-3002:4000-4002", {target: 90, published: "${P:-91}", mode: host}]
    environment: {A: 1, B: true, C: null, D: "x=y", E: 1.5}
    command: sh -c "echo 'a b'"
    volumes: ["v:/v:ro", "./f:/f", /anonymous, {type: tmpfs, target: /t, tmpfs: {size: 10m}}]
    depends_on: {d: {condition: service_started, required: false}}
    deploy: {replicas: "${N:-2}", resources: {limits: {cpus: "0.5", memory: 1g, pids: 3}}, update_config: {parallelism: 1, delay: 1m30s}}
    healthcheck: {test: curl x, interval: 1.5s, retries: "${R:-4}"}
    read_only: "${RO:-true}"
    stop_grace_period: 1m
    secrets: [s, {source: s, target: t, mode: 0400}]
    configs: [{source: c, target: /c, mode: "0440"}]
    networks: {n: {aliases: [x, y]}}
    tmpfs: /tmp
    labels: [a=b]
    user: "1:2"
    expose: [1, "2/udp"]
  b:
    extends: {service: a}
    image: b
    environment: [A=2, F]
    build: .
    env_file: [one, {path: two, required: false}]
    scale: 2
    deploy: {replicas: 2}
  d: {image: d}
volumes: {v: , w: {external: true, name: ww}}
secrets: {s: {file: ./s}}
configs: {c: {content: "text ${X:-y}"}}
networks: {n: {}}
`
