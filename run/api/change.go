package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"kumiki.dev/internal/secretlike"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
	"kumiki.dev/run/telemetry"
	"kumiki.dev/solution"
)

// How long an operation may take, and how long a key that makes a request one is kept.
const (
	defaultTime = 10 * time.Minute
	maxTime     = 24 * time.Hour
	keyKept     = 24 * time.Hour
)

// WriteInput is what every change may say.
type WriteInput struct {
	Key     string `header:"Idempotency-Key" maxLength:"200" doc:"The same key and the same request are the same operation, for 24 hours."`
	DryRun  bool   `query:"dryRun" doc:"Answer with the plan, and change nothing."`
	Timeout int    `query:"timeoutSeconds" minimum:"1" maximum:"86400" doc:"How long the operation may take; 600 if it is left out."`
}

// MatchInput says which revision is changed.
type MatchInput struct {
	Match string `header:"If-Match" doc:"The ETag of what is changed."`
}

// Answer is what comes of a change: an operation, or with dryRun the plan.
type Answer struct {
	Operation *record.Operation `json:"operation,omitempty"`
	Plan      *operate.Preview  `json:"plan,omitempty"`
}

type changeOutput struct {
	Status   int
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Body     Answer
}

// change is a change that somebody asks for.
type change struct {
	WriteInput
	name  string
	verb  record.Verb
	allow record.Allow
	// create makes a deployment; else match is the ETag that it has to have.
	create bool
	match  string
	// halt is what is stopped, started or restarted: what is wanted stays the same then.
	halt *record.Halt
	// edit changes the deployment and makes the manifest; with halt it reads it.
	edit func(ctx context.Context, d *record.Deployment, m *record.Manifest) error
	// placement is what it belongs to, "" for none.
	placement string
	// request tells it from others with the same key.
	request any
}

// repeated is what is kept of a request with a key.
type repeated struct {
	Request   string `json:"request"`
	Operation string `json:"operation"`
}

// begin checks a change and makes its operation, or answers with the plan.
func (s *Server) begin(ctx context.Context, c change) (*changeOutput, error) {
	digest, key, err := s.requestOf(ctx, c)
	if err != nil {
		return nil, err
	}
	for {
		if out, err := s.again(ctx, key, digest); out != nil || err != nil {
			return out, err
		}
		d, revision, err := s.current(ctx, c)
		if err != nil {
			return nil, err
		}
		m, o, err := s.made(ctx, c, &d)
		if err != nil {
			return nil, err
		}
		if c.DryRun {
			p, err := s.previewed(ctx, d, m, o)
			return &changeOutput{Status: http.StatusOK, ETag: etag(revision), Body: Answer{Plan: p}}, err
		}
		writes := []store.Write{
			store.Put(record.Deployments+d.Name, d, revision),
			store.Put(record.Operations+o.ID, o, 0), store.Put(record.Pending+o.ID, operate.Pending{Deployment: d.Name}, 0),
			store.Only(record.Environments+d.Environment, store.Present),
		}
		said := Audited{Verb: string(c.verb), What: record.Deployments + d.Name, Operation: o.ID, Manifest: m.Number, Placement: c.placement, Bundle: m.Input.Bundle, Allow: c.allow}
		if c.halt == nil {
			writes = append(writes, store.Put(record.ManifestKey(d.Name, m.Number), m, 0))
		} else {
			said.Path = c.halt.Path
		}
		at, err := s.commit(ctx, said, append(writes, repeats(key, digest, o.ID)...)...)
		if err == nil {
			return &changeOutput{Status: http.StatusAccepted, Location: "/v1/operations/" + o.ID, ETag: etag(at), Body: Answer{Operation: &o}}, nil
		}
		var conflict *store.Conflict
		if !errors.As(err, &conflict) {
			return nil, answer(err)
		}
		// It is looked at again: what has changed decides the answer.
	}
}

// repeats are the writes by which the same request is found to be the same; none without a key.
func repeats(key, digest, operation string) []store.Write {
	if key == "" {
		return nil
	}
	w := store.Put(key, repeated{digest, operation}, 0)
	w.Lease = keyKept
	return []store.Write{w}
}

// requestOf is the digest of a request and where its key is kept, "" for none.
func (s *Server) requestOf(ctx context.Context, c change) (digest, key string, err error) {
	if c.Key == "" || c.DryRun {
		return "", "", nil
	}
	data, err := json.Marshal([]any{c.verb, c.name, c.match, c.allow, c.Timeout, c.request})
	if err != nil {
		return "", "", answer(err)
	}
	return store.Digest(data), record.Idempotency + store.Digest([]byte(who(ctx).Name+"\x00"+c.Key)), nil
}

