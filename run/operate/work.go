package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"kumiki.dev/diag"
	"kumiki.dev/query"
	"kumiki.dev/run/compile"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
	"kumiki.dev/solution"
)

// work is an operation, with the deployment that it is about.
type work struct {
	*queue
	op         record.Operation
	revision   int64
	deployment record.Deployment
	manifest   record.Manifest
	status     record.Status

	mu      sync.Mutex
	written time.Time // when the operation was written last
	span    context.Context
	in      trace.Span // that of the phase
	since   time.Time  // when the phase began
}

// read reads an operation that has not ended.
func (q *queue) read(ctx context.Context, id string) (*work, error) {
	w := &work{queue: q}
	var err error
	if w.op, w.revision, err = store.Read[record.Operation](ctx, q.Store, record.Operations+id); err != nil {
		return nil, err
	}
	if w.deployment, _, err = store.Read[record.Deployment](ctx, q.Store, record.Deployments+w.op.Deployment); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if w.manifest, _, err = store.Read[record.Manifest](ctx, q.Store, record.ManifestKey(w.op.Deployment, w.op.Manifest)); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	w.status, _, err = store.Read[record.Status](ctx, q.Store, record.Statuses+w.op.Deployment)
	if errors.Is(err, store.ErrNotFound) {
		w.status, err = record.Status{Deployment: w.op.Deployment}, nil
	}
	return w, err
}

// carry carries out an operation. The error is that of the store.
func (w *work) carry(ctx context.Context) error {
	switch {
	case w.op.Done:
		_, err := w.Store.Commit(context.WithoutCancel(ctx), w.fence, store.Remove(record.Pending+w.op.ID, store.Any))
		return err
	case w.op.Move == nil && w.deployment.Operation != w.op.ID:
		return w.end(ctx, failure("manager/superseded", errSuperseded.Error()))
	case w.op.Cancel:
		return w.end(ctx, failure("manager/cancelled", errCanceled.Error()))
	}
	ctx, span := w.begun(ctx)
	defer span.End()
	defer w.leave()
	bounded, cancel := context.WithDeadlineCause(ctx, w.op.Deadline, errLate)
	defer cancel()
	bounded, broken := context.WithCancelCause(bounded)
	defer broken(nil)
	go w.hold(bounded, broken)
	failed, err := w.steps(bounded)
	cause := context.Cause(bounded)
	var held *maintained
	switch {
	case err == nil:
		return w.end(ctx, failed)
	case errors.Is(cause, errSuperseded):
		return w.end(ctx, failure("manager/superseded", errSuperseded.Error()))
	case errors.Is(cause, errCanceled):
		return w.end(ctx, failure("manager/cancelled", errCanceled.Error()))
	case errors.As(cause, &held):
		return w.end(ctx, failure("manager/maintenance", held.why))
	case errors.Is(cause, errLate):
		return w.end(ctx, failure("manager/late", fmt.Sprintf("its time was over at %s: %v", w.op.Deadline.UTC().Format(time.RFC3339), err)))
	}
	return err
}

var errLate = errors.New("its time is over")

func failure(code, message string) *record.Failure {
	return &record.Failure{Code: code, Message: message}
}

// steps does what an operation is for: what fails is the operation's end, the error a reason
// to try again.
func (w *work) steps(ctx context.Context) (*record.Failure, error) {
	switch {
	case w.op.Move != nil:
		return w.move(ctx)
	case w.op.Verb == record.Delete:
		return w.remove(ctx)
	}
	sol, failed, err := w.compile(ctx)
	if failed != nil || err != nil {
		return failed, err
	}
	if failed, err := w.replace(ctx); failed != nil || err != nil {
		return failed, err
	}
	return w.apply(ctx, sol)
}

// compile makes the solution of the manifest, or reads the one that was made.
func (w *work) compile(ctx context.Context) (*solution.Solution, *record.Failure, error) {
	if w.manifest.Solution != "" {
		sol, err := Solution(ctx, w.Store, w.manifest)
		return sol, nil, err
	}
	if err := w.phase(ctx, record.Compiling); err != nil {
		return nil, nil, err
	}
	if w.manifest.Input.Bundle == "" && len(w.manifest.Problems) > 0 { // a server was killed after it had refused it
		return nil, refusal(&compile.Result{Problems: w.manifest.Problems}), nil
	}
	bundle, err := w.Store.Contents.Get(ctx, w.manifest.Input.Bundle)
	if errors.Is(err, store.ErrUnavailable) {
		return nil, nil, err
	}
	if err != nil {
		return nil, failure("manager/content", err.Error()), nil
	}
	made, err := w.Compiler.Compile(ctx, bundle, w.op.Deployment, w.manifest.Input.Sets)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		w.tell("Compiled", "False", "manager/compiler", err.Error())
		return nil, failure("manager/compiler", err.Error()), nil
	}
	w.manifest.Problems = made.Problems
	if failed := refusal(made); failed != nil {
		// A bundle with secrets is not kept, nor one that does not compile: nobody can tell what
		// is in it, and nothing can be gone back to.
		had := w.manifest.Input.Bundle
		w.manifest.Input.Bundle = ""
		w.tell("Compiled", "False", failed.Problems[0].Code, failed.Problems[0].String())
		if err := w.saveManifest(ctx, nil); err != nil {
			return nil, nil, err
		}
		return nil, failed, Drop(context.WithoutCancel(ctx), w.Store, had)
	}
	if w.manifest.Solution, err = w.Store.Contents.Put(ctx, made.Text); err != nil {
		return nil, nil, err
	}
	if top := made.Solution.Deployments[made.Solution.Top]; top != nil && top.Artifact != nil {
		w.manifest.Artifact = query.TypeName(top.Artifact.Ref)
	}
	w.tell("Compiled", "True", "", "")
	w.reached("compiled")
	return made.Solution, nil, w.saveManifest(ctx, made.Solution)
}

