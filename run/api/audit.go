package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Audited is one change, and who has made it. Each has the hash of the one before, so that none
// can be taken out or changed without that being seen.
type Audited struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"`
	By     string    `json:"by" doc:"Who has asked."`
	Role   string    `json:"role" doc:"What who asked might do; empty where an operation goes on by itself."`
	// Verb is what was done with what: a deployment, environment or token.
	Verb string `json:"verb"`
	What string `json:"what" doc:"What was changed: deployments/NAME, environments/NAME, environments/NAME/nodes/NODE, tokens/NAME, operations/ID, engine, or backup/TIME for all of it."`
	// Operation, Manifest and Bundle are those of a change of a deployment.
	Operation string `json:"operation,omitempty"`
	Manifest  int    `json:"manifest,omitempty"`
	Bundle    string `json:"bundle,omitempty"`
	// Placement is what a change belongs to.
	Placement string       `json:"placement,omitempty"`
	Allow     record.Allow `json:"allow,omitzero"`
	// Path is the deployment or role that is stopped, started, restarted or moved.
	Path string `json:"path,omitempty" doc:"The deployment or role that is stopped, started, restarted or moved."`
	// Classes are of what an operation is about to do: it has none when it is asked for.
	Classes map[string]int `json:"classes,omitempty" doc:"How many places change in which way, as the plan has it: create, rollout, data-loss and so on."`
	// Previous is the hash of the one before, "" for the first; Hash is that of all of this.
	Previous string `json:"previous"`
	Hash     string `json:"hash" doc:"The SHA-256 of this as JSON, with an empty hash."`
}

// The keys of what was audited, and of the last of them.
const (
	auditPrefix = "audit/"
	auditLast   = "audited"
)

// Sum is the hash of what was audited.
func (a Audited) Sum() (string, error) {
	a.Hash = ""
	data, err := json.Marshal(a)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// commit makes writes together with the record of who has asked for them.
func (s *Server) commit(ctx context.Context, what Audited, writes ...store.Write) (int64, error) {
	me := who(ctx)
	what.By, what.Role = me.Name, string(me.Role)
	return s.chain(ctx, what, writes...)
}

// Carried writes down what an operation is about to do: it is by who has asked for that.
func (s *Server) Carried(ctx context.Context, o record.Operation, classes map[string]int, writes ...store.Write) error {
	verb := "apply"
	if o.Verb == record.Delete {
		verb = "remove"
	}
	_, err := s.chain(ctx, Audited{
		Verb: verb, What: record.Deployments + o.Deployment, By: o.By,
		Operation: o.ID, Manifest: o.Manifest, Allow: o.Allow, Classes: classes,
	}, writes...)
	return err
}

// Restored writes down that all before it is of a backup, and that what came after that is lost.
func (s *Server) Restored(ctx context.Context, made time.Time) error {
	_, err := s.chain(ctx, Audited{Verb: "restore", What: "backup/" + made.Format(time.RFC3339), By: "restore"})
	return err
}

// chain makes writes together with a record that has the hash of the one before.
func (s *Server) chain(ctx context.Context, what Audited, writes ...store.Write) (int64, error) {
	s.auditing.Lock() // else those of this server would only be in each other's way
	defer s.auditing.Unlock()
	for {
		last, at, err := store.Read[Audited](ctx, s.Store, auditLast)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return 0, err
		}
		what.Number, what.Previous, what.At = last.Number+1, last.Hash, time.Now().UTC()
		if what.Hash, err = what.Sum(); err != nil {
			return 0, err
		}
		revision, err := s.Store.Commit(ctx, append(writes[:len(writes):len(writes)],
			store.Put(fmt.Sprintf("%s%016d", auditPrefix, what.Number), what, 0), store.Put(auditLast, what, at))...)
		var conflict *store.Conflict
		if errors.As(err, &conflict) && conflict.Key == auditLast {
			continue // another server was first
		}
		return revision, err
	}
}

func (s *Server) listAudit(ctx context.Context, in *OrderQuery) (*pageOutput[Audited], error) {
	return ordered(ctx, s.Store, auditPrefix, *in, func(store.Entry, Audited) bool { return true })
}
