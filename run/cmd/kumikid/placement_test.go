package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/api"
	"kumiki.dev/run/record"
)

// placedTree are the files of a module with templates and environments.
func placedTree(t testing.TB) map[string]string {
	t.Helper()
	const dir = "testdata/placed"
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	}))
	return out
}

// archived is a zip archive of files.
func archived(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(files[name]))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// send uploads a tree.
func (d *daemon) send(files map[string]string) (digest string) {
	d.t.Helper()
	var c struct{ Digest string }
	d.ask(201, "POST", "/v1/bundles", archived(d.t, files)).read(d.t, &c)
	return c.Digest
}

// makesPlaces makes the environments of the tree.
func (d *daemon) makesPlaces() {
	d.t.Helper()
	for _, name := range []string{"dev", "eu", "us"} {
		d.ask(200, "PUT", "/v1/environments/"+name, m{"target": "kubernetes"}, "If-None-Match: *")
	}
}

// rests waits until a placement has ended, or waits for approval, and returns its ETag too.
func (d *daemon) rests(r reply) (p api.PlacementOf, etag string) {
	d.t.Helper()
	answer := d.ask(200, "GET", r.header.Get("Location")+"?waitSeconds=120", nil)
	answer.read(d.t, &p)
	require.True(d.t, p.Done || p.Phase == record.PlacementHeld, "%s", answer.body)
	return p, answer.etag()
}

// cellsOf are cells, each with its state and class.
func cellsOf(cells []record.Cell) (out []string) {
	for _, c := range cells {
		out = append(out, strings.TrimSpace(c.Deployment+" "+c.State+" "+c.Class))
	}
	return out
}

// TestPlacement takes a tree of templates and environments through its life: shown, held as
// environments are protected, approved, placed wave after wave, changed, with a wave that fails,
// and taken away within bounds.
func TestPlacement(t *testing.T) {
	t.Parallel()
	d, files := newDaemon(t), placedTree(t)
	tree := d.send(files)
	var dry api.PlacementOf
	d.ask(200, "POST", "/v1/placements?dryRun=true", m{"tree": tree}).read(t, &dry)
	require.Equal(t, []string{"db-dev problem", "greeter-dev problem", "web-dev problem", "db-eu problem", "web-eu problem", "db-us problem", "web-us problem"}, cellsOf(dry.Cells))
	require.Equal(t, "the manager has no environment dev: PUT /v1/environments/dev makes it", dry.Cells[0].Problems[0])
	d.makesPlaces()

	dry = api.PlacementOf{}
	d.ask(200, "POST", "/v1/placements?dryRun=true", m{"tree": tree}).read(t, &dry)
	require.Equal(t, map[string]int{"new": 7}, dry.Counts)
	require.Equal(t, "what changes is in protected environments: eu", dry.Held)
	require.Contains(t, string(d.ask(200, "GET", "/v1/placements", nil).body), `"items":[]`, "nothing was begun")
	first := d.ask(202, "POST", "/v1/placements", m{"tree": tree}, "Idempotency-Key: one")
	require.Equal(t, first.header.Get("Location"), d.ask(202, "POST", "/v1/placements", m{"tree": tree}, "Idempotency-Key: one").header.Get("Location"))
	p, etag := d.rests(first)
	require.Equal(t, record.PlacementHeld, p.Phase)
	at := first.header.Get("Location")
	d.ask(428, "POST", at+"/approve", m{})
	d.ask(412, "POST", at+"/approve", m{}, `If-Match: "1"`)
	require.Contains(t, string(d.ask(200, "GET", "/v1/deployments", nil).body), `"items":[]`, "nothing is placed before")
	p, _ = d.rests(d.ask(202, "POST", at+"/approve", m{}, "If-Match: "+etag))
	require.Nil(t, p.Error, "%+v", p.Error)
	require.Equal(t, "admin", p.Approved.By)
	d.ask(409, "POST", at+"/approve", m{}, "If-Match: *")
	d.inOrder(p)

	var list struct{ Items []api.Template }
	d.ask(200, "GET", "/v1/templates", nil).read(t, &list)
	require.Equal(t, []string{"db", "greeter", "web"}, []string{list.Items[0].Name, list.Items[1].Name, list.Items[2].Name})
	for _, item := range list.Items {
		for _, c := range item.Cells {
			require.True(t, c.Applied && c.Healthy && c.State == "unchanged", "%+v", c)
		}
	}
	var kept api.Deployment
	d.ask(200, "GET", "/v1/deployments/web-eu", nil).read(t, &kept)
	require.Equal(t, []string{"eu", "web", "front", "prod"}, []string{kept.Environment, kept.Template, kept.Labels["team"], kept.Labels["stage"]})
	require.Equal(t, "manager/placed", d.ask(409, "PATCH", "/v1/deployments/web-eu", m{"scale": m{"": 5}}, "If-Match: *").code())
	require.Contains(t, string(d.ask(200, "GET", "/v1/types", nil).body), "greeter", "what was placed is found by its types")

	p, _ = d.rests(d.ask(202, "POST", "/v1/placements", m{"tree": tree}))
	require.Nil(t, p.Error)
	require.Equal(t, map[string]int{"unchanged": 7}, p.Counts)
	require.Empty(t, p.Operations, "what is as it should be is left alone")
	d.fails(t, files)
	d.bounds(t, files)
}

