// Package store keeps records in etcd, which runs in the same process or elsewhere, and
// contents by their digests in a directory or a registry. Nothing else knows etcd.
//
// A key has the revision at which it was written last. [Store.Commit] writes several keys at
// once, if each has the revision that the writer has seen: nobody's change is lost.
package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// root is what all keys begin with.
const root = "/kumiki/v1/"

// The errors that a caller can do something about.
var (
	// ErrNotFound says that there is no such key, or no such content.
	ErrNotFound = errors.New("it is not there")
	// ErrDamaged says that a content is not what its digest says.
	ErrDamaged = errors.New("it is damaged")
	// ErrConflict says that a key does not have the revision that was seen; a [*Conflict] is one.
	ErrConflict = errors.New("somebody else has changed it")
	// ErrCompacted says that so old a revision is not kept any more: list again.
	ErrCompacted = errors.New("so old a revision is not kept any more: list again")
	// ErrFuture says that no revision is so late yet: it is of a store that is not this one.
	ErrFuture = errors.New("there was no such revision yet, it is from before what is kept was made anew: list again")
	// ErrTooLarge says that what is to be written at once is more than the store takes.
	ErrTooLarge = errors.New("that is more than can be written at once: send less, fewer labels or values")
	// ErrFull says that the store has no room: nothing is written, reading goes on.
	ErrFull = errors.New("the store has no room: nothing is written until there is; a larger --quota, or fewer operations and manifests")
	// ErrUnavailable says that the store does not answer.
	ErrUnavailable = errors.New("the store does not answer")
)

// Conflict is the key that does not have the revision that was seen.
type Conflict struct {
	Key string
	// Revision is the one that it has, 0 if it is not there.
	Revision int64
}

// Error implements error.
func (c *Conflict) Error() string {
	if c.Revision == 0 {
		return c.Key + ": it is not there any more"
	}
	return fmt.Sprintf("%s: somebody else has changed it: it is at revision %d", c.Key, c.Revision)
}

// Is makes a conflict an [ErrConflict].
func (c *Conflict) Is(target error) bool { return target == ErrConflict }

// Store keeps records and contents. It is for several goroutines.
type Store struct {
	// Contents are kept beside the records.
	Contents Contents

	client *clientv3.Client
	server *embedded // nil for an etcd elsewhere

	closing sync.Once
}

// Entry is a key with its value.
type Entry struct {
	Key   string
	Value []byte
	// Revision is when it was written last.
	Revision int64
}

// Get reads a key. The error is [ErrNotFound] if there is none.
func (s *Store) Get(ctx context.Context, key string) (Entry, error) {
	answer, err := s.client.Get(ctx, root+key)
	if err != nil {
		return Entry{}, translate(err)
	}
	if len(answer.Kvs) == 0 {
		return Entry{}, fmt.Errorf("%s: %w", key, ErrNotFound)
	}
	return Entry{key, answer.Kvs[0].Value, answer.Kvs[0].ModRevision}, nil
}

// atOnce is how many keys one request reads: a transaction of etcd has at most 128 parts.
const atOnce = 128

// GetAll reads many keys with few requests. Those that are not there are left out.
func (s *Store) GetAll(ctx context.Context, keys []string) (map[string]Entry, error) {
	found := make(map[string]Entry, len(keys))
	for some := range slices.Chunk(keys, atOnce) {
		ops := make([]clientv3.Op, 0, len(some))
		for _, key := range some {
			ops = append(ops, clientv3.OpGet(root+key))
		}
		answer, err := s.client.Txn(ctx).Then(ops...).Commit()
		if err != nil {
			return nil, translate(err)
		}
		for i, key := range some {
			for _, kv := range answer.Responses[i].GetResponseRange().Kvs {
				found[key] = Entry{key, kv.Value, kv.ModRevision}
			}
		}
	}
	return found, nil
}

// Page says which part of a list is read. The zero value is all of it, as it is now.
type Page struct {
	// Limit is how many there are at most, 0 for all.
	Limit int
	// After is the last key of the page before, "" for the first page: with Last those before it
	// follow.
	After string
	// At is the revision of the page before: all pages are of one snapshot.
	At int64
	// Last lists from the end.
	Last bool
	// Keys leaves out the values.
	Keys bool
	// From and To are the first and the last key that is read; "" for those of the list.
	From, To string
}

// List reads the keys that begin with prefix, in their order, and the revision at which
// they were so. More tells that others follow.
func (s *Store) List(ctx context.Context, prefix string, p Page) (entries []Entry, at int64, more bool, err error) {
	from, end := root+prefix, clientv3.GetPrefixRangeEnd(root+prefix)
	if p.From != "" {
		from = root + p.From
	}
	if p.To != "" {
		end = root + p.To + "\x00"
	}
	switch {
	case p.After != "" && p.Last:
		end = root + p.After
	case p.After != "":
		from = root + p.After + "\x00"
	}
	options := []clientv3.OpOption{clientv3.WithRange(end), clientv3.WithLimit(int64(p.Limit)), clientv3.WithRev(p.At)}
	if p.Last {
		options = append(options, clientv3.WithSort(clientv3.SortByKey, clientv3.SortDescend))
	}
	if p.Keys {
		options = append(options, clientv3.WithKeysOnly())
	}
	answer, err := s.client.Get(ctx, from, options...)
	if err != nil {
		return nil, 0, false, translate(err)
	}
	if at = p.At; at == 0 {
		at = answer.Header.Revision
	}
	entries = make([]Entry, 0, len(answer.Kvs))
	for _, kv := range answer.Kvs {
		entries = append(entries, Entry{strings.TrimPrefix(string(kv.Key), root), kv.Value, kv.ModRevision})
	}
	return entries, at, answer.More, nil
}