// again is the answer to a request that was answered before, nil for another.
func (s *Server) again(ctx context.Context, key, digest string) (*changeOutput, error) {
	id, err := s.repeated(ctx, key, digest)
	if id == "" || err != nil {
		return nil, err
	}
	o, at, err := store.Read[record.Operation](ctx, s.Store, record.Operations+id)
	return &changeOutput{Status: http.StatusAccepted, Location: "/v1/operations/" + o.ID, ETag: etag(at), Body: Answer{Operation: &o}}, answer(err)
}

// repeated is the id of what the request with a key has begun before, "" for none.
func (s *Server) repeated(ctx context.Context, key, digest string) (string, error) {
	if key == "" {
		return "", nil
	}
	was, _, err := store.Read[repeated](ctx, s.Store, key)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", nil
	case err != nil:
		return "", answer(err)
	case was.Request != digest:
		return "", problem(http.StatusUnprocessableEntity, "manager/key", "another request had this Idempotency-Key: each takes its own")
	}
	return was.Operation, nil
}

// current is the deployment that is changed, and its revision: 0 for one that is made.
func (s *Server) current(ctx context.Context, c change) (record.Deployment, int64, error) {
	if c.create {
		return s.fresh(ctx, c.name)
	}
	d, revision, err := s.deployment(ctx, c.name)
	switch {
	case err != nil:
		return d, 0, err
	case c.match == "":
		return d, 0, problem(http.StatusPreconditionRequired, "manager/no-match", "say with If-Match which revision is changed: the ETag of GET /v1/deployments/"+c.name)
	case c.match != etag(revision) && c.match != "*":
		return d, 0, problem(http.StatusPreconditionFailed, "manager/changed", fmt.Sprintf("%s has changed since: its ETag is %s, and If-Match says %s", c.name, etag(revision), c.match))
	case d.Deleting && c.verb != record.Delete:
		return d, 0, problem(http.StatusConflict, "manager/deleting", c.name+" is being removed: wait for operation "+d.Operation)
	}
	return d, revision, nil
}

// fresh is a deployment that is made. It goes on after the manifests that one of its name had.
func (s *Server) fresh(ctx context.Context, name string) (record.Deployment, int64, error) {
	d := record.Deployment{Name: name, Created: time.Now().UTC()}
	if err := record.CheckName(name); err != nil {
		return d, 0, problem(http.StatusUnprocessableEntity, "manager/name", err.Error())
	}
	_, err := s.Store.Get(ctx, record.Deployments+name)
	if err == nil {
		return d, 0, problem(http.StatusConflict, "manager/exists", "there is a deployment "+name+" already: PATCH or PUT changes it")
	}
	if !errors.Is(err, store.ErrNotFound) {
		return d, 0, answer(err)
	}
	d.Last, err = operate.LastManifest(ctx, s.Store, name)
	return d, 0, answer(err)
}

// made are the manifest and the operation of a change, and the deployment with it.
func (s *Server) made(ctx context.Context, c change, d *record.Deployment) (record.Manifest, record.Operation, error) {
	now := time.Now().UTC()
	m := record.Manifest{Deployment: d.Name, Number: d.Last + 1, Verb: c.verb, By: who(ctx).Name, Created: now}
	o := s.operationOf(ctx, c.WriteInput, c.verb, now)
	o.Deployment, o.Previous, o.Allow = d.Name, d.Manifest, c.allow
	if err := c.edit(ctx, d, &m); err != nil {
		return m, o, err
	}
	if err := s.check(ctx, *d, m); err != nil {
		return m, o, err
	}
	var err error
	if o.Halts, err = s.halts(ctx, c, d.Operation); err != nil {
		return m, o, err
	}
	if c.halt == nil {
		d.Last, m.Operation = m.Number, o.ID
	}
	o.Manifest, o.Labels = m.Number, d.Labels
	d.Manifest, d.Operation, d.Changed = m.Number, o.ID, now
	return m, o, nil
}