// storedTree is a tree whose databases have a volume, and no environment is protected.
func storedTree(t testing.TB) map[string]string {
	files := placedTree(t)
	files["db/db.cue"] = strings.NewReplacer(
		"package component\n", "package component\n\nimport k \"kumori.systems/kumori:kumori\"\n",
		"scale: hsize: *1 | uint", "scale: hsize: *1 | uint\n\t\t\tresource: data: k.#Volume",
		"mapping: env: {", "mapping: filesystem: \"/data\": volume: \"data\"\n\t\t\tmapping: env: {",
	).Replace(files["web/web.cue"])
	files["templates/db.cue"] = strings.Replace(files["templates/db.cue"], "site/web", "site/db", 1) + "#Template: config: resource: data: volume: \"records\"\n"
	delete(files, "environments/eu.cue")
	for _, name := range []string{"environments/dev.cue", "environments/us.cue"} {
		files[name] += "#Environment: resource: volume: {records: size: 1, others: size: 1}\n"
	}
	return files
}

// makesStores makes the environments of such a tree.
func (d *daemon) makesStores() {
	d.t.Helper()
	for _, name := range []string{"dev", "us"} {
		d.ask(200, "PUT", "/v1/environments/"+name, m{"target": "kubernetes", "options": m{"volumes": m{"records": "1G", "others": "1G"}}}, "If-None-Match: *")
	}
}

// moved is such a tree with another volume.
func moved(files map[string]string) map[string]string {
	out := maps.Clone(files)
	out["templates/db.cue"] = strings.Replace(out["templates/db.cue"], "records", "others", 1)
	return out
}

// TestPlacementLoss: what loses data waits for somebody who says so, of each deployment.
func TestPlacementLoss(t *testing.T) {
	t.Parallel()
	d, files := newDaemon(t), storedTree(t)
	d.makesStores()
	p, _ := d.rests(d.ask(202, "POST", "/v1/placements", m{"tree": d.send(files)}))
	require.Nil(t, p.Error, "%+v %+v", p.Error, p.Cells)

	tree := d.send(moved(files))
	begun := d.ask(202, "POST", "/v1/placements", m{"tree": tree})
	p, etag := d.rests(begun)
	require.Equal(t, "data is lost: db-dev, db-us", p.Held)
	p, _ = d.rests(d.ask(202, "POST", begun.header.Get("Location")+"/approve", m{"allow": m{"data": []string{"db-dev"}}}, "If-Match: "+etag))
	require.Equal(t, "manager/placement", p.Error.Code)
	var told []string
	for _, one := range p.Error.Problems {
		told = append(told, one.Message)
	}
	require.Contains(t, strings.Join(told, "\n"), "db-us")
	require.NotContains(t, strings.Join(told, "\n"), "db-dev")

	begun = d.ask(202, "POST", "/v1/placements", m{"tree": tree})
	p, etag = d.rests(begun)
	require.Equal(t, "data is lost: db-us", p.Held)
	p, _ = d.rests(d.ask(202, "POST", begun.header.Get("Location")+"/approve", m{"allow": m{"data": []string{"db-us"}}}, "If-Match: "+etag))
	require.Nil(t, p.Error, "%+v %+v", p.Error, p.Cells)
}

