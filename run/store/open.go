package store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.uber.org/zap"
)

// Options say where records and contents are kept.
type Options struct {
	// Dir is a directory for the contents, and for the records where no etcd is named. It is
	// made, for its owner alone.
	Dir string
	// Endpoints are those of an etcd; none for one in this process.
	Endpoints []string
	// TLS, User and Password are how an etcd elsewhere is talked to.
	TLS            *tls.Config
	User, Password string
	// Quota is how many bytes the records may take, 0 for 8 GiB.
	Quota int64
	// Contents is the repository for contents, in place of the directory; the zero value is none.
	Contents Registry
	// AsIs leaves records as an earlier kumikid has written them, for who only reads them.
	AsIs bool
}

const (
	defaultQuota = 8 << 30
	startTimeout = 60 * time.Second
	// migrateTimeout is how long records may be brought to another schema.
	migrateTimeout = 10 * time.Minute
	// watchable is how long changes are kept for those who watch.
	watchable = "10m"
	// snapshotEvery is after how many writes etcd's log begins anew.
	snapshotEvery = 5000
)

// embedded is an etcd in this process.
type embedded struct {
	etcd    *embed.Etcd
	sockets string
}

// Open opens a store, and makes it if there is none. Records of an earlier schema are brought to
// the last one.
func Open(ctx context.Context, o Options) (*Store, error) {
	s, err := openAsIs(ctx, o)
	if err != nil || o.AsIs {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, migrateTimeout)
	defer cancel()
	if err := s.migrate(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// openAsIs opens a store, whatever its schema.
func openAsIs(ctx context.Context, o Options) (*Store, error) {
	s := &Store{}
	err := s.keep(o)
	if err != nil {
		return nil, err
	}
	if len(o.Endpoints) > 0 {
		s.client, err = clientv3.New(clientv3.Config{Endpoints: o.Endpoints, TLS: o.TLS, Username: o.User, Password: o.Password, DialTimeout: 10 * time.Second, Logger: zap.NewNop(), Context: context.WithoutCancel(ctx)})
	} else {
		err = s.embed(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// keep opens the contents.
func (s *Store) keep(o Options) (err error) {
	if o.Contents.Name != "" {
		s.Contents, err = openRegistry(s, o.Contents)
		return err
	}
	s.Contents, err = openDirectory(filepath.Join(o.Dir, "contents"))
	return err
}

// embed starts an etcd in this process. It listens on Unix sockets only.
func (s *Store) embed(ctx context.Context, o Options) error {
	dir := filepath.Join(o.Dir, "etcd")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	// The path of a socket has at most 107 bytes, so they are not in the directory.
	sockets, err := os.MkdirTemp("", "kumikid")
	if err != nil {
		return err
	}
	c := config(dir, sockets, o.Quota)
	etcd, err := embed.StartEtcd(c)
	if err != nil {
		_ = os.RemoveAll(sockets)
		return fmt.Errorf("%s: %w; does another kumikid use it?", dir, err)
	}
	s.server = &embedded{etcd, sockets}
	select {
	case <-etcd.Server.ReadyNotify():
		s.client = v3client.New(etcd.Server)
		// Whoever led here was killed: nobody waits until that shows.
		_, err = s.client.Delete(ctx, root+elections, clientv3.WithPrefix())
		if err != nil {
			return translate(err)
		}
		// Nobody can lead where nothing can be written, and only who leads makes room.
		if err := s.MakeRoom(ctx); !errors.Is(err, ErrFull) {
			return err
		}
		return nil // it is read
	case err = <-etcd.Err():
	case <-time.After(startTimeout):
		err = errors.New("etcd does not start")
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.Close()
	return err
}

func config(dir, sockets string, quota int64) *embed.Config {
	c := embed.NewConfig()
	// The path is the host: for peers etcd takes nothing else, and would listen at an abstract
	// socket, which everybody reaches.
	socket := func(name string) []url.URL { return []url.URL{{Scheme: "unix", Host: filepath.Join(sockets, name)}} }
	nowhere := []url.URL{{Scheme: "http", Host: "localhost:0"}} // nobody else is to find it
	c.Name, c.Dir = "kumikid", dir
	c.ListenClientUrls, c.ListenPeerUrls = socket("client"), socket("peer")
	c.AdvertiseClientUrls, c.AdvertisePeerUrls = nowhere, nowhere
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.AutoCompactionMode, c.AutoCompactionRetention = embed.CompactorModePeriodic, watchable
	c.SnapshotCount, c.QuotaBackendBytes = snapshotEvery, quota
	if quota == 0 {
		c.QuotaBackendBytes = defaultQuota
	}
	c.MaxRequestBytes = 2 << 20
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop()) // what is wrong comes back as errors
	return c
}

// Close ends it; more than once is no more than once. What was committed stays.
func (s *Store) Close() { s.closing.Do(s.end) }

func (s *Store) end() {
	if s.client != nil {
		_ = s.client.Close()
	}
	if s.server != nil {
		s.server.etcd.Close()
		_ = os.RemoveAll(s.server.sockets)
	}
}

// Alive is an error if an etcd in this process has ended: nothing brings it back.
func (s *Store) Alive() error {
	if s.server == nil {
		return nil
	}
	select {
	case <-s.server.etcd.Server.StopNotify():
		return errors.New("the etcd in this process has ended")
	default:
		return nil
	}
}

// Ready is an error if the store does not answer.
func (s *Store) Ready(ctx context.Context) error {
	_, err := s.Get(ctx, schemaKey)
	return err
}

// State is how the store is.
type State struct {
	// Size is how many bytes the records take, and Quota how many they may; 0 if that is not
	// known, as of an etcd elsewhere.
	Size, Quota int64
	// Revision is that of the last write.
	Revision int64
	// Full tells that nothing is written any more, until there is room.
	Full bool
}

// State asks how the store is. It is an error if that does not answer.
func (s *Store) State(ctx context.Context) (State, error) {
	now, err := s.client.Get(ctx, root+schemaKey)
	if err != nil {
		return State{}, translate(err)
	}
	out := State{Revision: now.Header.Revision}
	alarms, err := s.client.AlarmList(ctx)
	if err != nil {
		return out, translate(err)
	}
	for _, a := range alarms.Alarms {
		out.Full = out.Full || a.Alarm == etcdserverpb.AlarmType_NOSPACE
	}
	if s.server != nil {
		out.Size, out.Quota = s.server.etcd.Server.Backend().Size(), s.server.etcd.Config().QuotaBackendBytes
		return out, nil
	}
	for _, at := range s.client.Endpoints() { // any member has them all
		if is, err := s.client.Status(ctx, at); err == nil {
			out.Size, out.Quota = is.DbSize, is.DbSizeQuota
			return out, nil
		}
	}
	return out, ErrUnavailable
}

// MakeRoom gives back the room of what is not kept any more, and lets things be written again
// that were refused with [ErrFull]. It does so only in an etcd of its own, if that is full.
func (s *Store) MakeRoom(ctx context.Context) error {
	if s.server == nil {
		return nil
	}
	alarms, err := s.client.AlarmList(ctx)
	if err != nil || len(alarms.Alarms) == 0 {
		return translate(err)
	}
	now, err := s.client.Get(ctx, root+schemaKey)
	if err != nil {
		return translate(err)
	}
	if _, err := s.client.Compact(ctx, now.Header.Revision, clientv3.WithCompactPhysical()); err != nil && !errors.Is(translate(err), ErrCompacted) {
		return translate(err)
	}
	backend := s.server.etcd.Server.Backend()
	if err := backend.Defrag(); err != nil {
		return err
	}
	if backend.Size() > s.server.etcd.Config().QuotaBackendBytes*9/10 {
		return ErrFull
	}
	for _, a := range alarms.Alarms {
		if a.Alarm != etcdserverpb.AlarmType_NOSPACE {
			continue
		}
		if _, err := s.client.AlarmDisarm(ctx, (*clientv3.AlarmMember)(a)); err != nil {
			return translate(err)
		}
	}
	return nil
}