// refusal is why nothing is made of what was compiled; nil if something is.
func refusal(made *compile.Result) *record.Failure {
	wrong := slices.ContainsFunc(made.Problems, func(p record.Problem) bool { return p.Severity == "error" })
	if failed := SecretsOf(made); failed != nil && !wrong {
		return failed
	}
	if made.Solution == nil {
		return &record.Failure{Code: "manager/compile", Message: "it does not compile", Problems: made.Problems}
	}
	return nil
}

// SecretsOf refuses a solution with values that look like secrets, which nobody has
// acknowledged; nil for one without.
func SecretsOf(made *compile.Result) *record.Failure {
	secrets := made.Secrets()
	if len(secrets) == 0 {
		return nil
	}
	return &record.Failure{Code: "manager/secret", Problems: secrets,
		Message: "it has values that look like secrets, and they are not kept: register them where it runs and give their names as resources, or acknowledge " + string(diag.SecretInEnv) + " in the bundle's sources, with the reason"}
}

// saveManifest writes what has come of compiling.
func (w *work) saveManifest(ctx context.Context, sol *solution.Solution) error {
	writes := []store.Write{w.fence, store.Put(record.ManifestKey(w.op.Deployment, w.op.Manifest), w.manifest, store.Any)}
	if sol != nil {
		writes = append(writes, store.Put(record.Facts+w.manifest.Solution, query.FactsOf(sol), store.Any))
	}
	_, err := w.Store.Commit(context.WithoutCancel(ctx), writes...)
	return err
}

// Solution reads the solution of a manifest that is compiled.
func Solution(ctx context.Context, s *store.Store, m record.Manifest) (*solution.Solution, error) {
	text, err := s.Contents.Get(ctx, m.Solution)
	if err != nil {
		return nil, err
	}
	sol, problems := solution.Read(text, m.Solution)
	if problems.HasErrors() {
		return nil, fmt.Errorf("the solution of manifest %d of %s: %s", m.Number, m.Deployment, problems[0].Message)
	}
	return sol, nil
}

// tell sets a condition of the deployment, which is written with the end.
func (w *work) tell(kind, status, reason, message string) {
	w.status.Set(record.Condition{Type: kind, Status: status, Reason: reason, Message: short(message), Manifest: w.op.Manifest, Since: time.Now().UTC()})
}

// maxMessage and maxSteps bound what is kept of an operation.
const (
	maxMessage = 2000
	maxSteps   = 2000
)

func short(text string) string {
	if len(text) > maxMessage {
		return text[:maxMessage] + "…"
	}
	return text
}

// phase writes how far the operation has come.
func (w *work) phase(ctx context.Context, phase record.Phase) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.enter(phase)
	w.op.Phase = phase
	w.reached("phase " + string(phase))
	return w.save(ctx)
}

// save writes the operation; mu is held.
func (w *work) save(ctx context.Context) error {
	w.written = time.Now()
	revision, err := w.Store.Commit(ctx, w.fence, store.Put(record.Operations+w.op.ID, w.op, w.revision))
	var conflict *store.Conflict
	if errors.As(err, &conflict) && conflict.Key == record.Operations+w.op.ID {
		// Only the wish to cancel is written by others, and that is told otherwise too.
		is, at, failed := store.Read[record.Operation](ctx, w.Store, conflict.Key)
		if failed != nil {
			return failed
		}
		w.op.Cancel, w.revision = is.Cancel, at
		return w.save(ctx)
	}
	if err == nil {
		w.revision = revision
	}
	return err
}

// saveEvery is how often steps are written while they are made.
const saveEvery = time.Second

// step adds something that was done.
func (w *work) step(ctx context.Context, s record.Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.Message = short(s.Message)
	if len(w.op.Steps) < maxSteps {
		w.op.Steps = append(w.op.Steps, s)
	}
	if time.Since(w.written) > saveEvery {
		_ = w.save(ctx) // the next one writes them too
	}
}