// operationOf is an operation that begins now.
func (s *Server) operationOf(ctx context.Context, w WriteInput, verb record.Verb, now time.Time) record.Operation {
	took := defaultTime
	if w.Timeout > 0 {
		took = min(time.Duration(w.Timeout)*time.Second, maxTime)
	}
	return record.Operation{ID: newID(now), Verb: verb, By: who(ctx).Name, Trace: telemetry.Parent(ctx), Phase: record.Waiting, Started: now, Deadline: now.Add(took)}
}

// newID is the name of an operation: they sort by when they began.
func newID(now time.Time) string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // it does not fail
	return fmt.Sprintf("%012x-%s", now.UnixMilli(), hex.EncodeToString(random))
}

// check refuses what can be seen to be wrong before an operation is begun.
func (s *Server) check(ctx context.Context, d record.Deployment, m record.Manifest) error {
	if !who(ctx).Sees(d.Labels) {
		return problem(http.StatusForbidden, "manager/forbidden", who(ctx).Name+" may not see deployments with these labels, and would not see what it makes")
	}
	if err := checkLabels(d.Labels); err != nil {
		return err
	}
	if _, err := s.environment(ctx, d.Environment); err != nil {
		return problem(http.StatusUnprocessableEntity, "manager/environment", fmt.Sprintf("there is no environment %q: GET /v1/environments lists them", d.Environment))
	}
	if m.Empty {
		return nil
	}
	if m.Solution != "" {
		return nil // it is known what comes of it
	}
	if m.Input.Bundle == "" {
		return problem(http.StatusConflict, "manager/nothing", d.Name+" has no bundle that could be changed: PUT gives it one")
	}
	there, err := s.Store.Contents.Has(ctx, m.Input.Bundle)
	if err != nil {
		return answer(err)
	}
	if !there {
		return problem(http.StatusUnprocessableEntity, "manager/content", fmt.Sprintf("there is no bundle %s: POST /v1/bundles uploads it", m.Input.Bundle))
	}
	return checkSets(m.Input.Sets)
}

// checkSets refuses what is no value, what names a file, and what looks like a secret: values of
// secrets are not kept.
func checkSets(sets []string) error {
	for _, set := range sets {
		path, value, ok := strings.Cut(set, "=")
		if !ok || path == "" {
			return problem(http.StatusUnprocessableEntity, "manager/set", fmt.Sprintf("%q is not PATH=VALUE", set))
		}
		if strings.HasSuffix(path, ":") {
			return problem(http.StatusUnprocessableEntity, "manager/set", fmt.Sprintf("%s=: write PATH=VALUE; what is set takes the place of what the bundle says", path))
		}
		if strings.HasPrefix(value, "@") && !strings.HasPrefix(value, "@@") {
			return problem(http.StatusUnprocessableEntity, "manager/set", fmt.Sprintf("%s: the server reads no files; write @@ for a value that begins with @", path))
		}
		if name, ok := secretlike.Path(secretlike.Dotted(path)); ok && secretlike.Is(name, value) {
			return problem(http.StatusUnprocessableEntity, "manager/secret", fmt.Sprintf("%s: the value looks like a secret, and nothing of it was kept: put it where it runs, and give its name as a resource", path))
		}
	}
	return nil
}

func checkLabels(of map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(of)) {
		for _, wrong := range slices.Concat(content.IsLabelKey(key), content.IsLabelValue(of[key])) {
			return problem(http.StatusUnprocessableEntity, "manager/label", fmt.Sprintf("label %s=%s: %s", key, of[key], wrong))
		}
	}
	return nil
}

// compiled is the solution of a manifest, compiled now if it is not yet.
func (s *Server) compiled(ctx context.Context, name string, m *record.Manifest) (*solution.Solution, error) {
	if m.Solution != "" {
		sol, err := operate.Solution(ctx, s.Store, *m)
		return sol, answer(err)
	}
	data, err := s.Store.Contents.Get(ctx, m.Input.Bundle)
	if err != nil {
		return nil, answer(err)
	}
	r, err := s.Compiler.Compile(ctx, data, name, m.Input.Sets)
	if err != nil {
		return nil, answer(err)
	}
	if r.Solution == nil {
		return nil, problem(http.StatusUnprocessableEntity, "manager/compile", "it does not compile", r.Problems...)
	}
	if failed := operate.SecretsOf(r); failed != nil {
		if err := operate.Drop(ctx, s.Store, m.Input.Bundle); err != nil {
			return nil, answer(err)
		}
		return nil, problem(http.StatusUnprocessableEntity, failed.Code, failed.Message, failed.Problems...)
	}
	return r.Solution, nil
}