// What a [Write] may ask of its key in place of a revision.
const (
	// Any lets it succeed whatever revision the key has.
	Any = -1
	// Present lets it succeed if the key is there.
	Present = -2
)

// Write is one of the writes of a transaction.
type Write struct {
	Key   string
	Value []byte
	// If is the revision that the key has to have: 0 for one that is not there, [Any] for
	// whatever it has.
	If int64
	// Lease lets the key go after so long; 0 for never.
	Lease time.Duration

	only, remove bool
	err          error
}

// Put writes a record as JSON, if its key has the revision.
func Put(key string, value any, revision int64) Write {
	data, err := json.Marshal(value)
	return Write{Key: key, Value: data, If: revision, err: err}
}

// Remove removes a key, if it has the revision.
func Remove(key string, revision int64) Write { return Write{Key: key, If: revision, remove: true} }

// Only writes nothing: the others are made only if the key has the revision.
func Only(key string, revision int64) Write { return Write{Key: key, If: revision, only: true} }

// Commit makes all writes at once, or none of them. The error is a [*Conflict] with the first
// key that does not have the revision.
func (s *Store) Commit(ctx context.Context, writes ...Write) (revision int64, err error) {
	var conditions []clientv3.Cmp
	var then, reads []clientv3.Op
	for _, w := range writes {
		if w.err != nil {
			return 0, fmt.Errorf("%s: %w", w.Key, w.err)
		}
		key := root + w.Key
		switch w.If {
		case Any:
		case Present:
			conditions = append(conditions, clientv3.Compare(clientv3.ModRevision(key), ">", 0))
		default:
			conditions = append(conditions, clientv3.Compare(clientv3.ModRevision(key), "=", w.If))
		}
		reads = append(reads, clientv3.OpGet(key, clientv3.WithKeysOnly()))
		switch {
		case w.remove:
			then = append(then, clientv3.OpDelete(key))
		case !w.only:
			put, err := s.put(ctx, key, w)
			if err != nil {
				return 0, err
			}
			then = append(then, put)
		}
	}
	answer, err := s.client.Txn(ctx).If(conditions...).Then(then...).Else(reads...).Commit()
	if errors.Is(err, rpctypes.ErrNoSpace) {
		if at, is := s.written(ctx, writes); is {
			return at, nil
		}
	}
	if err != nil {
		return 0, translate(err)
	}
	if answer.Succeeded {
		return answer.Header.Revision, nil
	}
	return 0, conflict(writes, answer)
}

// written reports whether all of some writes have been made, and at which revision: the first one
// that goes past the quota is made by etcd, which answers as if it was not.
func (s *Store) written(ctx context.Context, writes []Write) (revision int64, is bool) {
	var reads []clientv3.Op
	for _, w := range writes {
		reads = append(reads, clientv3.OpGet(root+w.Key))
	}
	answer, err := s.client.Txn(ctx).Then(reads...).Commit()
	if err != nil {
		return 0, false
	}
	for i, w := range writes {
		found := answer.Responses[i].GetResponseRange().Kvs
		switch {
		case w.only, w.remove && len(found) == 0:
			continue
		case w.remove, len(found) == 0, !bytes.Equal(found[0].Value, w.Value), revision != 0 && found[0].ModRevision != revision:
			return 0, false
		}
		revision = found[0].ModRevision
		// Who has not said which revision is written may have written the same before.
		is = is || w.If >= 0 && revision != w.If
	}
	return revision, is
}

func (s *Store) put(ctx context.Context, key string, w Write) (clientv3.Op, error) {
	if w.Lease == 0 {
		return clientv3.OpPut(key, string(w.Value)), nil
	}
	lease, err := s.client.Grant(ctx, int64(w.Lease/time.Second))
	if err != nil {
		return clientv3.Op{}, translate(err)
	}
	return clientv3.OpPut(key, string(w.Value), clientv3.WithLease(lease.ID)), nil
}

// conflict is the first key that does not have the revision that it should.
func conflict(writes []Write, answer *clientv3.TxnResponse) error {
	for i, w := range writes {
		var is int64
		if kvs := answer.Responses[i].GetResponseRange().Kvs; len(kvs) > 0 {
			is = kvs[0].ModRevision
		}
		if w.If != Any && w.If != is && (w.If != Present || is == 0) {
			return &Conflict{w.Key, is}
		}
	}
	return ErrConflict
}

// Read reads a record of a key, and its revision.
func Read[T any](ctx context.Context, s *Store, key string) (value T, revision int64, err error) {
	e, err := s.Get(ctx, key)
	if err != nil {
		return value, 0, err
	}
	if err := json.Unmarshal(e.Value, &value); err != nil {
		return value, 0, fmt.Errorf("%s: %w", key, err)
	}
	return value, e.Revision, nil
}

// translate says what is wrong in words of this package.
func translate(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return ErrCompacted
	case errors.Is(err, rpctypes.ErrFutureRev):
		return ErrFuture
	case errors.Is(err, rpctypes.ErrNoSpace):
		return ErrFull
	case errors.Is(err, rpctypes.ErrRequestTooLarge):
		return ErrTooLarge
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	code := status.Code(err)
	var known rpctypes.EtcdError // as the client makes them of those that it knows
	if errors.As(err, &known) {
		code = known.Code()
	}
	switch code {
	case codes.Unavailable, codes.DeadlineExceeded:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}