// end writes the end of an operation, and what it means for its deployment.
func (w *work) end(ctx context.Context, failed *record.Failure) error {
	ctx = context.WithoutCancel(ctx)
	w.reached("end")
	now := time.Now().UTC()
	w.mu.Lock()
	w.left()
	w.op.Done, w.op.Phase, w.op.Ended, w.op.Error = true, record.Ended, &now, failed
	w.mu.Unlock()
	for {
		writes, err := w.last(ctx, failed)
		if err != nil {
			return err
		}
		_, err = w.Store.Commit(ctx, writes...)
		var conflict *store.Conflict
		if !errors.As(err, &conflict) || conflict.Key == w.fence.Key {
			if err == nil {
				w.reached("ended")
				w.told(code(failed), now.Sub(w.op.Started))
			}
			return err
		}
	}
}

func code(f *record.Failure) string {
	if f == nil {
		return ""
	}
	return f.Code
}

// last are the writes with which an operation ends.
func (w *work) last(ctx context.Context, failed *record.Failure) ([]store.Write, error) {
	_, at, err := store.Read[record.Operation](ctx, w.Store, record.Operations+w.op.ID)
	if err != nil {
		return nil, err
	}
	writes := []store.Write{w.fence, store.Put(record.Operations+w.op.ID, w.op, at), store.Remove(record.Pending+w.op.ID, store.Any)}
	key := record.Deployments + w.op.Deployment
	d, revision, err := store.Read[record.Deployment](ctx, w.Store, key)
	if errors.Is(err, store.ErrNotFound) {
		return writes, nil
	}
	if err != nil {
		return nil, err
	}
	if d.Operation != w.op.ID { // it is another's now
		return append(writes, store.Only(key, revision)), nil
	}
	if w.op.Verb == record.Delete && failed == nil {
		return append(writes, store.Remove(key, revision), store.Remove(record.Statuses+w.op.Deployment, store.Any)), nil
	}
	d.Deleting = false
	w.status.Labels = d.Labels
	if failed != nil && !w.op.Wrote {
		d.Manifest = w.op.Previous // as if it had not been asked for
	}
	return append(writes, store.Put(key, d, revision), store.Put(record.Statuses+w.op.Deployment, w.status, store.Any)), nil
}

// environment reads the one of the deployment or node.
func (w *work) environment(ctx context.Context) (record.Environment, *record.Failure, error) {
	name := w.where()
	e, _, err := store.Read[record.Environment](ctx, w.Store, record.Environments+name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return e, failure("manager/environment", fmt.Sprintf("there is no environment %s any more", name)), nil
	case err != nil:
		return e, nil, err
	}
	held, err := w.held(ctx)
	if err != nil || held != "" {
		return e, failure("manager/maintenance", held), err
	}
	return e, nil, nil
}

// where is the environment that the operation is about.
func (w *work) where() string {
	if w.op.Move != nil {
		return w.op.Move.Environment
	}
	return w.deployment.Environment
}

// held is why nothing may be written for the deployment, "" if it may.
func (w *work) held(ctx context.Context) (string, error) {
	keys := w.holders()
	found, err := w.Store.GetAll(ctx, keys)
	if err != nil {
		return "", err
	}
	whose := []string{"the engine", "environment " + w.where(), "deployment " + w.op.Deployment}
	for i, key := range keys {
		var is struct {
			Maintenance bool
			Reason      string
		}
		if e, ok := found[key]; !ok || json.Unmarshal(e.Value, &is) != nil || !is.Maintenance {
			continue
		}
		text := whose[i] + " is in maintenance: nothing is changed"
		if is.Reason != "" {
			text += " (" + is.Reason + ")"
		}
		return text, nil
	}
	return "", nil
}

// holders are the keys of what maintenance holds the deployment with.
func (w *work) holders() []string {
	keys := []string{record.EngineKey, record.Environments + w.where()}
	if w.op.Deployment == "" {
		return keys // it is about a node
	}
	return append(keys, record.Deployments+w.op.Deployment)
}

// hold breaks the operation off as soon as maintenance begins, until the context ends: what is
// being written then is the last.
func (w *work) hold(ctx context.Context, broken context.CancelCauseFunc) {
	look := func() (stop bool) {
		held, err := w.held(ctx)
		if err == nil && held != "" {
			broken(&maintained{held})
			return true
		}
		return false
	}
	var each sync.WaitGroup
	for _, key := range w.holders() {
		each.Go(func() {
			for ctx.Err() == nil {
				_, at, _, err := w.Store.List(ctx, key, store.Page{Limit: 1, Keys: true})
				if err != nil || look() {
					return // a store that does not answer ends the operation otherwise
				}
				_ = w.Store.Watch(ctx, key, at, func([]store.Change) error {
					if look() {
						return errEnough
					}
					return nil
				})
			}
		})
	}
	each.Wait()
}

// errEnough ends a watch that has seen what it was for.
var errEnough = errors.New("enough")

// maintained is the reason of an operation that maintenance has broken off.
type maintained struct{ why string }

// Error implements error.
func (m *maintained) Error() string { return m.why }

// FactsOf reads what questions about many solutions need of one.
func FactsOf(value []byte) (query.Facts, error) {
	var f query.Facts
	err := json.Unmarshal(value, &f)
	return f, err
}