// Source is what a deployment is to be compiled from.
type Source struct {
	Bundle string   `json:"bundle" doc:"The digest of a bundle that was uploaded." pattern:"^sha256:[0-9a-f]{64}$"`
	Sets   []string `json:"sets,omitempty" doc:"PATH=VALUE, in place of what the bundle's manifest says."`
}

// DeploymentInput is what a deployment is made of.
type DeploymentInput struct {
	Name        string            `json:"name" doc:"Its name: lower case letters, digits and -, at most 63."`
	Environment string            `json:"environment,omitempty" doc:"Where it runs: local if it is left out."`
	Labels      map[string]string `json:"labels,omitempty" doc:"What it is selected by."`
	Input       Source            `json:"input"`
	Allow       record.Allow      `json:"allow,omitempty" doc:"Dangers that are meant."`
}

type createInput struct {
	WriteInput
	Body DeploymentInput
}

func (s *Server) createDeployment(ctx context.Context, in *createInput) (*changeOutput, error) {
	return s.begin(ctx, s.creation(in.WriteInput, in.Body))
}

func (s *Server) creation(w WriteInput, b DeploymentInput) change {
	return change{WriteInput: w, name: b.Name, verb: record.Create, create: true, allow: b.Allow, request: b,
		edit: func(_ context.Context, d *record.Deployment, m *record.Manifest) error {
			d.Environment, d.Labels, m.Input = cmp.Or(b.Environment, "local"), b.Labels, record.Input(b.Input)
			return nil
		}}
}

type putInput struct {
	DeploymentPath
	MatchInput
	WriteInput
	NoneMatch string `header:"If-None-Match" enum:"*" doc:"Make the deployment, which is not there."`
	Body      struct {
		Environment string            `json:"environment,omitempty" doc:"Where it runs; that of the deployment if it is left out."`
		Labels      map[string]string `json:"labels,omitempty" doc:"What it is selected by; left out they stay."`
		Input       Source            `json:"input"`
		Allow       record.Allow      `json:"allow,omitempty" doc:"Dangers that are meant."`
	}
}

func (s *Server) putDeployment(ctx context.Context, in *putInput) (*changeOutput, error) {
	b := in.Body
	if in.NoneMatch == "*" {
		return s.begin(ctx, s.creation(in.WriteInput, DeploymentInput{Name: in.Name, Environment: b.Environment, Labels: b.Labels, Input: b.Input, Allow: b.Allow}))
	}
	return s.begin(ctx, change{WriteInput: in.WriteInput, name: in.Name, verb: record.Update, match: in.Match, allow: b.Allow, request: b,
		edit: func(_ context.Context, d *record.Deployment, m *record.Manifest) error {
			if err := free(*d); err != nil {
				return err
			}
			if b.Environment != "" && b.Environment != d.Environment {
				return problem(http.StatusUnprocessableEntity, "manager/moved", fmt.Sprintf("%s runs in %s: a deployment stays in its environment; make another one in %s and delete this", d.Name, d.Environment, b.Environment))
			}
			if b.Labels != nil {
				d.Labels = b.Labels
			}
			m.Input = record.Input(b.Input)
			return nil
		}})
}

type patchInput struct {
	DeploymentPath
	MatchInput
	WriteInput
	Body struct {
		Set    []string          `json:"set,omitempty" doc:"PATH=VALUE, in place of what the bundle says and what was set before."`
		Scale  map[string]int    `json:"scale,omitempty" doc:"How many instances each role has; \"\" for a component alone."`
		Labels map[string]string `json:"labels,omitempty" doc:"What it is selected by, in place of what there was."`
		Allow  record.Allow      `json:"allow,omitempty" doc:"Dangers that are meant."`
	}
}

func (s *Server) patchDeployment(ctx context.Context, in *patchInput) (*changeOutput, error) {
	b := in.Body
	return s.begin(ctx, change{WriteInput: in.WriteInput, name: in.Name, verb: record.Update, match: in.Match, allow: b.Allow, request: b,
		edit: func(ctx context.Context, d *record.Deployment, m *record.Manifest) error {
			if err := free(*d); err != nil {
				return err
			}
			was, _, err := store.Read[record.Manifest](ctx, s.Store, record.ManifestKey(d.Name, d.Manifest))
			if err != nil {
				return problem(http.StatusConflict, "manager/nothing", d.Name+" has no manifest that could be changed: PUT gives it one")
			}
			if b.Labels != nil {
				d.Labels = b.Labels
			}
			m.Input = record.Input{Bundle: was.Input.Bundle, Sets: together(was.Input.Sets, slices.Concat(b.Set, scaled(b.Scale)))}
			if slices.Equal(m.Input.Sets, was.Input.Sets) {
				m.Solution, m.Artifact = was.Solution, was.Artifact
			}
			return nil
		}})
}