// inOrder: databases come before what requires them, and the second wave after the first.
func (d *daemon) inOrder(p api.PlacementOf) {
	d.t.Helper()
	of := map[string]record.Operation{}
	for name, id := range p.Operations {
		var o record.Operation
		d.ask(200, "GET", "/v1/operations/"+id, nil).read(d.t, &o)
		of[name] = o
	}
	require.Len(d.t, of, 7)
	for _, pair := range [][2]string{{"db-dev", "web-dev"}, {"db-eu", "web-eu"}, {"web-dev", "web-eu"}, {"web-dev", "web-us"}} {
		require.False(d.t, of[pair[1]].Started.Before(*of[pair[0]].Ended), "%s comes after %s", pair[1], pair[0])
	}
}

// fails: where the first wave is not well, the second one is not begun.
func (d *daemon) fails(t *testing.T, files map[string]string) {
	wrong := maps.Clone(files)
	wrong["web/web.cue"] = strings.Replace(files["web/web.cue"], "ghcr.example/web:1.0.0", "ghcr.example/broken:1.1.0", 1)
	wrong["templates/db.cue"] = strings.Replace(strings.Replace(files["templates/db.cue"], "example.org/site/web", "example.org/site/db", 1), `import w`, `import w`, 1)
	wrong["db/db.cue"] = files["web/web.cue"]
	begun := d.ask(202, "POST", "/v1/placements", m{"tree": d.send(wrong), "hold": true})
	p, etag := d.rests(begun)
	require.Equal(t, "it was asked for so; what changes is in protected environments: eu", p.Held)
	require.Contains(t, cellsOf(p.Cells), "web-eu changed rollout")
	p, _ = d.rests(d.ask(202, "POST", begun.header.Get("Location")+"/approve", m{}, "If-Match: "+etag))
	require.Equal(t, "manager/placement", p.Error.Code)
	var texts []string
	for _, one := range p.Error.Problems {
		texts = append(texts, one.Message)
	}
	require.Contains(t, strings.Join(texts, "\n"), "web-dev: it is applied, and not healthy: ")
	require.Contains(t, texts, "web-eu: it was not begun, as it comes after web-dev")
	require.Contains(t, texts, "web-us: it was not begun, as it comes after web-dev")
	require.NotContains(t, p.Operations, "web-us")
	var list struct{ Items []api.Template }
	d.ask(200, "GET", "/v1/templates", nil).read(t, &list)
	web := list.Items[2].Cells
	require.Equal(t, "web-dev unchanged false", web[0].Deployment+" "+web[0].State+" "+map[bool]string{true: "true", false: "false"}[web[0].Healthy])
	require.Equal(t, "web-us changed", web[2].Deployment+" "+web[2].State)
}

// bounds: what would be removed is held until somebody repeats how many that is.
func (d *daemon) bounds(t *testing.T, files map[string]string) {
	less := maps.Clone(files)
	delete(less, "templates/web.cue")
	begun := d.ask(202, "POST", "/v1/placements", m{"tree": d.send(less)})
	p, etag := d.rests(begun)
	require.Equal(t, "3 solutions would be removed (templates that are in use are gone: web; protected: eu); what changes is in protected environments: eu", p.Held)
	at := begun.header.Get("Location")
	r := d.ask(422, "POST", at+"/approve", m{"remove": 2}, "If-Match: "+etag)
	require.Equal(t, "manager/remove", r.code())
	d.kill() // and held it stays
	d.start()
	p, etag = d.rests(begun)
	require.Equal(t, record.PlacementHeld, p.Phase)
	p, _ = d.rests(d.ask(202, "POST", at+"/approve", m{"remove": 3}, "If-Match: "+etag))
	require.Nil(t, p.Error, "%+v", p.Error)
	d.ask(404, "GET", "/v1/deployments/web-eu", nil)
	var list struct{ Items []api.Template }
	d.ask(200, "GET", "/v1/templates", nil).read(t, &list)
	require.Len(t, list.Items, 2)
	p, _ = d.rests(d.ask(202, "POST", "/v1/placements", m{"tree": d.upload(hello)}))
	require.Equal(t, "manager/compile", p.Error.Code)
}

