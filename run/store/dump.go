package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"
)

// Kept is a record as it is kept.
type Kept struct {
	Key   string `json:"key"`
	Value []byte `json:"value"`
	// Seconds is after how long it goes by itself, 0 for never.
	Seconds int64 `json:"seconds,omitempty"`
}

// Now is the revision of what is kept now, and the version of its schema.
func (s *Store) Now(ctx context.Context) (revision int64, schema string, err error) {
	answer, err := s.client.Get(ctx, root+schemaKey)
	if err != nil {
		return 0, "", translate(err)
	}
	for _, kv := range answer.Kvs {
		schema = string(kv.Value)
	}
	return answer.Header.Revision, schema, nil
}

// dumped is how many records a dump reads at once.
const dumped = 500

// Dump calls each with all records as they were at a revision, some at a time. Who leads is none
// of them: that is of this process.
func (s *Store) Dump(ctx context.Context, at int64, each func([]Kept) error) error {
	end := clientv3.GetPrefixRangeEnd(root)
	for from, more := root, true; more; {
		answer, err := s.client.Get(ctx, from, clientv3.WithRange(end), clientv3.WithRev(at), clientv3.WithLimit(dumped))
		if err != nil {
			return translate(err)
		}
		some := make([]Kept, 0, len(answer.Kvs))
		for _, kv := range answer.Kvs {
			from = string(kv.Key) + "\x00"
			k := Kept{Key: strings.TrimPrefix(string(kv.Key), root), Value: kv.Value}
			if strings.HasPrefix(k.Key, elections) {
				continue
			}
			if k.Seconds, err = s.left(ctx, kv.Lease); err != nil {
				return err
			}
			if k.Seconds >= 0 {
				some = append(some, k)
			}
		}
		if err := each(some); err != nil {
			return err
		}
		more = answer.More
	}
	return nil
}

// left is how many seconds a lease has, 0 for none, less where it is over.
func (s *Store) left(ctx context.Context, lease int64) (int64, error) {
	if lease == 0 {
		return 0, nil
	}
	answer, err := s.client.TimeToLive(ctx, clientv3.LeaseID(lease))
	if err != nil {
		return 0, translate(err)
	}
	if answer.TTL <= 0 {
		return -1, nil
	}
	return answer.TTL, nil
}

// keptAtOnce is how many records, and how many bytes of them, are written at once.
const (
	keptAtOnce  = 100
	bytesAtOnce = 1 << 20
)

// Keep writes records as they were kept before.
func (s *Store) Keep(ctx context.Context, all []Kept) error {
	var writes []Write
	size := 0
	flush := func() error {
		_, err := s.Commit(ctx, writes...)
		writes, size = nil, 0
		return err
	}
	for _, k := range all {
		if size += len(k.Value); len(writes) == keptAtOnce || len(writes) > 0 && size > bytesAtOnce {
			if err := flush(); err != nil {
				return err
			}
			size = len(k.Value)
		}
		writes = append(writes, Write{Key: k.Key, Value: k.Value, If: Any, Lease: time.Duration(k.Seconds) * time.Second})
	}
	if len(writes) == 0 {
		return nil
	}
	return flush()
}

// ahead is how much later than all that a backup knows the revisions of what is restored are.
// What came after the backup, and is lost, had revisions too: nobody is to meet them again with
// other records.
const ahead = 1_000_000_000

// Restore makes a store in the directory of o, which is empty, or not there, of what load keeps in it, which
// settle may change once it has the last schema. All of it is there then, or nothing. Its revisions are later than any that came after at: an If-Match
// of before matches nothing, and who watched lists again.
func Restore(ctx context.Context, o Options, at int64, load, settle func(*Store) error) (err error) {
	if err := empty(o.Dir); err != nil {
		return err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".restored-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(made) }()
	if err := loaded(ctx, Options{Dir: made, Contents: o.Contents}, load, settle); err != nil {
		return err
	}
	if err := later(made, at); err != nil {
		return fmt.Errorf("the records are not restored: %w", err)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(made, dir)
}

// empty is an error for a directory that has something in it.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: it has %s; move it away, or name another directory with --dir", dir, entries[0].Name())
	}
	return nil
}

// snapshotName is the file with the records between the two steps of a restore.
const snapshotName = "snapshot"

// loaded makes a store in a directory, of which its records are in a file at the end.
func loaded(ctx context.Context, o Options, load, settle func(*Store) error) error {
	s, err := openAsIs(ctx, o)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := load(s); err != nil {
		return err
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if err := settle(s); err != nil {
		return err
	}
	records, err := s.client.Snapshot(ctx)
	if err != nil {
		return translate(err)
	}
	defer func() { _ = records.Close() }()
	f, err := os.OpenFile(filepath.Join(o.Dir, snapshotName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, records)
	return errors.Join(err, f.Close())
}

// later makes the etcd of a directory anew of its snapshot, with later revisions.
func later(dir string, at int64) error {
	etcd := filepath.Join(dir, "etcd")
	if err := os.RemoveAll(etcd); err != nil {
		return err
	}
	c := config(etcd, "", 0)
	from := filepath.Join(dir, snapshotName)
	err := snapshot.NewV3(zap.NewNop()).Restore(snapshot.RestoreConfig{
		SnapshotPath: from, OutputDataDir: etcd, Name: c.Name, InitialCluster: c.InitialCluster, InitialClusterToken: c.InitialClusterToken,
		PeerURLs: []string{c.AdvertisePeerUrls[0].String()}, RevisionBump: uint64(at + ahead), MarkCompacted: true,
	})
	return errors.Join(err, os.Remove(from))
}