// free refuses a change of a deployment that a template has placed: the next placement would
// undo it.
func free(d record.Deployment) error {
	if d.Template == "" {
		return nil
	}
	return problem(http.StatusConflict, "manager/placed", fmt.Sprintf("%s is what template %s is in %s: change that and place it; a rollback goes back until then", d.Name, d.Template, d.Environment))
}

// scaled are the numbers of instances as values of the config.
func scaled(scale map[string]int) (sets []string) {
	for _, role := range slices.Sorted(maps.Keys(scale)) {
		path := "config.scale.hsize"
		if role != "" {
			path = "config.scale.detail." + role + ".hsize"
		}
		sets = append(sets, fmt.Sprintf("%s=%d", path, scale[role]))
	}
	return sets
}

// together are the values that were set, with others in place of those of the same path.
func together(was, now []string) []string {
	out := slices.Clone(was)
	for _, set := range now {
		path, _, _ := strings.Cut(set, "=")
		at := slices.IndexFunc(out, func(other string) bool { return strings.HasPrefix(other, path+"=") })
		if at >= 0 {
			out[at] = set
			continue
		}
		out = append(out, set)
	}
	return out
}

type deleteInput struct {
	DeploymentPath
	MatchInput
	WriteInput
	Data    []string `query:"allowData" doc:"Paths of data that may be lost."`
	Gone    []string `query:"allowGone" doc:"What may go though other solutions use it."`
	Orphans []string `query:"allowOrphans" doc:"Deployments that may go though others hang from them."`
}

func (s *Server) deleteDeployment(ctx context.Context, in *deleteInput) (*changeOutput, error) {
	allow := record.Allow{Data: in.Data, Gone: in.Gone, Orphans: in.Orphans}
	return s.begin(ctx, change{WriteInput: in.WriteInput, name: in.Name, verb: record.Delete, match: in.Match, allow: allow,
		edit: func(_ context.Context, d *record.Deployment, m *record.Manifest) error {
			d.Deleting, m.Empty = true, true
			return nil
		}})
}

type rollbackInput struct {
	DeploymentPath
	MatchInput
	WriteInput
	Body struct {
		Manifest int          `json:"manifest" minimum:"1" doc:"The number of the manifest to go back to."`
		Allow    record.Allow `json:"allow,omitempty" doc:"Dangers that are meant."`
	}
}

func (s *Server) rollbackDeployment(ctx context.Context, in *rollbackInput) (*changeOutput, error) {
	b := in.Body
	return s.begin(ctx, change{WriteInput: in.WriteInput, name: in.Name, verb: record.Rollback, match: in.Match, allow: b.Allow, request: b,
		edit: func(ctx context.Context, d *record.Deployment, m *record.Manifest) error {
			to, _, err := store.Read[record.Manifest](ctx, s.Store, record.ManifestKey(d.Name, b.Manifest))
			if errors.Is(err, store.ErrNotFound) || err == nil && to.Solution == "" {
				return problem(http.StatusUnprocessableEntity, "manager/manifest", fmt.Sprintf("%s has no manifest %d that was compiled", d.Name, b.Manifest))
			}
			m.Input, m.Solution, m.Artifact = to.Input, to.Solution, to.Artifact
			return answer(err)
		}})
}

type maintenanceInput struct {
	DeploymentPath
	MatchInput
	Body struct {
		Maintenance bool `json:"maintenance"`
	}
}

func (s *Server) setMaintenance(ctx context.Context, in *maintenanceInput) (*deploymentOutput, error) {
	d, revision, err := s.current(ctx, change{name: in.Name, match: in.Match})
	if err != nil {
		return nil, err
	}
	d.Maintenance, d.Changed = in.Body.Maintenance, time.Now().UTC()
	verb := "end maintenance"
	if d.Maintenance {
		verb = "begin maintenance"
	}
	if _, err := s.commit(ctx, Audited{Verb: verb, What: record.Deployments + in.Name}, store.Put(record.Deployments+in.Name, d, revision)); err != nil {
		return nil, answer(err)
	}
	return s.getDeployment(ctx, &in.DeploymentPath)
}