// TestPlacementKilled: a server that is killed at any point of a placement goes on with it, and
// each deployment is made once.
func TestPlacementKilled(t *testing.T) {
	t.Parallel()
	files := placedTree(t)
	files["environments/eu.cue"] = strings.Replace(files["environments/eu.cue"], "\tprotected: true\n", "", 1)
	for _, point := range []string{"computed:1", "placing:1", "cell:2", "begun:1", "cell:5"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			d := newDaemon(t)
			d.makesPlaces()
			tree := d.send(files)
			d.kill()
			d.start("KUMIKID_CRASH=" + point)
			r := d.ask(202, "POST", "/v1/placements", m{"tree": tree})
			_ = d.cmd.Wait()
			d.start()
			p, _ := d.rests(r)
			require.Nil(t, p.Error, "%+v", p.Error)
			var list struct{ Items []api.Deployment }
			d.ask(200, "GET", "/v1/deployments", nil).read(t, &list)
			require.Len(t, list.Items, 7)
			for _, one := range list.Items {
				require.Equal(t, 1, one.Last, one.Name)
				require.Equal(t, 1, one.Status.Applied, one.Name)
			}
		})
	}
}

// TestPlacementSecret: a tree with a value that looks like a secret places nothing, and is not
// kept.
func TestPlacementSecret(t *testing.T) {
	t.Parallel()
	d, files := newDaemon(t), placedTree(t)
	d.makesPlaces()
	const secret = "ghp_Zk3vQ8r1TnW5yXb7Lc9Hd2Mf4Pg6Sj0AeUiO"
	files["environments/dev.cue"] = strings.Replace(files["environments/dev.cue"], `"developers"`, `"`+secret+`"`, 1)
	tree := d.send(files)
	r := d.ask(422, "POST", "/v1/placements?dryRun=true", m{"tree": tree})
	require.Equal(t, "manager/secret", r.code())
	require.NotContains(t, string(r.body), secret)
	d.ask(422, "POST", "/v1/placements", m{"tree": tree})
	p, _ := d.rests(d.ask(202, "POST", "/v1/placements", m{"tree": d.send(files)}))
	require.Equal(t, "manager/secret", p.Error.Code)
	require.NotEmpty(t, p.Error.Problems[0].File)
	require.NotContains(t, string(d.ask(200, "GET", "/v1/placements/"+p.ID, nil).body), secret)
	require.Contains(t, string(d.ask(200, "GET", "/v1/deployments", nil).body), `"items":[]`)
}

// TestPlacementKubernetes: what is placed runs in namespaces of a real API server; the environment
// of a tree has to be that of the manager.
func TestPlacementKubernetes(t *testing.T) {
	t.Parallel()
	r, files := newReal(t), placedTree(t)
	files["environments/eu.cue"] = strings.Replace(files["environments/eu.cue"], `	protected: true`, `	protected: true`+"\n"+`	namespace: "`+r.namespace+`"`, 1)
	for _, name := range []string{"dev", "us"} {
		r.ask(200, "PUT", "/v1/environments/"+name, m{"target": "kubernetes", "options": m{"namespace": r.namespace}}, "If-None-Match: *")
	}
	r.ask(200, "PUT", "/v1/environments/eu", m{"target": "kubernetes", "options": m{"namespace": "elsewhere"}}, "If-None-Match: *")
	tree := r.send(files)
	var dry api.PlacementOf
	r.ask(200, "POST", "/v1/placements?dryRun=true", m{"tree": tree}).read(t, &dry)
	require.Equal(t, `environment eu has other options in the tree than in the manager: namespace is "`+r.namespace+`" and "elsewhere"; what is applied is the manager's: make them the same`, dry.Cells[3].Problems[0])
	r.ask(200, "PUT", "/v1/environments/eu", m{"target": "kubernetes", "options": m{"namespace": r.namespace}}, "If-Match: *")
	begun := r.ask(202, "POST", "/v1/placements", m{"tree": tree})
	p, etag := r.rests(begun)
	require.Equal(t, "what changes is in protected environments: eu", p.Held)
	r.Count()
	_, writes, _ := r.Count()
	require.Zero(t, writes, "what is held writes nothing")
	p, _ = r.rests(r.ask(202, "POST", begun.header.Get("Location")+"/approve", m{}, "If-Match: "+etag))
	require.Nil(t, p.Error, "%+v", p.Error)
	require.Equal(t, "2", r.kubectl("get", "deployment/web-eu-web", "-o", "jsonpath={.status.readyReplicas}"))
	require.Contains(t, r.kubectl("get", "deployments", "-l", "kumiki.dev/template=web", "-o", "name"), "web-dev")
	r.Count()
	p, _ = r.rests(r.ask(202, "POST", "/v1/placements", m{"tree": tree}))
	_, writes, _ = r.Count()
	require.Equal(t, map[string]int{"unchanged": 7}, p.Counts)
	require.Zero(t, writes)
}
