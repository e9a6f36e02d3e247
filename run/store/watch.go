package store

import (
	"context"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Change is a key that was written, or removed: Value is nil then, and Was what it had been.
type Change struct {
	Key        string
	Value, Was []byte
	Revision   int64
}

// Watch calls changed with each change of the keys that begin with prefix, after the revision
// from, until the context ends or changed returns an error. The changes of a transaction come
// together. The error is [ErrCompacted] if changes were missed.
func (s *Store) Watch(ctx context.Context, prefix string, from int64, changed func([]Change) error) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	for answer := range s.client.Watch(ctx, root+prefix, clientv3.WithPrefix(), clientv3.WithRev(from+1), clientv3.WithPrevKV()) {
		if err := answer.Err(); err != nil {
			return translate(err)
		}
		changes := make([]Change, 0, len(answer.Events))
		for _, e := range answer.Events {
			c := Change{Key: strings.TrimPrefix(string(e.Kv.Key), root), Revision: e.Kv.ModRevision}
			if e.Type == clientv3.EventTypePut {
				c.Value = e.Kv.Value
			}
			if e.PrevKv != nil {
				c.Was = e.PrevKv.Value
			}
			changes = append(changes, c)
		}
		if len(changes) == 0 {
			continue
		}
		if err := changed(changes); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return ErrUnavailable
}

// elections is what the keys of those who lead, or want to, begin with.
const elections = "elections/"

// leaderTTL is after how many seconds somebody else leads if a leader does not answer.
const leaderTTL = 10

// Lead waits until nobody else leads by a name, and calls work until it is not so any more.
// What work writes goes with fence, so that it is refused once another one leads.
func (s *Store) Lead(ctx context.Context, name, id string, work func(ctx context.Context, fence Write) error) error {
	session, err := concurrency.NewSession(s.client, concurrency.WithTTL(leaderTTL), concurrency.WithContext(ctx))
	if err != nil {
		return translate(err)
	}
	defer func() { _ = session.Close() }()
	election := concurrency.NewElection(session, root+elections+name)
	if err := election.Campaign(ctx, id); err != nil {
		return translate(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-session.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	err = work(ctx, Only(strings.TrimPrefix(election.Key(), root), election.Rev()))
	resign, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer done()
	_ = election.Resign(resign) // else the lease ends by itself
	return err
}
